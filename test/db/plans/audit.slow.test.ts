import { expect, test } from 'vitest'
import { AUDIT_ACTIONS, COMMON_ACTIONS } from '../../../src/domain/audit/audit.ts'
import { type AuditFilter, readAudit } from '../../../src/domain/audit/read-audit.ts'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { indexesOf } from '../../support/plans.ts'
import { aWorld } from '../../support/world.ts'

const world = await aWorld()
const school = await world.aSchool()

/** By the text of the statement: most actions are found by the same one. */
const indexes = new Map<string, Promise<string[]>>()

function indexesOnce(text: string): Promise<string[]> {
  const known = indexes.get(text) ?? indexesOf(world.database.connection, text)
  indexes.set(text, known)
  return known
}

/** The audit indexes that a first and a later page with this filter use. */
async function indexesFor(filter: AuditFilter): Promise<string[]> {
  const statements = await world.database.statementsOf(async () => {
    await readAudit(school.db, filter, { limit: 50 })
    await readAudit(school.db, filter, { limit: 50, before: uuidv7() })
  })
  const used: string[] = []
  for (const text of statements) used.push(...(await indexesOnce(text)))
  return [...new Set(used)].filter((name) => name.startsWith('audit_'))
}

test('entries of common actions are read from the index of all entries of the school', async () => {
  for (const action of COMMON_ACTIONS) {
    expect(await indexesFor({ action }), action).toEqual(['audit_entries_by_school'])
  }
})

test('entries of rarer actions are found by the index of actions', async () => {
  const common: readonly string[] = COMMON_ACTIONS
  const rare = AUDIT_ACTIONS.filter((action) => !common.includes(action))
  expect(rare).toContain('client.created')
  for (const action of rare) {
    expect(await indexesFor({ action }), action).toEqual(['audit_entries_by_action'])
  }
})

test.each([
  ['nothing', {}, 'audit_entries_by_school'],
  ['outcome', { outcome: 'refused' }, 'audit_entries_by_school'],
  ['app', { clientId: 'an-app' }, 'audit_entries_by_client'],
  ['person', { actorEmail: 'ada@people.test' }, 'audit_entries_by_actor'],
] as const)('entries filtered by %s are read from an index', async (_by, filter, index) => {
  expect(await indexesFor(filter)).toEqual([index])
})
