import { sql } from 'kysely'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import { isMultiFactor } from '../authentication-context.ts'
import type { BrowserSession } from '../sessions.ts'

/** A school may demand that its owners and admins sign in with a passkey or a second factor, from a time on. */
export interface FactorDemand {
  readonly operatorFactorFrom: Date | undefined
}

const DAY_MS = 24 * 60 * 60 * 1000

/** Whether a session of an owner or admin is not enough for what it wants, by the clock of the database. */
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

export async function findMeans(at: SchoolDb, userId: string): Promise<Means> {
  const { rows } = await at.run(sql<Means>`
    select exists (select from users where id = ${userId} and password_hash is not null) as "hasPassword",
      exists (select from authenticators where user_id = ${userId}) as "hasSecondFactor",
      exists (select from passkeys
              where school_id = ${at.schoolId} and user_id = ${userId} and cloned_at is null) as "hasPasskey"`)
  return rows[0] ?? { hasPassword: false, hasSecondFactor: false, hasPasskey: false }
}
