import { type RawBuilder, sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { Sweep } from '../../foundation/db/sweep.ts'
import type { AuditedActor } from '../actor/actor.ts'

/**
 * Operators can read every entry, so the detail never contains a token, code, secret or password.
 */
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
  'school.suspended',
  'school.resumed',
  'member.roles_changed',
  'member.invited',
  'member.name_corrected',
  'session.new_browser',
  'session.ended',
  'session.calendar_made',
  'session.calendar_ended',
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
export async function record(db: SchoolDb, entry: AuditEntry): Promise<string> {
  const row = auditRow(entry)
  await db.insert('audit_entries', row).execute()
  return row.id
}

/**
 * One entry for many subjects, with all their ids: an operator would not read thousands of entries.
 */
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
 * An entry of the installation about people whose account an addition made. It is sent for known
 * accounts too, and then writes nothing: one statement less would show that the account existed.
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
 * `with …, audited as (${auditInsert(…, sql`from old`)}) select …`. `source` is the rest of the
 * SELECT: an entry is written for each row of a FROM, or if a WHERE holds.
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

/**
 * Crosses schools: deletes entries past their retention, oldest first by primary key, and stops at
 * the first batch with an entry to keep. A trigger of the table refuses deletions by any other
 * transaction.
 */
export function auditSweep(retentionDays: number): Sweep {
  return {
    name: 'audit_entries',
    async step(db, { size }) {
      const removed = await db.transaction().execute(async (tx) => {
        await sql`set local schoolgate.purging = 'on'`.execute(tx)
        const { rows } = await sql<{ removed: number }>`
          with page as materialized (
            select id, at from audit_entries order by id limit ${sql.lit(size)} for update skip locked),
          gone as (
            delete from audit_entries where id in (
              select id from page where at < now() - make_interval(days => ${retentionDays}))
            returning 1)
          select count(*)::int as removed from gone`.execute(tx)
        return rows[0]?.removed ?? 0
      })
      return { removed, last: undefined, isDone: removed < size }
    },
  }
}

/** The audit entry of a change without its actor, which is added when the entry is written. */
export type AuditedChange = Pick<AuditEntry, 'action' | 'clientId' | 'subject' | 'detail'>

/** The entry of a change; it is written in the transaction of the change. */
export function changeEntry(by: AuditedActor, change: AuditedChange): AuditEntry {
  return {
    ...change,
    outcome: 'ok',
    actorUserId: by.userId,
    requestId: by.requestId,
    detail: { ...change.detail, via: by.via },
  }
}

export async function recordChange(
  db: SchoolDb,
  by: AuditedActor,
  change: AuditedChange,
): Promise<void> {
  await record(db, changeEntry(by, change))
}

type Members = Readonly<Record<string, unknown>>

/** What changed in an object, for the audit log. */
export interface ChangedMembers {
  /** The value before and the value after, by the name of the member. */
  readonly changed?: Readonly<Record<string, readonly [unknown, unknown]>>
  /** Members whose values are not kept. */
  readonly also_changed?: readonly string[]
  /** Of the amounts among them. */
  readonly currency?: string
}

/** Members that follow from others. */
const DERIVED = /^(object|version|updated_at)$|_count$/

/**
 * Texts that name a thing. Other texts may name people, whom the log must not remember after they
 * left.
 */
const NAMING =
  /^(title|slug|code|state|kind|currency|interval|refunding_state|roles)$|_(at|on|color)$/

/** The members that an object is called by. */
export const NAMES = ['title', 'code'] as const

const LONGEST_KEPT = 200

/** What an object was called, for the entry of its removal. */
export function nameForAudit(object: Members): string | undefined {
  const name = NAMES.map((member) => object[member]).find((value) => typeof value === 'string')
  return typeof name === 'string' ? name.slice(0, LONGEST_KEPT) : undefined
}

/**
 * `alsoKept` are names of texts, and of lists of texts, that say nothing about people at this kind
 * of object.
 */
export function whatChanged(
  before: Members,
  after: Members,
  alsoKept: readonly string[] = [],
): ChangedMembers {
  const isKept = (name: string, value: unknown): boolean => {
    if (typeof value !== 'string' && !Array.isArray(value)) return isPlain(value)
    if (!NAMING.test(name) && !alsoKept.includes(name)) return false
    const texts = [value].flat()
    return texts.every((text) => typeof text === 'string') && texts.join().length <= LONGEST_KEPT
  }
  const names = Object.keys(after).filter(
    (name) => !DERIVED.test(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  const kept = names.filter((name) => isKept(name, before[name]) && isKept(name, after[name]))
  const others = names.filter((name) => !kept.includes(name))
  const isMoney =
    kept.some((name) => name.endsWith('_amount')) && typeof after.currency === 'string'
  return {
    ...(kept.length > 0 && {
      changed: Object.fromEntries(
        kept.map((name) => [name, [before[name] ?? null, after[name] ?? null] as const]),
      ),
    }),
    ...(others.length > 0 && { also_changed: others }),
    ...(isMoney && { currency: after.currency as string }),
  }
}

function isPlain(value: unknown): boolean {
  return value === null || value === undefined || ['number', 'boolean'].includes(typeof value)
}
