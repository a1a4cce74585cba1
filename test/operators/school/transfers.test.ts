import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findKind } from '../../../src/domain/catalogue/bulk-kinds.ts'
import { EXAMPLE } from '../../../src/domain/operation/operation.ts'
import { createDiskStore } from '../../../src/foundation/storage/disk-store.ts'
import type { Visitor } from '../../support/browser-like.ts'
import { whenFileIsDone } from '../../support/clean-up.ts'
import { aMeeting, aService, aStudyGroup } from '../../support/consulting.ts'
import { addExamples } from '../../support/example-school.ts'
import { finishJobs } from '../../support/jobs.ts'
import { anOwner, signedIn } from '../../support/operator-like.ts'
import {
  checkRows,
  chooseColumns,
  exportRows,
  importChecked,
  pathIn,
  sendRows,
  tokenOn,
} from '../../support/transfers.ts'
import { aWorld, type TestSchool } from '../../support/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'schoolgate-transfers-'))
whenFileIsDone(() => rm(folder, { recursive: true, force: true }))
const world = await aWorld({ files: createDiskStore(folder) })

/** Rows of a file as NDJSON, without what an import does not carry. */
function carried(resource: string, file: string): unknown[] {
  const columns = Object.keys(findKind(resource)?.columns ?? {})
  return file
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const row: Record<string, unknown> = JSON.parse(line)
      return Object.fromEntries(columns.map((name) => [name, row[name]]))
    })
}

/**
 * Everything that the examples lack: a service with a slot, a meeting with a seat, a group with a
 * class, a notification.
 */
async function addMore(school: TestSchool): Promise<void> {
  const student = await world.aMember(school)
  const service = await aService(school, [])
  const group = await aStudyGroup(school, [student])
  await aMeeting(school, { service, seats: [student] })
  await aMeeting(school, { group, title: '=1+1' })
  await school.db
    .insert('notifications', {
      id: EXAMPLE.post,
      user_id: student.id,
      kind: 'announcement',
      title: 'The new "term"; begins',
      body: 'Line one\nline two',
    })
    .execute()
}

const MOVED = [
  'members',
  'courses',
  'consulting-services',
  'consulting-slots',
  'study-groups',
  'consulting-meetings',
  'forms',
  'payments',
  'notifications',
]

test('a file of every list of people, courses, consulting, forms and payments that one school exports gives the same rows in an empty school', async () => {
  const [from, to] = [await world.aSchool(), await world.aSchool()]
  await addExamples(world, from)
  await addMore(from)
  const [giver, taker] = [await anOwner(world, from), await anOwner(world, to)]
  const people = await exportRows(world, taker, 'members', { format: 'ndjson' })
  for (const [place, resource] of MOVED.entries()) {
    const format = place % 2 === 0 ? 'csv' : 'ndjson'
    const file = await exportRows(world, giver, resource, { format })
    let path = await checkRows(world, taker, file, { name: `rows.${format}`, resource })
    // The orders of payments are made anew, so their ids are of the other school.
    if (resource === 'payments') path = await chooseColumns(world, taker, path, payments(file))
    const imported = await importChecked(world, taker, path)
    expect((await taker.get(imported)).body, resource).toContain('Failed: 0')
  }
  for (const resource of MOVED) {
    const there = await exportRows(world, taker, resource, { format: 'ndjson' })
    const here = await exportRows(world, giver, resource, { format: 'ndjson' })
    const own = carried(resource, people)
    const moved = carried(resource, there).filter(
      (row) => !own.some((one) => JSON.stringify(one) === JSON.stringify(row)),
    )
    const wanted = carried(resource, here).map((row) => withoutOrder(resource, row))
    expect(wanted.length, resource).toBeGreaterThan(0)
    expect(
      moved.map((row) => withoutOrder(resource, row)),
      resource,
    ).toEqual(wanted)
  }
})

const withoutOrder = (resource: string, row: unknown): unknown =>
  resource === 'payments' ? { ...(row as object), order_id: null } : row

