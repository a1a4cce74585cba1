import { expect, test } from 'vitest'
import { hideComment, showComment } from '../../src/domain/learning/comment-operations.ts'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import { aCourse } from '../support/learning.ts'
import { Performer } from '../support/performing.ts'
import { whileRowHeld } from '../support/row-lock.ts'
import { sharedWorld, type TestSchool } from '../support/world.ts'

const world = await sharedWorld()

async function aComment(school: TestSchool): Promise<string> {
  const course = await aCourse(school, [[{ title: 'First strokes' }]])
  const id = uuidv7()
  const { id: user_id } = await world.aMember(school)
  const lecture_id = course.lectures[0]?.[0] ?? ''
  await school.db.insert('comments', { id, user_id, lecture_id, body: 'Which paper?' }).execute()
  return id
}

const changesOf = async (school: TestSchool, subject: string) => {
  const entries = await school.db
    .from('audit_entries')
    .select('detail')
    .where('subject', '=', subject)
    .orderBy('id')
    .execute()
  return entries.map(({ detail }) => (detail as { changed?: unknown }).changed)
}

test('hiding and showing a comment tell the audit log the state before and after', async () => {
  const school = await world.aSchool()
  const staff = new Performer(school, await world.aMember(school, ['owner']))
  const id = await aComment(school)
  const { hidden_at } = await staff.does(hideComment, { id })
  await staff.does(hideComment, { id })
  await staff.does(showComment, { id })
  expect(await changesOf(school, id)).toEqual([
    { hidden_at: [null, hidden_at] },
    undefined,
    { hidden_at: [hidden_at, null] },
  ])
})

test('of two people who hide a comment at once, only the first is said to have hidden it', async () => {
  const school = await world.aSchool()
  const staff = new Performer(school, await world.aMember(school, ['owner']))
  const id = await aComment(school)
  const lock = "update comments set hidden_at = '2026-11-01T09:00:00Z' where id = $1"
  const { hidden_at } = await whileRowHeld(
    world.database.connection,
    { lock, id },
    () => staff.does(hideComment, { id }),
    async (waiting, holder) => {
      await waiting(1)
      await holder.query('commit')
    },
  )
  expect(hidden_at).toBe('2026-11-01T09:00:00.000Z')
  expect(await changesOf(school, id)).toEqual([undefined])
})
