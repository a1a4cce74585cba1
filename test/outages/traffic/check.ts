import pg from 'pg'
import { groupRows } from '../../../src/foundation/db/keyset.ts'
import type { Caller } from './caller.ts'
import { MEMBER_CLIENTS } from './clients.ts'
import type { Ledger, LedgerPair } from './ledger.ts'
import { exportCourses, refreshOf, useOf } from './requests.ts'
import { Patience, persist } from './retries.ts'

const AT_ONCE = 8
const PATIENCE_SECONDS = 30

/**
 * The moment that a restored database shows. What happened between the two times may be in it or
 * not.
 */
export interface Moment {
  readonly from: number
  readonly to: number
}

/**
 * Asks the server about everything in the ledger: all dead pairs are refused, all living ones are
 * accepted and can be refreshed, all courses are there. What differs is added to the ledger.
 */
export async function checkLedger(
  ledger: Ledger,
  caller: Caller,
  { from, to }: Moment = { from: Date.now(), to: Date.now() },
): Promise<void> {
  const patience = new Patience()
  patience.endIn(PATIENCE_SECONDS)
  const verdict = async (sent: Parameters<typeof persist>[2]) =>
    (await persist(caller, patience, sent)).reply

  await each(ledger.dead(from), async (pair) => {
    const { status } = await verdict(useOf(pair))
    if (status !== 401) ledger.revokedAccepted.push(`a dead access token is ${status} at the end`)
  })
  const alive = ledger.alive(from, to)
  // The oldest first: the use of a newer one ends the older ones.
  const families = [...groupRows(alive, ({ authorization }) => String(authorization)).values()]
  await each(families, async (pairs) => {
    for (const pair of pairs) {
      const { status, body } = await verdict(useOf(pair))
      if (status !== 200) ledger.lost.push(`an access token is ${status} at the end: ${body}`)
    }
  })
  const courses = ledger.coursesBefore(from)
  const operator = alive.findLast((pair) => !isMember(pair))
  if (courses.length > 0 && operator === undefined) throw new Error('no operator can look')
  if (operator !== undefined) {
    const { body } = await verdict(exportCourses(operator.access))
    const there = new Set(body.split('\n').flatMap((line) => (line ? JSON.parse(line).slug : [])))
    for (const slug of courses) if (!there.has(slug)) ledger.lost.push(`no course ${slug}`)
  }
  await each(families, async (pairs) => {
    const newest = pairs.at(-1)
    if (newest === undefined) return
    const { status, body } = await verdict(refreshOf(newest, caller.origin, secretOf(newest)))
    if (status !== 200) ledger.signedOut.push(`no refresh at the end: ${status} ${body}`)
  })
}

/**
 * Every confirmed event that leaves an entry has it. Only meaningful in the database that confirmed
 * them.
 */
export async function checkAudit(
  ledger: Ledger,
  since: Date,
  connection: pg.ClientConfig,
): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rows } = await client.query<{ action: string; entries: number }>(
      `select action, count(*)::int as entries from audit_entries
       where at >= $1 and outcome = 'ok' group by action`,
      [since],
    )
    const entries = new Map(rows.map((row) => [row.action, row.entries]))
    const { codes, exchanges, revocations } = ledger.confirmed
    for (const [action, confirmed] of Object.entries({
      'authorization.granted': codes,
      'token.issued': exchanges,
      'token.revoked': revocations,
    })) {
      const missing = confirmed - (entries.get(action) ?? 0)
      if (missing > 0) ledger.lost.push(`${missing} audit entries ${action} are missing`)
    }
  } finally {
    await client.end()
  }
}

async function each<T>(list: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const left = list.values()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of left) await act(item)
    }),
  )
}

const clientOf = (pair: LedgerPair) =>
  MEMBER_CLIENTS.find(({ clientId }) => clientId === pair.clientId)

const isMember = (pair: LedgerPair): boolean => clientOf(pair) !== undefined
const secretOf = (pair: LedgerPair): string | undefined => clientOf(pair)?.secret
