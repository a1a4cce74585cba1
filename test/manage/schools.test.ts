import { describe, expect, test } from 'vitest'
import type { AuditedActor } from '../../src/domain/actor.ts'
import {
  changeSchool,
  createSchool,
  findSchoolNamed,
  listSchools,
} from '../../src/domain/schools/manage-school.ts'
import { findSchoolByOrigin } from '../../src/domain/schools/school.ts'
import type { NewSchool, SchoolChanges } from '../../src/domain/schools/school-details.ts'
import { atSchool } from '../../src/foundation/db/school-db.ts'
import { testDatabase } from '../support/database.ts'

const { db } = await testDatabase()
const by: AuditedActor = { via: 'command_line' }

const create = (details: NewSchool) =>
  db.transaction().execute((tx) => createSchool(tx, details, by))
const change = (id: string, changes: SchoolChanges) =>
  atSchool(db, id).transaction((tx) => changeSchool(tx, changes, by))
const auditOf = async (id: string) =>
  (await atSchool(db, id).from('audit_entries').select('action').execute())
    .map((row) => row.action)
    .sort()

async function aSchool(subdomain: string): Promise<string> {
  const made = await create({ subdomain, origin: `https://${subdomain}.example`, name: subdomain })
  if (made.kind !== 'created') throw new Error(JSON.stringify(made))
  return made.id
}

describe('a new school', () => {
  test('is found at its origin, in the one spelling, with an appearance and an audit entry', async () => {
    const made = await create({ subdomain: 'north', origin: 'https://North.Example/', name: ' N ' })
    if (made.kind !== 'created') throw new Error(JSON.stringify(made))
    const school = await findSchoolByOrigin(db, 'https://north.example')
    expect(school).toMatchObject({ id: made.id, name: 'N', variant: 'newer', currency: 'USD' })
    expect(school?.appearance.version).toBe(1)
    expect(await auditOf(made.id)).toEqual(['school.created'])
  })

  test('whose subdomain or origin is another one’s is refused, and nothing is written', async () => {
    await aSchool('taken')
    const before = await listSchools(db)
    const details = { subdomain: 'taken', origin: 'https://elsewhere.example', name: 'x' }
    expect(await create(details)).toEqual({ kind: 'taken', field: 'subdomain' })
    const other = { subdomain: 'other', origin: 'https://TAKEN.example:443', name: 'x' }
    expect(await create(other)).toEqual({ kind: 'taken', field: 'origin' })
    expect(await listSchools(db)).toEqual(before)
  })

  test('with wrong details is refused with a sentence for each', async () => {
    const refused = await create({
      subdomain: 'Bad Name',
      origin: 'http://school.example',
      name: '',
      currency: 'euro',
      timeZone: 'Atlantis/Capital',
      documentHosts: ['*.com'],
    })
    if (refused.kind !== 'invalid') throw new Error(refused.kind)
    expect(refused.problems.map(({ field }) => field).sort()).toEqual(
      ['currency', 'documentHosts', 'name', 'origin', 'subdomain', 'timeZone'].sort(),
    )
  })
})

describe('a changed school', () => {
  test('takes what is given and keeps the rest', async () => {
    const id = await aSchool('changing')
    const changes = { mcpConnections: true, documentHosts: ['Apps.Example', '*.tools.example'] }
    expect(await change(id, changes)).toEqual({ kind: 'changed' })
    expect(await findSchoolNamed(db, 'changing')).toMatchObject({
      origin: 'https://changing.example',
      mcpConnections: true,
      documentHosts: ['apps.example', '*.tools.example'],
    })
    expect(await auditOf(id)).toEqual(['school.changed', 'school.created'])
  })

  test('cannot take another school’s origin, but may keep its own', async () => {
    await aSchool('first')
    const id = await aSchool('second')
    const refused = { kind: 'taken', field: 'origin' }
    expect(await change(id, { origin: 'https://first.example' })).toEqual(refused)
    expect(await change(id, { origin: 'https://second.example/' })).toEqual({ kind: 'changed' })
  })

  test('leaves an entry only if something was to change', async () => {
    const id = await aSchool('still')
    expect(await change(id, {})).toEqual({ kind: 'changed' })
    expect(await auditOf(id)).toEqual(['school.created'])
  })
})

test('a school is named by subdomain, origin or id', async () => {
  const id = await aSchool('named')
  for (const name of ['named', 'https://named.example', id, ' NAMED ']) {
    expect((await findSchoolNamed(db, name))?.id).toBe(id)
  }
  expect(await findSchoolNamed(db, 'nobody')).toBeUndefined()
})