function payments(file: string): [string, string][] {
  const headings = file.startsWith('{')
    ? Object.keys(JSON.parse(file.split('\n')[0] ?? ''))
    : (file.split('\r\n')[0] ?? '').split(',')
  const columns = findKind('payments')?.columns ?? {}
  return headings.map((name) => [
    name,
    name !== 'order_id' && Object.hasOwn(columns, name) ? name : '',
  ])
}

describe('a list', () => {
  test('of meetings, services, study groups, notifications, payments and forms leads to an import and an export', async () => {
    const owner = await anOwner(world, await world.aSchool())
    for (const [path, resource] of [
      ['meetings', 'consulting-meetings'],
      ['services', 'consulting-services'],
      ['study-groups', 'study-groups'],
      ['notifications', 'notifications'],
      ['payments', 'payments'],
      ['forms', 'forms'],
    ] as const) {
      const { body } = await owner.get(`/admin/${path}`)
      expect(body).toContain(`href="/admin/jobs/import?resource=${resource}"`)
      expect(body).toMatch(new RegExp(`href="/admin/jobs/export\\?resource=${resource}["&]`))
    }
  })

  test('of what has no form in the admin area is exported and takes no file', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    for (const resource of ['orders', 'comments', 'form-submissions', 'meeting-attendees']) {
      const sent = await sendRows(owner, 'id\n', { resource })
      expect([sent.statusCode, resource]).toEqual([422, resource])
    }
    for (const path of ['orders', 'comments']) {
      const { body } = await owner.get(`/admin/${path}`)
      expect(body).toContain('/admin/jobs/export')
      expect(body).not.toContain('/admin/jobs/import')
    }
    expect(await school.db.from('jobs').select('id').execute()).toEqual([])
  })

  test('of one object exports its rows alone: courses of a student, seats of a meeting, a roster', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
    const service = await aService(school, [])
    const meeting = await aMeeting(school, { service, seats: [ada] })
    await aMeeting(school, { service, seats: [ben] })
    const group = await aStudyGroup(school, [ben])
    await aStudyGroup(school, [ada])
    for (const [path, seen, unseen] of [
      [`/admin/meetings/${meeting}/attendees`, ada, ben],
      [`/admin/study-groups/${group}/members`, ben, ada],
    ] as const) {
      const file = await exportedFrom(owner, path)
      expect(file).toContain(seen.email)
      expect(file).not.toContain(unseen.email)
    }
    const course = { title: 'Fresco', slug: 'fresco', currency: 'USD' }
    await school.db.insert('courses', { id: EXAMPLE.course, ...course }).execute()
    for (const { id } of [ada, ben]) {
      const enrolled = { id, course_id: EXAMPLE.course, user_id: id, source: 'import' } as const
      await school.db.insert('enrollments', enrolled).execute()
    }
    const courses = await exportedFrom(owner, `/admin/students/${ada.id}/enrollments`)
    expect(courses).toContain(ada.id)
    expect(courses).not.toContain(ben.id)
  })

  test('of one object takes a file whose rows do not name it', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const [one, other] = [await aService(school, []), await aService(school, [])]
    const list = (await owner.get(`/admin/services/${one}/slots`)).body
    const link = /href="(\/admin\/jobs\/import[^"]*)"/.exec(list)?.[1]?.replaceAll('&amp;', '&')
    const { body: form } = await owner.get(link ?? '')
    expect(form).toContain('A row that names no service is for the service that you came from.')
    const rows = `external_id,weekday,starts_at,duration_minutes,service_id\na,1,10:00,30,\nb,2,11:00,30,${other}\n`
    const sent = { resource: 'consulting-slots', within: { service_id: one } }
    const path = await checkRows(world, owner, rows, sent)
    expect((await owner.get(path)).body).toContain('A row that names no service is for the service')
    await importChecked(world, owner, path)
    const slots = await school.db
      .from('consulting_slots')
      .select(['service_id', 'weekday'])
      .where('duration_minutes', '=', 30)
      .orderBy('weekday')
      .execute()
    expect(slots.map(({ service_id }) => service_id)).toEqual([one, other])
  })
})

async function exportedFrom(owner: Visitor, path: string): Promise<string> {
  const list = (await owner.get(path)).body
  const link = /href="(\/admin\/jobs\/export[^"]*)"/.exec(list)?.[1]?.replaceAll('&amp;', '&')
  const query = new URLSearchParams(link?.split('?')[1])
  const only = JSON.parse(query.get('only') ?? '{}')
  return await exportRows(world, owner, query.get('resource') ?? '', { only })
}

