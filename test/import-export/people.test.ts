import { beforeEach, describe, expect, test } from 'vitest'
import { importRows } from '../../src/domain/bulk/import-rows.ts'
import { rolesAt } from '../../src/domain/people/membership.ts'
import { memberKind, studentKind } from '../../src/domain/people/people-bulk.ts'
import { auditOf } from '../support/authorization.ts'
import { bytesOf, callerAt, importInto, ndjson } from '../support/bulk.ts'
import { sharedWorld, type TestPerson, type TestSchool } from '../support/world.ts'

const world = await sharedWorld()
let school: TestSchool
let stranger: TestPerson

beforeEach(async () => {
  school = await world.aSchool()
  stranger = await world.aMember(await world.aSchool(), ['owner'])
})

const accounts = () => world.database.db.selectFrom('users').selectAll().orderBy('email').execute()

describe('importing people', () => {
  test('never changes the name, email or password of an existing account', async () => {
    const member = await world.aMember(school)
    const before = await accounts()
    const rows = [
      { email: stranger.email.toUpperCase(), name: 'Taken Over' },
      { id: member.id, email: 'other@people.test', name: 'Renamed' },
    ]
    const done = await importInto(school, studentKind, rows)
    expect(done).toMatchObject({ created: 1, unchanged: 1, failed: 0 })
    expect(await rolesAt(school.db, stranger.id)).toEqual(['student'])
    expect(await accounts()).toEqual(before)
    for (const column of ['password', 'password_hash', 'avatar_url']) {
      const refused = await importInto(school, studentKind, [
        { email: stranger.email, name: 'X', [column]: 'x' },
      ])
      expect(refused.errors).toMatchObject([{ errors: [{ code: 'unknown_field' }] }])
    }
  })

  test('does not reveal whether an account exists, by its answer or by the fields it requires', async () => {
    const answers = []
    for (const email of [stranger.email, 'unknown@people.test']) {
      const { id: _nameless, ...nameless } = await importInto(school, studentKind, [{ email }])
      const { id: _named, ...named } = await importInto(school, studentKind, [{ email, name: 'N' }])
      answers.push({ nameless, named })
    }
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]?.nameless.errors).toMatchObject([
      { errors: [{ pointer: '/name', code: 'required' }] },
    ])
    const audit = await school.db.from('audit_entries').select('action').execute()
    expect(audit.filter(({ action }) => action === 'person.created')).toEqual([])
    expect(audit.filter(({ action }) => action === 'member.roles_changed')).toHaveLength(2)
  })

  test.each([1, 2])(
    'creates each missing account once, without a password, on %i connections',
    async (connections) => {
      const rows = Array.from({ length: 1500 }, (_, n) => ({
        email: `n${n % 1400}@${school.subdomain}.test`,
        name: `Name ${n}`,
      }))
      const done = await importInto(school, studentKind, rows, { connections })
      expect(done).toMatchObject({ created: 1400, unchanged: 100, failed: 0 })
      const made = (await accounts()).filter(({ email }) =>
        email?.endsWith(`${school.subdomain}.test`),
      )
      expect(made).toHaveLength(1400)
      expect(made.every((person) => person.password_hash === null)).toBe(true)
    },
  )

  test('stores names with characters that are special in PostgreSQL unchanged', async () => {
    const names = ['Ann "Nan" O\'Neil', 'Back\\slash', '{brace, comma}', 'NULL', 'Zoë 雪', '$1 %s']
    const rows = names.map((name, n) => ({ email: `odd${n}@${school.subdomain}.test`, name }))
    expect(await importInto(school, studentKind, rows)).toMatchObject({ created: names.length })
    const made = (await accounts()).filter(({ email }) => email?.startsWith('odd'))
    expect(made.map(({ name }) => name)).toEqual(names)
  })

  test('treats a row with an id and a row with the email of the same person as one person', async () => {
    const member = await world.aMember(school, ['lecturer'])
    const others = Array.from({ length: 999 }, (_, n) => ({
      email: `m${n}@${school.subdomain}.test`,
      name: 'Other',
    }))
    const rows = [{ id: member.id }, ...others, { email: member.email, name: 'Other' }]
    const done = await importInto(school, studentKind, rows, { connections: 2 })
    expect(done).toMatchObject({ created: 999, updated: 1, unchanged: 1, failed: 0 })
  })

  test('writes one audit entry for all people with the same change, and it lists them', async () => {
    const lecturers = [
      await world.aMember(school, ['lecturer']),
      await world.aMember(school, ['lecturer']),
    ]
    const known = lecturers.map(({ email }) => ({ email, name: 'Known' }))
    const fresh = ['x', 'y', 'z'].map((n) => ({ email: `${n}@${school.subdomain}.test`, name: n }))
    await importInto(school, studentKind, [...known, ...fresh])
    const made = (await accounts()).filter(({ email }) =>
      email?.endsWith(`${school.subdomain}.test`),
    )
    const ids = made.map(({ id }) => id)
    const changed = (await auditOf(school)).filter(
      ({ action }) => action === 'member.roles_changed',
    )
    expect(changed.map(({ detail }) => detail)).toEqual([
      {
        before: ['lecturer'],
        after: ['lecturer', 'student'],
        subjects: lecturers.map(({ id }) => id),
        via: 'command_line',
      },
      { added: ['student'], subjects: ids, via: 'command_line' },
    ])
    const created = await world.database.db
      .selectFrom('audit_entries')
      .select(['detail', 'school_id'])
      .where('action', '=', 'person.created')
      .execute()
    expect(created).toContainEqual({
      detail: { subjects: ids, via: 'command_line' },
      school_id: null,
    })
  })

  test('accepts a person of another school by email, never by id', async () => {
    const done = await importInto(school, studentKind, [{ id: stranger.id, name: 'X' }])
    expect(done.errors).toMatchObject([{ errors: [{ pointer: '/id', code: 'not_found' }] }])
    expect(await rolesAt(school.db, stranger.id)).toEqual([])
  })
})

