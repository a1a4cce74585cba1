import { sql } from 'kysely'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import type { KeyStage } from './school.ts'

/**
 * How long a key is published before it may sign. Our header lets clients cache the JWKS for an hour,
 * but some verifiers ignore it and fetch the JWKS twice a day. They refuse a token that is signed with
 * a key they have not seen, so the key waits until the slowest of them have it.
 */
export const KEY_LEAD_SECONDS = 24 * 60 * 60

export interface ListedKey {
  readonly kid: string
  readonly stage: KeyStage
  readonly publishedAt: Date
  readonly activatedAt: Date | null
  readonly retiredAt: Date | null
  /** When every cached JWKS contains the key. */
  readonly readyAt: Date
  readonly ready: boolean
}

/** Newest first. */
export async function listKeys(at: SchoolDb): Promise<readonly ListedKey[]> {
  return await selectKeys(at, sql``)
}

async function selectKeys(
  at: SchoolDb,
  locking: ReturnType<typeof sql>,
): Promise<readonly ListedKey[]> {
  const ready = sql`published_at + make_interval(secs => ${KEY_LEAD_SECONDS})`
  const { rows } = await at.run(sql<ListedKey>`
    select kid, stage, published_at as "publishedAt", activated_at as "activatedAt",
      retired_at as "retiredAt", ${ready} as "readyAt", ${ready} <= now() as ready
    from signing_keys where school_id = ${at.schoolId}
    order by published_at desc, kid ${locking}`)
  return rows
}

/** Every key of the school, locked, so that a second change waits and sees the result of the first. */
export async function lockKeys(tx: SchoolTx): Promise<readonly ListedKey[]> {
  return await selectKeys(tx, sql`for update`)
}
