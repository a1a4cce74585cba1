import { describe, expect, test } from 'vitest'
import type { AuditedActor } from '../../src/domain/actor/actor.ts'
import { refusalFrom } from '../../src/domain/operation/operation.ts'
import { findSchoolByOrigin } from '../../src/domain/schools/school.ts'
import type { NewSchool, SchoolChanges } from '../../src/domain/schools/school-details.ts'
import { findSchoolNamed, listSchools } from '../../src/domain/schools/school-directory.ts'
import { changeSettings } from '../../src/domain/schools/school-operations.ts'
import { createSchool } from '../../src/domain/schools/write-school.ts'
import { atSchool } from '../../src/foundation/db/school-db.ts'
import { testDatabase } from '../support/database.ts'
import { outputOf, performByCommandLine } from '../support/performing.ts'

const { db } = await testDatabase()
const by: AuditedActor = { via: 'command_line' }

const create = (details: NewSchool) =>
  db.transaction().execute((tx) => createSchool(tx, details, by))
const refusalOf = (details: NewSchool) => create(details).then(() => undefined, refusalFrom)
const change = (id: string, changes: SchoolChanges) =>
  performByCommandLine({ db: atSchool(db, id), origin: '' }, changeSettings, changes)
const auditOf = async (id: string) =>
  (await atSchool(db, id).from('audit_entries').select('action').execute())
    .map((row) => row.action)
    .sort()

async function aSchool(subdomain: string): Promise<string> {
  return await create({ subdomain, origin: `https://${subdomain}.example`, name: subdomain })
}

describe('a new school', () => {
  test('is found at its normalized origin, with an appearance and an audit entry', async () => {
    const id = await create({ subdomain: 'north', origin: 'https://North.Example/', name: ' N ' })
    const school = await findSchoolByOrigin(db, 'https://north.example')
    expect(school).toMatchObject({ id, name: 'N', variant: 'newer', currency: 'USD' })
    expect(school?.appearance.version).toBe(1)
    expect(await auditOf(id)).toEqual(['school.created'])
  })

  test('with the subdomain or origin of another school is refused, and nothing is written', async () => {
    await aSchool('taken')
    const before = await listSchools(db)
    const details = { subdomain: 'taken', origin: 'https://elsewhere.example', name: 'x' }
    expect(await refusalOf(details)).toMatchObject({ code: 'taken', pointer: '/subdomain' })
    const other = { subdomain: 'other', origin: 'https://TAKEN.example:443', name: 'x' }
    expect(await refusalOf(other)).toMatchObject({ code: 'taken', pointer: '/origin' })
    expect(await listSchools(db)).toEqual(before)
  })

  test('with wrong details is refused with a message for each', async () => {
    const refused = await refusalOf({
      subdomain: 'Bad Name',
      origin: 'http://school.example',
      name: '',
      currency: 'euro',
      time_zone: 'Atlantis/Capital',
      document_hosts: ['*.com'],
    })
    if (refused?.kind !== 'invalid') throw new Error(refused?.kind)
    expect(new Set(refused.problems.map(({ pointer }) => pointer))).toEqual(
      new Set(['/currency', '/document_hosts/0', '/name', '/origin', '/subdomain', '/time_zone']),
    )
  })
})

describe('a changed school', () => {
  test('gets the given values and keeps the others', async () => {
    const id = await aSchool('changing')
    const changes = { mcp_connections: true, document_hosts: ['Apps.Example', '*.tools.example'] }
    expect(outputOf(await change(id, changes))).toEqual({ changed: Object.keys(changes) })
    expect(await findSchoolNamed(db, 'changing')).toMatchObject({
      origin: 'https://changing.example',
      mcpConnections: true,
      documentHosts: ['apps.example', '*.tools.example'],
    })
    expect(await auditOf(id)).toEqual(['school.changed', 'school.created'])
  })

  test('cannot take the origin of another school, but may keep its own', async () => {
    await aSchool('first')
    const id = await aSchool('second')
    const refused = { kind: 'conflict', code: 'taken', pointer: '/origin' }
    expect(await change(id, { origin: 'https://first.example' })).toMatchObject(refused)
    expect(outputOf(await change(id, { origin: 'https://second.example/' }))).toEqual({
      changed: ['origin'],
    })
  })

  test('gets an audit entry only if the request has a change', async () => {
    const id = await aSchool('still')
    expect(outputOf(await change(id, {}))).toEqual({ changed: [] })
    expect(await auditOf(id)).toEqual(['school.created'])
  })
})

test('a school is named by subdomain, origin or id', async () => {
  const id = await aSchool('named')
  for (const name of ['named', 'https://named.example', id, ' NAMED ']) {
    expect((await findSchoolNamed(db, name))?.id).toBe(id)
  }
  expect(await findSchoolNamed(db, 'unknown')).toBeUndefined()
})
