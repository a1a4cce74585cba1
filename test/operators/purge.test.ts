import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { MOST_UNUSED_CHILDREN } from '../../src/domain/grants/purge-grants.ts'
import { sha256 } from '../../src/foundation/crypto/digest.ts'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import type { DB } from '../../src/foundation/db/schema.generated.ts'
import { type PurgeOptions, purgeOnce, startPurging } from '../../src/start/purge-rows.ts'
import { verifies } from '../spec/verifies.ts'
import { aPair, refresh, userinfo } from '../support/client-like.ts'
import { aWorld } from '../support/world.ts'

const world = await aWorld()
const { db } = world.database
const school = await world.aSchool()
const client = await world.aPublicClient(school)
const member = await world.aMember(school)
const HOUR = 3_600_000
const DAY = 24 * HOUR
const ago = (ms: number) => new Date(Date.now() - ms)

const purge = (options: Partial<PurgeOptions> = {}) =>
  purgeOnce(db, { auditRetentionDays: 365, ...options })
const idsOf = async (table: 'token_pairs' | 'authorizations' | 'authorization_codes') =>
  (await db.selectFrom(table).select('id').execute()).map(({ id }) => id)
const countOf = async (table: keyof DB) => {
  const { rows } = await sql<{
    n: number
  }>`select count(*)::int as n from ${sql.table(table)}`.execute(db)
  return rows[0]?.n
}

beforeEach(async () => {
  for (const table of [
    'token_pairs',
    'authorizations',
    'authorization_codes',
    'browser_sessions',
    'purge_positions',
  ]) {
    await sql`delete from ${sql.table(table)}`.execute(db)
  }
})

async function anAuthorization(
  fields: { revoked_at?: Date; created_at?: Date } = {},
): Promise<string> {
  const id = uuidv7()
  await school.db
    .insert('authorizations', {
      id,
      client_id: client.clientId,
      user_id: member.id,
      audience: 'member',
      scopes: ['openid'],
      created_at: ago(100 * DAY),
      ...fields,
    })
    .execute()
  return id
}

interface PairFields {
  revoked_at?: Date
  refresh_expires_at?: Date
  first_used_at?: Date
  previous_id?: string
}

async function pairsOf(
  authorizationId: string,
  count: number,
  fields: PairFields = {},
  age = 100 * DAY,
): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, i) => ({
    id: uuidv7(Date.now() - age + i),
    authorization_id: authorizationId,
    scopes: ['openid'],
    access_hash: sha256('access'),
    refresh_hash: sha256('refresh'),
    access_expires_at: ago(HOUR),
    refresh_expires_at: ago(-DAY),
    ...fields,
  }))
  await db.insertInto('token_pairs').values(rows).execute()
  return rows.map(({ id }) => id)
}

describe('pairs and authorizations', () => {
  test('pairs that ended over a week ago are removed, later ones stay so that a replay is recognized', async () => {
    const authorization = await anAuthorization()
    await pairsOf(authorization, 3, { revoked_at: ago(8 * DAY) })
    await pairsOf(authorization, 2, { refresh_expires_at: ago(8 * DAY) })
    const kept = [
      ...(await pairsOf(authorization, 1, { revoked_at: ago(6 * DAY) })),
      ...(await pairsOf(authorization, 1, { refresh_expires_at: ago(6 * DAY) })),
      ...(await pairsOf(authorization, 1)),
    ]
    expect((await purge()).removed).toMatchObject({ token_pairs: 5, authorizations: 0 })
    expect((await idsOf('token_pairs')).sort()).toEqual(kept.sort())
  })

  test('an ended authorization is removed with its pairs after a week', async () => {
    await pairsOf(await anAuthorization({ revoked_at: ago(8 * DAY) }), 2)
    await pairsOf(await anAuthorization({ revoked_at: ago(6 * DAY) }), 2)
    expect((await purge()).removed).toMatchObject({ token_pairs: 2, authorizations: 1 })
    expect(await countOf('authorizations')).toBe(1)
  })

  test('an authorization whose pairs all expired is removed, one with a live pair stays', async () => {
    await pairsOf(await anAuthorization(), 2, { refresh_expires_at: ago(8 * DAY) })
    const alive = await anAuthorization()
    await pairsOf(alive, 2, { revoked_at: ago(8 * DAY) })
    await pairsOf(alive, 1)
    await purge()
    expect(await idsOf('authorizations')).toEqual([alive])
  })

  verifies(
    ['trouble.rows-without-end', 'pair.refresh.idle-expiry'],
    'a live grant survives the purge: in use, refreshed and retried',
    async () => {
      const pair = await aPair(world, school, client, member)
      const child = (await refresh(world, school, client, pair.refresh_token)).json()
      await purge()
      expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
      expect((await refresh(world, school, client, pair.refresh_token)).statusCode).toBe(200)
      expect((await userinfo(world, school, child.access_token)).statusCode).toBe(200)
      await db
        .updateTable('token_pairs')
        .set({ refresh_expires_at: ago(DAY) })
        .execute()
      expect((await refresh(world, school, client, child.refresh_token)).json()).toMatchObject({
        error: 'invalid_grant',
      })
      await db
        .updateTable('token_pairs')
        .set({ refresh_expires_at: ago(8 * DAY) })
        .execute()
      await db
        .updateTable('authorizations')
        .set({ created_at: ago(98 * DAY) })
        .execute()
      await purge({ now: Date.now() + 98 * DAY })
      expect([await countOf('token_pairs'), await countOf('authorizations')]).toEqual([0, 0])
    },
  )
})

