import { sql } from 'kysely'
import { generateEs256Key } from '../../foundation/crypto/es256.ts'
import { type Keyring, seal, unseal } from '../../foundation/crypto/seal.ts'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import type { AuditedActor } from '../actor.ts'
import { recordChange } from '../audit/record-change.ts'
import type { KeyStage } from './school.ts'
import { SIGNING_KEY_PURPOSE } from './signing.ts'

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

/** Adds a key to the school's JWKS; it signs nothing until it is activated. */
export async function publishKey(
  tx: SchoolTx,
  keyring: Keyring,
  by: AuditedActor,
): Promise<{ readonly kid: string; readonly readyAt: Date }> {
  const { kid, publicJwk, privateKey } = generateEs256Key()
  const sealed = seal(keyring.key(SIGNING_KEY_PURPOSE), privateKey, tx.schoolId)
  const { published_at } = await tx
    .insert('signing_keys', {
      kid,
      stage: 'published',
      public_jwk: JSON.stringify(publicJwk),
      sealed_private_key: sealed,
    })
    .returning('published_at')
    .executeTakeFirstOrThrow()
  await recordChange(tx, by, { action: 'key.published', subject: kid })
  return { kid, readyAt: new Date(published_at.getTime() + KEY_LEAD_SECONDS * 1000) }
}

export type KeyActivation =
  /** `retired` is the key that signed until now. */
  | { readonly kind: 'activated'; readonly retired: string | undefined }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'not_published'; readonly stage: KeyStage }
  | { readonly kind: 'too_early'; readonly readyAt: Date }
  /** It was sealed with another secret: with it active, no code could be exchanged any more. */
  | { readonly kind: 'does_not_open' }

/**
 * Lets a published key sign, and retires the one that signed before. Refused while a cached key set
 * may still lack it, unless forced.
 *
 * @see OpenID Connect Core 1.0 §10.1.1
 */
export async function activateKey(
  tx: SchoolTx,
  keyring: Keyring,
  kid: string,
  options: { readonly force: boolean },
  by: AuditedActor,
): Promise<KeyActivation> {
  const keys = await selectKeys(tx, sql`for update`)
  const key = keys.find((candidate) => candidate.kid === kid)
  if (key === undefined) return { kind: 'unknown' }
  if (key.stage !== 'published') return { kind: 'not_published', stage: key.stage }
  if (!key.ready && !options.force) return { kind: 'too_early', readyAt: key.readyAt }
  if (!(await opens(tx, keyring, kid))) return { kind: 'does_not_open' }
  const retired = keys.find((candidate) => candidate.stage === 'active')?.kid
  if (retired !== undefined) await retire(tx, retired, by)
  await tx
    .update('signing_keys')
    .set({ stage: 'active', activated_at: sql<Date>`now()` })
    .where('kid', '=', kid)
    .execute()
  const detail = key.ready ? {} : { forced: true }
  await recordChange(tx, by, { action: 'key.activated', subject: kid, detail })
  return { kind: 'activated', retired }
}

async function opens(tx: SchoolTx, keyring: Keyring, kid: string): Promise<boolean> {
  const row = await tx
    .from('signing_keys')
    .select('sealed_private_key')
    .where('kid', '=', kid)
    .executeTakeFirstOrThrow()
  const key = keyring.key(SIGNING_KEY_PURPOSE)
  return unseal(key, row.sealed_private_key, tx.schoolId) !== undefined
}

export type KeyRetirement =
  | { readonly kind: 'retired' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'already_retired' }
  /** Without an active key the school's ID tokens stop. */
  | { readonly kind: 'signs' }

/** Takes a key out of use. It stays in the JWKS for a day, for tokens that it signed. */
export async function retireKey(
  tx: SchoolTx,
  kid: string,
  options: { readonly force: boolean },
  by: AuditedActor,
): Promise<KeyRetirement> {
  const keys = await selectKeys(tx, sql`for update`)
  const key = keys.find((candidate) => candidate.kid === kid)
  if (key === undefined) return { kind: 'unknown' }
  if (key.stage === 'retired') return { kind: 'already_retired' }
  if (key.stage === 'active' && !options.force) return { kind: 'signs' }
  await retire(tx, kid, by)
  return { kind: 'retired' }
}

async function retire(tx: SchoolTx, kid: string, by: AuditedActor): Promise<void> {
  await tx
    .update('signing_keys')
    .set({ stage: 'retired', retired_at: sql<Date>`now()` })
    .where('kid', '=', kid)
    .execute()
  await recordChange(tx, by, { action: 'key.retired', subject: kid })
}
