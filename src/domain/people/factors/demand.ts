import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import { conflict, OperationRefused } from '../../operation/refusal.ts'
import { unscopedWrite } from '../../operation/writing.ts'
import { demandFactorFrom } from '../../schools/write-school.ts'
import { isMultiFactor } from '../authentication-context.ts'
import type { NamedSchool } from '../mails/mail-words.ts'
import { type BrowserSession, isProvedByFactor } from '../sessions.ts'

/**
 * A school may demand that its owners and admins sign in with a passkey or a second factor, from a
 * time on.
 */
export interface FactorDemand {
  readonly operatorFactorFrom: Date | undefined
}

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Whether a session of an owner or admin is not enough for what it wants, by the clock of the
 * database.
 */
export function isFactorDue(
  { operatorFactorFrom: from }: FactorDemand,
  { methods, readAt }: BrowserSession,
): boolean {
  return from !== undefined && from <= readAt && !isMultiFactor(methods)
}

/** The days until then, at least 1; undefined if the session is enough, or nothing is demanded. */
export function daysToFactor(
  { operatorFactorFrom: from }: FactorDemand,
  { methods, readAt }: BrowserSession,
): number | undefined {
  if (from === undefined || from <= readAt || isMultiFactor(methods)) return undefined
  return Math.ceil((from.getTime() - readAt.getTime()) / DAY_MS)
}

/** What a person could sign in with at this school. */
export interface Means {
  readonly hasPassword: boolean
  readonly hasSecondFactor: boolean
  readonly hasPasskey: boolean
}

export async function findMeans(db: SchoolDb, userId: string): Promise<Means> {
  const { rows } = await db.run(sql<Means>`
    select exists (select from users where id = ${userId} and password_hash is not null) as "hasPassword",
      exists (select from authenticators where user_id = ${userId}) as "hasSecondFactor",
      exists (select from passkeys
              where school_id = ${db.schoolId} and user_id = ${userId} and cloned_at is null) as "hasPasskey"`)
  return rows[0] ?? { hasPassword: false, hasSecondFactor: false, hasPasskey: false }
}

/*
 * A person who has a passkey or an authenticator app at any school proves one of them before the
 * email address changes, the account is deleted, or another way to sign in is added or removed. A
 * thief of the password, or of the mailbox that sets a new one, could otherwise add a factor of
 * their own and take the account. A person who has lost it waits (`lost-factors.ts`).
 */

/**
 * Where the person can prove a factor: here, or at the schools that have a passkey, because a
 * passkey works at one school.
 */
export interface FactorPlaces {
  readonly isHere: boolean
  readonly elsewhere: readonly (NamedSchool & { readonly id: string })[]
}

/**
 * Crosses schools. Undefined if the session has proved a factor, or the person has none. A passkey
 * that was added here since the last proof does not count, so that a first sign-in can add several.
 */
export async function findFactorPlaces(
  db: SchoolDb,
  session: BrowserSession,
): Promise<FactorPlaces | undefined> {
  if (isProvedByFactor(session)) return undefined
  const { rows } = await db.run(sql<NamedSchool & { id: string }>`
    select s.id, s.name, s.origin
    from (
      select ${db.schoolId}::uuid as school_id, created_at from authenticators where user_id = ${session.person.id}
      union all
      select school_id, created_at from passkeys
      where user_id = ${session.person.id} and cloned_at is null
        and (school_id <> ${db.schoolId} or created_at < ${session.authenticatedAt})
    ) f join schools s on s.id = f.school_id and s.deleted_at is null
    group by s.id order by min(f.created_at)`)
  if (rows.length === 0) return undefined
  const elsewhere = rows.filter(({ id }) => id !== db.schoolId)
  return { isHere: elsewhere.length < rows.length, elsewhere }
}

export const MOST_GRACE_DAYS = 30

const graceDays = z
  .int('Write whole days.')
  .min(0, 'Write 0 to 30 days.')
  .max(MOST_GRACE_DAYS, 'Write 0 to 30 days.')

/**
 * Only for owners, and only for one who can meet the demand: an owner does not lock themselves out.
 */
export const demandFactor = unscopedWrite({
  name: 'settings.demand_factor',
  title: 'Demand a passkey or a second factor of owners and admins',
  summary:
    'After the days of grace, owners and admins reach the admin area and authorize operator apps only if they sign in with a passkey or a second factor.',
  needsProof: () => true,
  kind: 'change',
  changesSchool: true,
  input: z.strictObject({ demanded: z.boolean(), grace_days: graceDays.default(14) }),
  output: z.strictObject({ from: z.iso.datetime().nullable() }),
  run: async (tx, actor, { demanded, grace_days }) => {
    if (!actor.roles.includes('owner')) {
      const detail = 'Only an owner decides what owners and admins sign in with.'
      throw new OperationRefused({ kind: 'forbidden', code: 'owners_only', detail })
    }
    if (demanded && actor.userId !== undefined) {
      const { hasSecondFactor, hasPasskey } = await findMeans(tx, actor.userId)
      if (!hasSecondFactor && !hasPasskey) {
        throw conflict('factor_missing', 'Set up a passkey or a second factor for yourself first.')
      }
    }
    return { from: await demandFactorFrom(tx, actor, demanded ? grace_days : undefined) }
  },
  audit: () => [],
})
