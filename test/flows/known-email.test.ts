import { beforeAll, describe, expect, vi } from 'vitest'
import type { BulkKind } from '../../src/domain/bulk/kind.ts'
import { memberKind, studentKind } from '../../src/domain/people/people-bulk.ts'
import { addPerson, correctName } from '../../src/domain/people/person-operations.ts'
import { HashingThreads } from '../../src/foundation/crypto/password.ts'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import { smtpMailer } from '../../src/foundation/mail/mailer.ts'
import { verifies } from '../spec/verifies.ts'
import { anOperator, type OperatorClient } from '../support/admin-api.ts'
import { AdminBrowser } from '../support/admin-browser.ts'
import { Visitor } from '../support/browser-like.ts'
import { exportFrom, importInto } from '../support/bulk.ts'
import { aMeeting, aService, aStudyGroup } from '../support/consulting.ts'
import { aCourse } from '../support/learning.ts'
import { aMailBox, untilSent } from '../support/mail-box.ts'
import { signedIn, submit } from '../support/operator-like.ts'
import { performByCommandLine } from '../support/performing.ts'
import { aCountedWorld, type CountedWorld } from '../support/request-costs.ts'
import type { TestPerson, TestSchool } from '../support/world.ts'
import { useTool } from './mcp/tool-endpoint.ts'

const TYPED = 'Name As Typed'

let world: CountedWorld['world']
let home: TestSchool
let school: TestSchool
let operator: OperatorClient
let browser: AdminBrowser
let fresh = 0

beforeAll(async () => {
  const mailBox = await aMailBox()
  const mailer = smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>')
  world = (await aCountedWorld({ mailer })).world
  home = await world.aSchool()
  // Each person whom it adds is invited, which must not show who has an account either.
  school = await world.aSchool({ invitesPeople: true })
  operator = await anOperator(world, school)
  browser = new AdminBrowser(await signedIn(world, school, operator.person))
})

const unknownEmail = () => `unknown${++fresh}@people.test`

async function imported(kind: BulkKind, row: object, options: { dryRun?: boolean } = {}) {
  return { ...(await importInto(school, kind, [row], options)), id: '' }
}

/** Ways in which a school, or a stranger at its pages, gives the server an email. */
const ways: Readonly<Record<string, (email: string) => Promise<unknown>>> = {
  'POST /members': async (email) => {
    const answer = await operator.post('/members', { email, name: TYPED, roles: ['student'] })
    expect(answer.statusCode).toBe(201)
    const { id, joined_at, updated_at, ...rest } = answer.json()
    return { ...rest, types: [typeof id, typeof joined_at, typeof updated_at] }
  },
  'POST /students': async (email) => {
    const answer = await operator.post('/students', { email, name: TYPED })
    expect(answer.statusCode).toBe(201)
    return Object.keys(answer.json())
  },
  'the form of the admin area': async (email) => {
    const sent = await browser.send('/admin/members/new', {
      email,
      name: TYPED,
      roles: ['student'],
    })
    return [sent.statusCode, String(sent.headers.location).replace(/[0-9a-f-]{36}/, 'ID')]
  },
  'a tool': async (email) => {
    const given = { action: 'members.create', input: { email, name: TYPED, roles: ['student'] } }
    const options = { token: operator.accessToken }
    return Object.keys(await useTool(world, school, 'change_people', given, options))
  },
  'an import of students': (email) => imported(studentKind, { email, name: TYPED }),
  'an import of members': (email) =>
    imported(memberKind, { email, name: TYPED, roles: ['lecturer'] }),
  'a dry run': (email) => imported(studentKind, { email, name: TYPED }, { dryRun: true }),
  'an import over HTTP': async (email) => {
    const answer = await operator.send('POST', '/members/import', {
      body: `email,name,roles\n${email},${TYPED},student\n`,
      headers: { 'content-type': 'text/csv' },
    })
    const summary: Record<string, unknown> = answer.json()
    return { ...summary, id: '' }
  },
  'the command line': async (email) => {
    const input = { email, name: TYPED, roles: ['student' as const] }
    return (await performByCommandLine(school, addPerson, input)).kind
  },
  'sign-in': async (email) => {
    const visitor = new Visitor(world, school)
    const fields = { email, password: 'a wrong password' }
    return (await submit(visitor, '/sign-in', '/sign-in', fields)).statusCode
  },
  'a forgotten password': async (email) => {
    const visitor = new Visitor(world, school)
    const sent = await submit(visitor, '/forgotten-password', '/forgotten-password', { email })
    return [sent.statusCode, sent.headers.location]
  },
}

