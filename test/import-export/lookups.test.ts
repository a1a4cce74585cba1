import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { KnownNames } from '../../src/domain/bulk/kind.ts'
import { byEmail, type ReferenceColumn } from '../../src/domain/bulk/reference-column.ts'
import { enrollmentKind, progressKind } from '../../src/domain/learning/progress-bulk.ts'
import { notificationKind } from '../../src/domain/notifications/notification-bulk.ts'
import { importInto } from '../support/bulk.ts'
import { aCourse } from '../support/learning.ts'
import { indexesOf } from '../support/plans.ts'
import { sharedWorld, type TestSchool } from '../support/world.ts'

const world = await sharedWorld()
const { connection, statementsOf } = world.database
let school: TestSchool

beforeEach(async () => {
  school = await world.aSchool()
})

afterEach(() => {
  vi.useRealTimers()
})

/** A reference column that records the emails it looks up. */
function recording(lookedUp: string[]): ReferenceColumn {
  const emails = byEmail('member_id')
  return {
    ...emails,
    find(tx, texts) {
      lookedUp.push(...texts)
      return emails.find(tx, texts)
    },
  }
}

describe('names that an import has looked up', () => {
  test('are not looked up again; names that were not found are', async () => {
    const [known, lookedUp] = [new KnownNames(), [] as string[]]
    const reference = recording(lookedUp)
    const { email, id } = await world.aMember(school, ['student'])
    const later = await world.aPerson()
    const texts = new Set([email, later.email])
    const first = await school.db.transaction((tx) => known.find(tx, reference, texts))
    expect(first.get(email)).toMatchObject({ id, isMember: true })
    expect(first.get(later.email)).toBeUndefined()
    await world.aMember(school, ['student'], later)
    const second = await school.db.transaction((tx) => known.find(tx, reference, texts))
    expect(second.get(later.email)?.id).toBe(later.id)
    expect(lookedUp).toEqual([email, later.email, later.email])
  })

  test('are forgotten after a while, so that a person who left meanwhile does not count as a member', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const [known, lookedUp] = [new KnownNames(), [] as string[]]
    const reference = recording(lookedUp)
    const { email } = await world.aMember(school, ['student'])
    const find = () => school.db.transaction((tx) => known.find(tx, reference, new Set([email])))
    const first = await find()
    vi.advanceTimersByTime(11_000)
    await find()
    expect(lookedUp).toEqual([email, email])
    expect(first.has(email)).toBe(true)
  })
})

test('an import of several batches looks up each person once', async () => {
  // The names are known for ten seconds, which the import can take on a busy machine.
  vi.useFakeTimers({ toFake: ['Date'] })
  const { email } = await world.aMember(school, ['student'])
  const rows = Array.from({ length: 2500 }, (_, n) => ({
    external_id: `news-${n}`,
    member_email: n % 2 === 0 ? email : email.toUpperCase(),
    title: `News ${n}`,
  }))
  const statements = await statementsOf(async () => {
    expect(await importInto(school, notificationKind, rows)).toMatchObject({ created: 2500 })
  })
  const lookups = statements.filter((text) => text.includes('lower(u.email) = any'))
  expect(lookups).toHaveLength(1)
})

test('an object that several columns identify is found by an index on all of them', async () => {
  const student = await world.aMember(school, ['student'])
  const course = await aCourse(school)
  const student_id = student.id
  const statements = await statementsOf(async () => {
    await importInto(school, enrollmentKind, [{ student_id, course_id: course.id }])
    await importInto(school, progressKind, [
      { student_id, lecture_id: course.lectures[0]?.[0], state: 'read' },
    ])
  })
  const lookups = statements.filter((text) => text.includes('as wanted ('))
  expect(await Promise.all(lookups.map((text) => indexesOf(connection, text)))).toEqual([
    ['enrollments_school_id_user_id_course_id_key'],
    // The import of progress looks up the enrollment of the student, then the progress.
    ['enrollments_school_id_user_id_course_id_key'],
    ['lecture_progress_pkey'],
  ])
})
