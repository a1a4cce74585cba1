import { sql } from 'kysely'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import type { KeyStage } from './school.ts'

/**
 * How long a key is published before it may sign. Our JWKS may be cached for an hour, but that is
 * only what we ask for: verifiers are known that fetch it twice a day and ignore the header. A token
 * signed with a key they have not seen is refused, so the key waits until the slowest have it.
 */
export const KEY_LEAD_SECONDS = 24 * 60 * 60

export interface ListedKey {
  readonly kid: string
  readonly stage: KeyStage
  readonly publishedAt: Date
  readonly activatedAt: Date | null
  readonly retiredAt: Date | null
  /** When every cache of the key set must have it. */
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

/** Every key of the school, locked: of two changes at once the second sees what the first did. */
export async function lockKeys(tx: SchoolTx): Promise<readonly ListedKey[]> {
  return await selectKeys(tx, sql`for update`)
}