/**
 * Statements of the mails, which are sent after the answer, and of this test, which waits for them.
 */
const AFTER_THE_ANSWER =
  /select 1 from outgoing_mails|outgoing_mails set attempts|delete from "outgoing_mails"|"hasSignedInHere"/

async function costOf(work: () => Promise<unknown>) {
  const hash = vi.spyOn(HashingThreads.prototype, 'hash')
  const verify = vi.spyOn(HashingThreads.prototype, 'verify')
  try {
    let answer: unknown
    const statements = await world.database.statementsOf(async () => {
      answer = await work()
      // Mails too are the same work, so that the queue of a school does not show it.
      await untilSent(world)
    })
    const hashes = { hashed: hash.mock.calls.length, verified: verify.mock.calls.length }
    return {
      answer,
      hashes,
      statements: statements.filter((text) => !AFTER_THE_ANSWER.test(text)),
    }
  } finally {
    vi.restoreAllMocks()
  }
}

describe('a known email costs and answers what an unknown one does', () => {
  for (const [way, work] of Object.entries(ways)) {
    verifies(['house.people.same-work', 'house.people.known-email'], `by ${way}`, async () => {
      await work(unknownEmail())
      await untilSent(world)
      const known = await world.aMember(home)
      const first = await costOf(() => work(known.email))
      const second = await costOf(() => work(unknownEmail()))
      expect(second.statements).toEqual(first.statements)
      expect(second.hashes).toEqual(first.hashes)
      expect(second.answer).toEqual(first.answer)
      await untilSent(world)
    })
  }

  verifies(
    'house.people.ids',
    'ids of new people have a random time, and look like those from before',
    async () => {
      const ids = []
      for (const email of [unknownEmail(), unknownEmail()]) {
        const added = await operator.post('/members', { email, name: TYPED, roles: ['student'] })
        ids.push(added.json().id)
      }
      await importInto(school, studentKind, [{ email: 'by-import@people.test', name: TYPED }])
      const found = await operator.get('/members?email=by-import@people.test')
      ids.push(found.json().data[0].id)
      // The version of ids from before, so that it does not tell a new account from an older one.
      for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/)
      // Those that were made in the same moment share no beginning, which a time would be.
      expect(new Set(ids.map((id) => id.slice(0, 13))).size).toBe(ids.length)
      // One of them may have the present minute by chance.
      const minute = uuidv7().slice(0, 9)
      expect(ids.filter((id) => id.startsWith(minute)).length).toBeLessThan(ids.length)
    },
  )
})