describe('the age at which pairs are looked at', () => {
  const dead = { revoked_at: ago(8 * DAY) }

  verifies(
    'pair.purge.age',
    'a round costs what has reached an age since the last one, however many pairs live',
    async () => {
      const authorization = await anAuthorization()
      await pairsOf(authorization, 500, {}, 20 * DAY)
      await pairsOf(authorization, 3, dead, 8 * DAY)
      // One connection, which tells PostgreSQL at once what it has read.
      const [first, second] = await db.connection().execute(async (one) => {
        const looked = async (): Promise<number> => {
          await sql`select pg_stat_force_next_flush()`.execute(one)
          const { rows } = await sql<{ n: number }>`
            select idx_tup_read::int as n from pg_stat_user_indexes
            where indexrelname = 'token_pairs_pkey'`.execute(one)
          return rows[0]?.n ?? 0
        }
        const before = await looked()
        await purgeOnce(one, { auditRetentionDays: 365 })
        const between = await looked()
        await purgeOnce(one, { auditRetentionDays: 365 })
        return [between - before, (await looked()) - between]
      })
      expect(first).toBeGreaterThan(1000)
      // Entries of removed rows are read once more.
      expect(second).toBeLessThan((first ?? 0) / 5)
    },
  )

  test.each([
    ['a week', 7, 1],
    ['a day', 1, 0],
  ])('a pair that was issued %s ago', async (_when, days, removed) => {
    await pairsOf(await anAuthorization(), 1, dead, (days + 0.3) * DAY)
    expect((await purge()).removed).toMatchObject({ token_pairs: removed })
  })

  test('a pair that ended later is removed when it has the next age', async () => {
    const [pair = ''] = await pairsOf(await anAuthorization(), 1, {}, 10 * DAY)
    await purge()
    await db.updateTable('token_pairs').set(dead).where('id', '=', pair).execute()
    expect((await purge()).removed).toMatchObject({ token_pairs: 0 })
    const later = await purge({ now: Date.now() + 6 * DAY })
    expect(later.removed).toMatchObject({ token_pairs: 1, authorizations: 1 })
  })

  test('another process goes on where one stopped', async () => {
    await pairsOf(await anAuthorization(), 30, {}, 10 * DAY)
    await purge({ stepRows: 10, stepsPerRound: 1 })
    const [{ position } = { position: '' }] = await db
      .selectFrom('purge_positions')
      .select('position')
      .where('name', 'like', 'token_pairs %')
      .execute()
    const passed = (await idsOf('token_pairs')).filter((id) => id <= position)
    expect(passed).toHaveLength(10)
  })

  test('an authorization whose row was locked when its last pair went is found later', async () => {
    const authorization = await anAuthorization()
    await pairsOf(authorization, 1, dead)
    await db.transaction().execute(async (tx) => {
      await tx
        .selectFrom('authorizations')
        .select('id')
        .where('id', '=', authorization)
        .forNoKeyUpdate()
        .execute()
      expect((await purge()).removed).toMatchObject({ token_pairs: 1, authorizations: 0 })
    })
    expect((await purge()).removed).toMatchObject({ authorizations: 1 })
  })
})