describe('an import of people says before the button', () => {
  const rows = 'email,name\nkit@transfers.test,Kit\nmax@transfers.test,Max\nno-mail,Ben\n'

  test('how many get an invitation, and a person who is a member already is not among them', async () => {
    const school = await world.aSchool({ invitesPeople: true })
    const owner = await anOwner(world, school)
    const member = await world.aMember(school)
    const path = await checkRows(world, owner, `${rows}${member.email},Ada\n`)
    const { body } = await owner.get(path)
    expect(body).toContain('2 people get an invitation by email when you import this')
    const mails = world.database.db.selectFrom('outgoing_mails').select('id')
    expect(await mails.where('school_id', '=', school.id).execute()).toEqual([])
    await importChecked(world, owner, path)
    expect(await mails.where('school_id', '=', school.id).execute()).toHaveLength(2)
  })

  test('nothing of invitations at a school that does not invite', async () => {
    const owner = await anOwner(world, await world.aSchool({ invitesPeople: false }))
    const { body } = await owner.get(await checkRows(world, owner, rows))
    expect(body).toContain('Import the other 2 rows')
    expect(body).not.toContain('invitation')
  })
})

describe('the check of a colleague', () => {
  test('says whose it is, and has neither a button to import nor a file to download', async () => {
    const school = await world.aSchool()
    const [owner, colleague] = [await anOwner(world, school), await anOwner(world, school)]
    const path = await checkRows(world, owner, 'email,name\nkit@example.test,Kit\n')
    const { body } = await colleague.get(path)
    expect(body).toContain('Only the person who sent this file can import it.')
    expect(body).not.toContain(`${path}/import`)
    expect(body).not.toContain(`${path}/columns`)
    const form_token = tokenOn((await owner.get('/admin/jobs')).body)
    const asked = { form_token, resource: 'members', format: 'csv' }
    const exported = pathIn(await owner.post('/admin/jobs/export', asked))
    await finishJobs(world)
    expect((await owner.get(exported)).body).toContain(`${exported}/file`)
    expect((await colleague.get(exported)).body).not.toContain(`${exported}/file`)
  })
})

describe('another school', () => {
  test('gets no row by the id of an event, a meeting or a course that it does not have, and cannot put rows there', async () => {
    const [mine, theirs] = [await world.aSchool(), await world.aSchool()]
    const owner = await anOwner(world, mine)
    const student = await world.aMember(theirs)
    const service = await aService(theirs, [])
    const meeting_id = await aMeeting(theirs, { service, seats: [student] })
    const only = { meeting_id }
    expect(await exportRows(world, owner, 'meeting-attendees', { only })).not.toContain(
      student.email,
    )
    const rows = 'external_id,weekday,starts_at,duration_minutes\na,1,10:00,30\n'
    const sent = { resource: 'consulting-slots', within: { service_id: service } }
    const path = await checkRows(world, owner, rows, sent)
    const { body } = await owner.get(path)
    expect(body).toContain('1 row would be refused')
    expect(body).not.toContain(`${path}/import`)
    const forged = { resource: 'students', within: { school_id: theirs.id } }
    expect((await sendRows(owner, 'email,name\n', forged)).statusCode).toBe(422)
  })

  test('a lecturer or a student sees no list of the admin area and starts nothing', async () => {
    const school = await world.aSchool()
    const visitor = await signedIn(world, school, await world.aMember(school, ['lecturer']))
    for (const path of ['notifications', 'jobs/import', 'jobs/export?resource=payments']) {
      expect([(await visitor.get(`/admin/${path}`)).statusCode, path]).toEqual([403, path])
    }
    const form_token = tokenOn((await visitor.get('/account')).body)
    const asked = { form_token, resource: 'payments', format: 'csv' }
    expect((await visitor.post('/admin/jobs/export', asked)).statusCode).toBe(403)
    expect((await sendRows(visitor, 'email,name\n')).statusCode).toBe(403)
    expect(await school.db.from('jobs').select('id').execute()).toEqual([])
  })
})