describe('a person whom a school added', () => {
  /** Everything that the school can read about a member, as text. */
  async function readEverywhere(
    person: TestPerson,
    course: string,
    group: string,
    meeting: string,
  ) {
    const rest = [
      `/members/${person.id}`,
      `/students/${person.id}`,
      `/members?email=${person.email}`,
      `/members?search=${person.email}`,
      `/students?search=${person.email}`,
      `/lecturers/${person.id}`,
      '/lecturers',
    ]
    const answers = new Map<string, string>()
    for (const path of rest) {
      const answer = await operator.get(path)
      expect(answer.statusCode, path).toBe(200)
      answers.set(path, answer.body)
    }
    for (const path of [
      `/admin/members?search=${person.email}`,
      `/admin/members/${person.id}`,
      `/admin/study-groups/${group}/members`,
      `/admin/meetings/${meeting}/attendees`,
      '/admin/lecturers',
      `/courses/${course}`,
    ]) {
      answers.set(path, await browser.page(path))
    }
    answers.set('export', await exportFrom(school, memberKind, 'csv'))
    answers.set('export of students', await exportFrom(school, studentKind))
    const found = await useTool(
      world,
      school,
      'read_people',
      { action: 'members.read', input: { id: person.id } },
      { token: operator.accessToken },
    )
    answers.set('a tool', JSON.stringify(found))
    return answers
  }

  verifies(
    ['house.people.typed-until-signed-in', 'house.people.known-email'],
    'is shown as the school typed them, without a picture, until they sign in there',
    async () => {
      const victim = await world.aMember(home)
      const name = 'Secret Real Name'
      await world.database.db
        .updateTable('users')
        .set({ name, avatar_url: '/assets/avatars/ada.svg' })
        .where('id', '=', victim.id)
        .execute()
      const roles = ['lecturer', 'student']
      await operator.post('/members', { email: victim.email, name: TYPED, roles })
      const course = await aCourse(school)
      await school.db.insert('lecturers', { user_id: victim.id }).execute()
      await school.db
        .insert('course_lecturers', { course_id: course.id, user_id: victim.id, position: 0 })
        .execute()
      const group = await aStudyGroup(school, [victim])
      const service = await aService(school, [course])
      const meeting = await aMeeting(school, { service, seats: [victim] })
      const read = () => readEverywhere(victim, course.slug, group, meeting)

      for (const [where, text] of await read()) {
        expect(text, where).toContain(TYPED)
        expect(text, where).not.toContain(name)
        expect(text, where).not.toContain('avatars/ada.svg')
      }
      for (const list of ['members', 'students', 'orders', 'enrollments']) {
        const found = await operator.get(`/${list}?search=Secret`)
        if (found.statusCode === 200) expect(found.json().data, list).toEqual([])
      }

      await signedIn(world, school, victim)
      for (const [where, text] of await read()) expect(text, where).toContain(name)
      const shown = (await operator.get(`/members/${victim.id}`)).json()
      expect(shown).toMatchObject({ name, picture_url: `${school.origin}/assets/avatars/ada.svg` })
    },
  )

  verifies(
    'house.people.typed-until-signed-in',
    'gets the name that the school typed last; another school sees its own',
    async () => {
      const email = unknownEmail()
      const other = await world.aSchool()
      const elsewhere = await anOperator(world, other)
      const add = (at: OperatorClient, name: string) =>
        at.post('/members', { email, name, roles: ['student'] })
      await add(operator, 'First')
      await add(elsewhere, 'Theirs')
      await add(operator, 'Second')
      const nameAt = async (at: OperatorClient) =>
        (await at.get(`/members?email=${email}`)).json().data[0].name
      expect([await nameAt(operator), await nameAt(elsewhere)]).toEqual(['Second', 'Theirs'])
    },
  )

  verifies(
    'house.people.typed-until-signed-in',
    'a school corrects the name that it typed: no other school and no account changes, and nothing after they signed in',
    async () => {
      const other = await world.aSchool()
      const elsewhere = await anOperator(world, other)
      const ada = await world.aMember(home)
      const owner = await world.aMember(other, ['owner'])
      const admin = new AdminBrowser(await signedIn(world, other, owner))
      for (const at of [operator, elsewhere]) {
        await at.post('/members', { email: ada.email, name: 'Adda', roles: ['student'] })
      }
      const path = `/admin/students/${ada.id}/name`
      expect(await admin.page(path)).toContain('value="Adda"')
      expect((await admin.send(path, { name: ' ' })).statusCode).toBe(422)
      await admin.done(path, { name: 'Ada' })
      await admin.done(`/admin/members/${ada.id}/name`, { name: 'Ada Corrected' })
      const nameAt = async (at: OperatorClient) => (await at.get(`/members/${ada.id}`)).json().name
      expect([await nameAt(operator), await nameAt(elsewhere)]).toEqual(['Adda', 'Ada Corrected'])
      const { name } = await world.database.db
        .selectFrom('users')
        .select('name')
        .where('id', '=', ada.id)
        .executeTakeFirstOrThrow()
      expect(name).toBe(ada.name)
      const audited = await other.db
        .from('audit_entries')
        .select(['actor_user_id', 'subject', 'detail'])
        .where('action', '=', 'member.name_corrected')
        .execute()
      const entry = { actor_user_id: owner.id, subject: ada.id, detail: { via: 'admin_area' } }
      expect(audited).toEqual([entry, entry])
      await signedIn(world, other, ada)
      expect(await admin.page(path)).toContain('not possible as things are now')
      expect(await nameAt(elsewhere)).toBe(ada.name)
      const input = { id: ada.id, name: 'Changed' }
      expect(await performByCommandLine(other, correctName, input)).toMatchObject({
        kind: 'conflict',
        code: 'has_signed_in',
      })
      const strange = { ...input, id: owner.id }
      expect((await performByCommandLine(school, correctName, strange)).kind).toBe('not_found')
    },
  )
})
