import { type RawBuilder, sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'

/** Operators can read every entry, so the detail never contains a token, code, secret or password. */
export interface AuditEntry {
  readonly action: AuditAction
  /** `ok`, or the error code of a refusal. */
  readonly outcome: string
  readonly actorUserId?: string | undefined
  readonly clientId?: string | undefined
  readonly authorizationId?: string | undefined
  /** The object of the action, if it is neither of the above. */
  readonly subject?: string | undefined
  readonly detail?: Readonly<Record<string, unknown>>
  readonly requestId?: string | undefined
}

/** All actions, in the order of the filter in the admin area. */
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
  'client.secret_ended',
  'client.deleted',
  'client.reviewed',
  'client.disabled',
  'key.published',
  'key.activated',
  'key.retired',
  'school.created',
  'school.changed',
  'school.deleted',
  'member.roles_changed',
  'member.invited',
  'member.name_corrected',
  'session.new_browser',
  'session.ended',
  'person.created',
  'person.deletion_requested',
  'person.deletion_cancelled',
  'person.signed_up',
  'person.deleted',
  'person.password_changed',
  'person.everything_ended',
  'person.profile_changed',
  'passkey.added',
  'passkey.renamed',
  'passkey.removed',
  'passkey.cloned',
  'factor.added',
  'factor.removed',
  'factor.codes_renewed',
  'factor.removal_requested',
  'factor.removal_cancelled',
  'factor.used_recovery_code',
  'person.email_changed',
  'person.email_change_undone',
  'operation.done',
] as const

export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** The actions of most entries; the index by action leaves them out. */
export const COMMON_ACTIONS = ['token.issued', 'token.refreshed'] as const satisfies AuditAction[]

/** States what the index by action leaves out, so that PostgreSQL can use it. */
export function isNotCommon(action: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`${action} not in (${sql.join(COMMON_ACTIONS.map((word) => sql.lit(word)))})`
}

/** Returns the id of the entry. */
export async function record(at: SchoolDb, entry: AuditEntry): Promise<string> {
  const row = auditRow(entry)
  await at.insert('audit_entries', row).execute()
  return row.id
}

/** One entry for many subjects, with all their ids: an operator would not read thousands of entries. */
export function withSubjects(entry: AuditEntry, subjects: readonly string[]): AuditEntry {
  return subjects.length === 1
    ? { ...entry, subject: subjects[0] }
    : { ...entry, detail: { ...entry.detail, subjects } }
}

/** Crosses schools: an entry about the installation or a person, not about one school. */
export async function recordForInstallation(db: Db, entry: AuditEntry): Promise<void> {
  await db.insertInto('audit_entries').values(auditRow(entry)).execute()
}

/** Crosses schools: entries of several schools, in one statement. */
export async function recordAtSchools(
  db: Db,
  entries: readonly (AuditEntry & { readonly schoolId: string })[],
): Promise<void> {
  if (entries.length === 0) return
  const rows = entries.map((entry) => ({ ...auditRow(entry), school_id: entry.schoolId }))
  await db.insertInto('audit_entries').values(rows).execute()
}

/**
 * An entry of the installation about people whose account an addition made. It is sent for known accounts too, and then writes nothing: one
 * statement less would show that the account existed.
 */
export async function recordCreated(
  db: Db,
  entry: AuditEntry,
  subjects: readonly string[],
): Promise<void> {
  const row = auditRow(withSubjects(entry, subjects))
  await sql`
    insert into audit_entries (id, action, outcome, actor_user_id, subject, detail, request_id)
    select ${row.id}, ${row.action}, ${row.outcome}, ${row.actor_user_id}::uuid, ${row.subject}::text,
      ${row.detail}::jsonb, ${row.request_id}::text
    where ${subjects.length > 0}::boolean`.execute(db)
}

/** A value, or SQL that stands for it: a placeholder, a column or a literal. */
type Part<T> = T | RawBuilder<unknown>

/** An entry as part of a statement. */
interface InsertedEntry {
  readonly id?: Part<string>
  readonly schoolId: Part<string>
  readonly action: AuditAction
  /** `ok` if it is left out. */
  readonly outcome?: string
  readonly actorUserId?: Part<string | undefined>
  readonly clientId?: Part<string | undefined>
  readonly authorizationId?: Part<string | undefined>
  /** As JSON. */
  readonly detail?: Part<string>
  readonly requestId?: Part<string | undefined>
}

/**
 * The INSERT as a fragment, for an entry that must not cost a second round trip:
 * `with …, audited as (${auditInsert(…, sql`from old`)}) select …`. `source` is the rest of the SELECT:
 * an entry is written for each row of a FROM, or if a WHERE holds.
 */
export function auditInsert(entry: InsertedEntry, source: RawBuilder<unknown>) {
  return sql`
    insert into audit_entries
      (id, school_id, action, outcome, actor_user_id, client_id, authorization_id, detail, request_id)
    select ${entry.id ?? uuidv7()}, ${entry.schoolId}, ${sql.lit(entry.action)}, ${entry.outcome ?? sql.lit('ok')},
      ${entry.actorUserId ?? NULL}, ${entry.clientId ?? NULL}, ${entry.authorizationId ?? NULL},
      ${entry.detail ?? sql.lit('{}')}::jsonb, ${entry.requestId ?? NULL}
    ${source}`
}

const NULL = sql.lit(null)

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
