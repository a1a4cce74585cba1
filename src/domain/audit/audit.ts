import { type RawBuilder, sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'

/** Everything an operator can read back; the detail never holds a token, code, secret or password. */
export interface AuditEntry {
  readonly action: AuditAction
  /** `ok`, or the error code of a refusal. */
  readonly outcome: string
  readonly actorUserId?: string | undefined
  readonly clientId?: string | undefined
  readonly authorizationId?: string | undefined
  /** What it was done to, where that is neither of the above. */
  readonly subject?: string | undefined
  readonly detail?: Readonly<Record<string, unknown>>
  readonly requestId?: string | undefined
}

/** Everything that is ever written down, in the order in which it is offered as a filter. */
export const AUDIT_ACTIONS = [
  'authorization.granted',
  'authorization.denied',
  'authorization.ended',
  'authorization.refused',
  'token.issued',
  'token.refreshed',
  'token.refused',
  'token.revoked',
  'token.replayed',
  'code.replayed',
  'client.created',
  'client.changed',
  'client.secret_rotated',
  'client.deleted',
  'client.reviewed',
  'client.disabled',
  'key.published',
  'key.activated',
  'key.retired',
  'school.created',
  'school.changed',
  'member.roles_changed',
  'person.created',
  'person.deleted',
  'person.password_changed',
  'operation.done',
] as const

export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** Most of all entries; the index by action leaves them out. */
export const COMMON_ACTIONS = ['token.issued', 'token.refreshed'] as const satisfies AuditAction[]

export async function record(at: SchoolDb, entry: AuditEntry): Promise<void> {
  await at.insert('audit_entries', auditRow(entry)).execute()
}

/** The same that happened to many at once is one entry, which names them all: nobody reads thousands. */
export function ofAll(entry: AuditEntry, subjects: readonly string[]): AuditEntry {
  return subjects.length === 1
    ? { ...entry, subject: subjects[0] }
    : { ...entry, detail: { ...entry.detail, subjects } }
}

/** Crosses schools: for what happens to the installation or to a person, not at one school. */
export async function recordForInstallation(db: Db, entry: AuditEntry): Promise<void> {
  await db.insertInto('audit_entries').values(auditRow(entry)).execute()
}

/** What the statement around an entry knows and its author does not. */
interface KnownToStatement {
  readonly authorizationId?: RawBuilder<unknown>
}

/**
 * The INSERT as a fragment for hot statements that must not cost a second round trip:
 * `with …, audited as (${auditInsert(…)}) select …`. `when` decides whether the row is written, and
 * `known` names subqueries for what only the statement itself can tell.
 */
export function auditInsert(
  schoolId: string,
  entry: AuditEntry,
  when: RawBuilder<unknown>,
  known: KnownToStatement = {},
) {
  const row = auditRow(entry)
  return sql`
    insert into audit_entries
      (id, school_id, action, outcome, actor_user_id, client_id, authorization_id, subject, detail, request_id)
    select ${row.id}, ${schoolId}, ${row.action}, ${row.outcome}, ${row.actor_user_id},
      ${row.client_id}, ${known.authorizationId ?? row.authorization_id}, ${row.subject},
      ${row.detail}::jsonb, ${row.request_id}
    where ${when}`
}

/** An entry whose parts are placeholders and columns of the prepared statement around it. */
interface EntryOfGaps {
  readonly id: RawBuilder<unknown>
  readonly schoolId: RawBuilder<unknown>
  readonly action: AuditAction
  readonly actorUserId: RawBuilder<unknown>
  readonly clientId: RawBuilder<unknown>
  readonly authorizationId: RawBuilder<unknown>
  readonly detail?: Readonly<Record<string, string>>
  readonly requestId: RawBuilder<unknown>
}

/**
 * `auditInsert` of something that went well, for statements that are put together once. An entry is
 * written for every row of `from`, which `actorUserId` and `authorizationId` may name columns of.
 */
export function preparedAuditInsert(entry: EntryOfGaps, from: RawBuilder<unknown>) {
  return sql`
    insert into audit_entries
      (id, school_id, action, outcome, actor_user_id, client_id, authorization_id, detail, request_id)
    select ${entry.id}, ${entry.schoolId}, ${sql.lit(entry.action)}, 'ok', ${entry.actorUserId},
      ${entry.clientId}, ${entry.authorizationId}, ${sql.lit(JSON.stringify(entry.detail ?? {}))}::jsonb,
      ${entry.requestId}
    from ${from}`
}

function auditRow(entry: AuditEntry) {
  return {
    id: uuidv7(),
    action: entry.action,
    outcome: entry.outcome,
    actor_user_id: entry.actorUserId ?? null,
    client_id: entry.clientId ?? null,
    authorization_id: entry.authorizationId ?? null,
    subject: entry.subject?.slice(0, 2000) ?? null,
    detail: JSON.stringify(entry.detail ?? {}),
    request_id: entry.requestId ?? null,
  }
}
