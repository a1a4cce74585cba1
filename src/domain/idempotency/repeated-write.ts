import { sql } from 'kysely'
import { sha256 } from '../../foundation/crypto/digest.ts'
import { clockOf, isSuspended } from '../../foundation/db/school-clock.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { oldestFirst, type Sweep } from '../../foundation/db/sweep.ts'

/**
 * Identifies a write by its Idempotency-Key. The same key of another authorization is another
 * write.
 */
export interface WriteName {
  readonly key: string
  readonly authorizationId: string
  readonly method: string
  readonly path: string
  /** Everything that the outcome depends on; it must be equal when the write is repeated. */
  readonly content: string
}

export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type RepeatedWrite =
  /** The write is new. A lock keeps other requests with this key out until the transaction ends. */
  | { readonly kind: 'first' }
  | { readonly kind: 'repeated'; readonly answer: StoredAnswer }
  /** The key was used for another write. */
  | { readonly kind: 'mismatch' }
  /** Another request is making the same write now. */
  | { readonly kind: 'in_progress' }

/**
 * Looks a write up before it is made, in the transaction that makes it. PostgreSQL releases the
 * lock when the transaction ends in any way, so that a client can repeat a write after a crash.
 */
export async function lookUpWrite(tx: SchoolTx, name: WriteName): Promise<RepeatedWrite> {
  const hash = keyHash(name)
  const { rows: locks } = await tx.run(sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${lockNumber(tx, hash)}::bigint) as locked`)
  if (locks[0]?.locked !== true) return { kind: 'in_progress' }
  const { rows } = await tx.run(sql<StoredAnswer & { fingerprint: Buffer }>`
    select fingerprint, status, headers, body from idempotent_answers
    where school_id = ${tx.schoolId} and key_hash = ${hash}
      and answered_at > now() - ${LIFETIME}::interval`)
  const [found] = rows
  if (found === undefined) return { kind: 'first' }
  if (!found.fingerprint.equals(sha256(name.content))) return { kind: 'mismatch' }
  const { status, headers, body } = found
  return { kind: 'repeated', answer: { status, headers, body } }
}

/** Stores the answer in the transaction of the write: both are committed or neither. */
export async function keepAnswer(
  tx: SchoolTx,
  name: WriteName,
  answer: StoredAnswer,
): Promise<void> {
  await tx.run(sql`
    insert into idempotent_answers (school_id, key_hash, fingerprint, status, headers, body)
    values (${tx.schoolId}, ${keyHash(name)}, ${sha256(name.content)}, ${answer.status},
      ${JSON.stringify(answer.headers)}::jsonb, ${answer.body})
    on conflict (school_id, key_hash) do update set fingerprint = excluded.fingerprint,
      status = excluded.status, headers = excluded.headers, body = excluded.body, answered_at = now()`)
}

const LIFETIME = '24 hours'

function keyHash({ authorizationId, method, path, key }: WriteName): Buffer {
  return sha256(JSON.stringify([authorizationId, method, path, key]))
}

function lockNumber(tx: SchoolTx, hash: Buffer): string {
  return sha256(`${tx.schoolId} ${hash.toString('hex')}`)
    .readBigInt64BE(0)
    .toString()
}

export const idempotencyClock = clockOf({ table: 'idempotent_answers', since: ['answered_at'] })

/** Crosses schools: answers older than their lifetime. */
export const idempotencySweep: Sweep = oldestFirst({
  table: 'idempotent_answers',
  key: ['school_id', 'key_hash'],
  order: 'answered_at',
  waiting: isSuspended(sql`t.school_id`),
  dead: sql`t.answered_at < now() - ${sql.lit(LIFETIME)}::interval`,
})