describe('importing roles', () => {
  test('sets them, and keeps the last owner', async () => {
    const owner = await world.aMember(school, ['owner'])
    const member = await world.aMember(school, ['student'])
    const rows = [
      { id: member.id, roles: ['student', 'lecturer'] },
      { id: owner.id, roles: ['admin'] },
    ]
    const done = await importInto(school, memberKind, rows)
    expect(done).toMatchObject({ updated: 1, failed: 1 })
    expect(done.errors).toMatchObject([{ line: 2, errors: [{ code: 'last_owner' }] }])
    expect(await rolesAt(school.db, member.id)).toEqual(['lecturer', 'student'])
    const handover = [{ id: member.id, roles: ['owner'] }, rows[1] ?? {}]
    expect(await importInto(school, memberKind, handover)).toMatchObject({ updated: 1, failed: 1 })
    expect(await importInto(school, memberKind, handover)).toMatchObject({
      updated: 1,
      unchanged: 1,
    })
    expect(await rolesAt(school.db, owner.id)).toEqual(['admin'])
  })

  test('by an admin gives the owner role to no person and takes it from none', async () => {
    const owner = await world.aMember(school, ['owner'])
    await world.aMember(school, ['owner'])
    const admin = await world.aMember(school, ['admin'])
    const caller = { ...callerAt(school), roles: ['admin' as const], userId: admin.id }
    const rows = [
      { id: admin.id, roles: ['owner'] },
      { id: owner.id, roles: ['student'] },
      { email: 'new@people.test', name: 'New', roles: ['owner'] },
      { id: admin.id, roles: ['admin', 'lecturer'] },
    ]
    const done = await importRows(school.db, caller, memberKind, bytesOf(ndjson(rows)), {
      format: 'ndjson',
    })
    expect(done.errors.map(({ line, errors }) => [line, errors[0]?.code])).toEqual([
      [1, 'owners_only'],
      [2, 'owners_only'],
      [3, 'owners_only'],
    ])
    expect(await rolesAt(school.db, admin.id)).toEqual(['admin', 'lecturer'])
    expect(await rolesAt(school.db, owner.id)).toEqual(['owner'])
  })
})