describe('bounded work', () => {
  verifies(
    'pair.purge.batches',
    'no statement reads more rows than one step, and no round takes more steps than allowed',
    async () => {
      const authorization = await anAuthorization()
      // Five sweeps look at them, each for another age.
      await pairsOf(authorization, 105, { revoked_at: ago(8 * DAY) })
      const positions = new Map<string, string>()
      const bounded = { positions, stepRows: 10, stepsPerRound: 2 }
      const first = await purge(bounded)
      expect(first).toMatchObject({ finished: false, removed: { token_pairs: 100 } })
      const second = await purge(bounded)
      expect(second).toMatchObject({ finished: true, removed: { token_pairs: 5 } })
      const statements = await world.database.statementsOf(() => purge())
      const deletes = statements.filter((text) => /delete from (?!"?purge_positions)/.test(text))
      expect(deletes.length).toBeGreaterThan(6)
      for (const text of deletes) expect(text).toMatch(/limit 1000/)
    },
  )

  test('a round gets past live rows to the rows behind them', async () => {
    const authorization = await anAuthorization()
    await pairsOf(authorization, 30)
    const dead = await pairsOf(authorization, 1, { revoked_at: ago(8 * DAY) })
    const options = { positions: new Map<string, string>(), stepRows: 5, stepsPerRound: 2 }
    for (let round = 0; round < 5; round++) await purge(options)
    expect(await idsOf('token_pairs')).not.toContain(dead[0])
  })

  test('several servers purge at once without errors, and remove each row once', async () => {
    const authorization = await anAuthorization()
    await pairsOf(authorization, 200, { revoked_at: ago(8 * DAY) })
    const reports = await Promise.all(
      Array.from({ length: 5 }, () => purge({ stepRows: 20, stepsPerRound: 50 })),
    )
    const removed = reports.map((report) => report.removed.token_pairs ?? 0)
    expect(removed.reduce((sum, n) => sum + n)).toBeLessThanOrEqual(200)
    await purge()
    expect(await countOf('token_pairs')).toBe(0)
  })

  test('a locked row is skipped, not waited for', async () => {
    const [held] = await pairsOf(await anAuthorization(), 1, { revoked_at: ago(8 * DAY) })
    await pairsOf(await anAuthorization(), 1, { revoked_at: ago(8 * DAY) })
    await db.transaction().execute(async (tx) => {
      await tx
        .selectFrom('token_pairs')
        .select('id')
        .where('id', '=', held ?? '')
        .forUpdate()
        .execute()
      expect((await purge()).removed).toMatchObject({ token_pairs: 1 })
    })
    expect((await purge()).removed).toMatchObject({ token_pairs: 1 })
  })
})

describe('children of one parent', () => {
  verifies(
    'pair.children.capped',
    'of more than a hundred unused children the oldest are revoked, and the audit records it',
    async () => {
      const authorization = await anAuthorization()
      const [parent = ''] = await pairsOf(authorization, 1)
      const children = await pairsOf(authorization, MOST_UNUSED_CHILDREN + 7, {
        previous_id: parent,
      })
      const [used = ''] = await pairsOf(authorization, 1, {
        previous_id: parent,
        first_used_at: ago(HOUR),
      })
      expect((await purge()).removed).toMatchObject({ unused_children: 7, token_pairs: 0 })
      const revoked = await db
        .selectFrom('token_pairs')
        .select('id')
        .where('revoked_at', 'is not', null)
        .execute()
      expect(revoked.map(({ id }) => id).sort()).toEqual(children.slice(0, 7).sort())
      expect(revoked.map(({ id }) => id)).not.toContain(used)
      const entries = await school.db
        .from('audit_entries')
        .select(['action', 'client_id'])
        .where('authorization_id', '=', authorization)
        .execute()
      expect(entries).toEqual([{ action: 'token.revoked', client_id: client.clientId }])
      expect((await purge()).removed).toMatchObject({ unused_children: 0 })
    },
  )

  test('a child with children of its own stays, since their first use must retire its parent', async () => {
    const authorization = await anAuthorization()
    const [parent = ''] = await pairsOf(authorization, 1)
    const children = await pairsOf(authorization, MOST_UNUSED_CHILDREN + 2, { previous_id: parent })
    await pairsOf(authorization, 1, { previous_id: children[0] ?? '' })
    expect((await purge()).removed).toMatchObject({ unused_children: 1 })
    const { revoked_at } = await db
      .selectFrom('token_pairs')
      .select('revoked_at')
      .where('id', '=', children[0] ?? '')
      .executeTakeFirstOrThrow()
    expect(revoked_at).toBeNull()
  })
})

describe('other rows that expire', () => {
  verifies(
    'trouble.purge-misses-kinds',
    'codes, sessions, resets, throttles and documents are removed after they expire, and not before',
    async () => {
      const code = (expires_at: Date) => ({
        id: uuidv7(),
        hash: sha256('code'),
        client_id: client.clientId,
        user_id: member.id,
        audience: 'operator' as const,
        scopes: ['openid'],
        redirect_uri: client.redirectUri,
        code_challenge: 'x',
        authenticated_at: ago(0),
        expires_at,
      })
      const session = (expires_at: Date) => ({
        id: uuidv7(),
        secret_hash: sha256('secret'),
        user_id: member.id,
        expires_at,
      })
      await school.db
        .insert('authorization_codes', [code(ago(25 * HOUR)), code(ago(HOUR))])
        .execute()
      await school.db
        .insert('browser_sessions', [session(ago(HOUR)), session(ago(-HOUR))])
        .execute()
      await school.db.insert('trusted_devices', [session(ago(HOUR)), session(ago(-HOUR))]).execute()
      await school.db.insert('password_resets', [session(ago(HOUR)), session(ago(-HOUR))]).execute()
      await school.db.insert('notice_links', [session(ago(HOUR)), session(ago(-HOUR))]).execute()
      const change = (times: { created_at?: Date; changed_at?: Date; ended_at?: Date }) => ({
        id: uuidv7(),
        user_id: member.id,
        old_email: 'old@people.test',
        new_email: 'new@people.test',
        ...times,
      })
      await school.db
        .insert('email_changes', [
          change({}),
          change({ created_at: ago(25 * HOUR) }),
          change({ created_at: ago(80 * HOUR), changed_at: ago(71 * HOUR) }),
          change({ created_at: ago(80 * HOUR), changed_at: ago(73 * HOUR) }),
          change({ ended_at: ago(0) }),
        ])
        .execute()
      await db
        .insertInto('sign_in_throttles')
        .values([
          { bucket: sha256('a'), failures: 1, window_ends_at: ago(HOUR) },
          { bucket: sha256('b'), failures: 1, window_ends_at: ago(-HOUR) },
        ])
        .execute()
      const document = (url: string, expires_at: Date) => ({ url, document: '{}', expires_at })
      await db
        .insertInto('client_documents')
        .values([
          document('https://a.example/c', ago(31 * DAY)),
          document('https://b.example/c', ago(DAY)),
          // Only older releases stored failures.
          { url: 'https://c.example/c', failure: 'away', expires_at: ago(-HOUR) },
        ])
        .execute()
      expect((await purge()).removed).toMatchObject({
        authorization_codes: 1,
        browser_sessions: 1,
        trusted_devices: 1,
        password_resets: 1,
        notice_links: 1,
        email_changes: 3,
        sign_in_throttles: 1,
        client_documents: 2,
      })
      expect((await purge()).removed).toMatchObject({
        authorization_codes: 0,
        browser_sessions: 0,
        trusted_devices: 0,
        password_resets: 0,
        notice_links: 0,
        email_changes: 0,
        sign_in_throttles: 0,
        client_documents: 0,
      })
    },
  )

  verifies(
    ['trouble.one-huge-delete', 'house.audit.append-only'],
    'the purge removes old audit entries in batches; no other statement can delete or change any',
    async () => {
      const old = Array.from({ length: 25 }, (_, i) => ({
        id: uuidv7(Date.now() - 40 * DAY + i),
        action: 'token.issued',
        outcome: 'ok',
        at: ago(40 * DAY),
      }))
      await db.insertInto('audit_entries').values(old).execute()
      await expect(db.deleteFrom('audit_entries').execute()).rejects.toThrow(/append-only/)
      await expect(
        db.updateTable('audit_entries').set({ outcome: 'denied' }).execute(),
      ).rejects.toThrow(/append-only/)
      const young = ((await countOf('audit_entries')) ?? 0) - old.length
      const bounded = { auditRetentionDays: 30, stepRows: 10, stepsPerRound: 2 }
      expect((await purge(bounded)).removed).toMatchObject({ audit_entries: 20 })
      expect((await purge(bounded)).removed).toMatchObject({ audit_entries: 5 })
      expect(await countOf('audit_entries')).toBe(young)
      await expect(db.deleteFrom('audit_entries').execute()).rejects.toThrow(/append-only/)
    },
  )
})

describe('the purge job of a server', () => {
  test('purges at an interval, reports each round, and stops', async () => {
    await pairsOf(await anAuthorization(), 3, { revoked_at: ago(8 * DAY) })
    const rounds: number[] = []
    await new Promise<void>((resolve, reject) => {
      const job = startPurging(db, {
        intervalSeconds: 0.01,
        auditRetentionDays: 365,
        onRound({ removed }) {
          rounds.push(removed.token_pairs ?? 0)
          if (rounds.length === 2) job.stop().then(resolve, reject)
        },
        onError: reject,
      })
    })
    expect(rounds).toEqual([3, 0])
  })

  test('continues after a round that failed', async () => {
    const failures: unknown[] = []
    await new Promise<void>((resolve) => {
      const job = startPurging(db, {
        intervalSeconds: 0.01,
        auditRetentionDays: 365,
        onRound() {
          if (failures.length === 0) throw new Error('the first listener broke')
          void job.stop().then(resolve)
        },
        onError: (error) => failures.push(error),
      })
    })
    expect(failures).toHaveLength(1)
  })
})
