import type { Transaction } from 'kysely'
import type { DB } from '../../foundation/db/schema.generated.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { Role } from '../actor/actor.ts'

/** A person with an account from before, as in the demo world. */
export interface KnownPerson {
  readonly id: string
  readonly email: string
  readonly name: string
  /** A path without an origin: every origin serves it. */
  readonly picture: string
  readonly since: Date
  readonly passwordHash?: string | undefined
}

/** Crosses schools: creates the accounts of an empty installation. */
export async function addKnownPeople(
  tx: Transaction<DB>,
  people: readonly KnownPerson[],
): Promise<void> {
  const rows = people.map(({ id, email, name, picture, since, passwordHash }) => ({
    id,
    email,
    name,
    avatar_url: picture,
    created_at: since,
    password_hash: passwordHash ?? null,
    password_changed_at: passwordHash === undefined ? null : since,
  }))
  await tx.insertInto('users').values(rows).execute()
}

export interface KnownMember {
  readonly userId: string
  readonly roles: readonly Role[]
  readonly joinedAt: Date
  /** They count as having signed in then, so that they are shown by their own names. */
  readonly signedInAt: Date
}

export async function addKnownMembers(
  tx: SchoolTx,
  members: readonly KnownMember[],
): Promise<void> {
  const rows = members.map(({ userId, roles, joinedAt, signedInAt }) => ({
    user_id: userId,
    roles: [...roles],
    joined_at: joinedAt,
    signed_in_at: signedInAt,
  }))
  await tx.insert('school_members', rows).execute()
}
