import { expect, test } from 'vitest'
import { AUDIT_ACTIONS, COMMON_ACTIONS } from '../../../src/domain/audit/audit.ts'
import { type AuditFilter, readAudit } from '../../../src/domain/audit/read-audit.ts'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { indexesOf } from '../../support/plans.ts'
import { aWorld } from '../../support/world.ts'

const world = await aWorld()
const school = await world.aSchool()

/** The index of the audit that a page of it is read from, the first one and one further back. */
async function indexesFor(filter: AuditFilter): Promise<string[]> {
  const statements = await world.database.statementsOf(async () => {
    await readAudit(school.at, filter, { limit: 50 })
    await readAudit(school.at, filter, { limit: 50, before: uuidv7() })
  })
  const used: string[] = []
  for (const text of statements) used.push(...(await indexesOf(world.database.connection, text)))
  return [...new Set(used)].filter((name) => name.startsWith('audit_'))
}

test('what happens at every request is read along the whole audit of the school', async () => {
  for (const action of COMMON_ACTIONS) {
    expect(await indexesFor({ action }), action).toEqual(['audit_entries_by_school'])
  }
})

test('everything else is found by its action, however rare it is', async () => {
  const common: readonly string[] = COMMON_ACTIONS
  const rare = AUDIT_ACTIONS.filter((action) => !common.includes(action))
  expect(rare).toContain('client.created')
  for (const action of rare) {
    expect(await indexesFor({ action }), action).toEqual(['audit_entries_by_action'])
  }
})

test.each([
  ['nothing', {}, 'audit_entries_by_school'],
  ['how it went', { outcome: 'refused' }, 'audit_entries_by_school'],
  ['the app', { clientId: 'an-app' }, 'audit_entries_by_client'],
  ['the person', { actorEmail: 'ada@people.test' }, 'audit_entries_by_actor'],
] as const)('asked for by %s it has an index', async (_by, filter, index) => {
  expect(await indexesFor(filter)).toEqual([index])
})
