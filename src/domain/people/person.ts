import { sql } from 'kysely'
import { randomId } from '../../foundation/crypto/random.ts'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'

/** One person, with one account for all schools. No school may change any of this. */
export interface Person {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly avatarUrl: string | undefined
}

interface PersonRow {
  id: string
  email: string | null
  name: string
  avatar_url: string | null
}

function personFromRow(row: PersonRow | undefined): Person | undefined {
  if (row === undefined || row.email === null) return undefined
  return { id: row.id, email: row.email, name: row.name, avatarUrl: row.avatar_url ?? undefined }
}

/** The picture as an absolute URL; a stored path exists at the origin of every school. */
export function pictureUrl(
  avatarUrl: string | null | undefined,
  origin: string,
): string | undefined {
  if (avatarUrl === null || avatarUrl === undefined) return undefined
  return avatarUrl.startsWith('/') ? origin + avatarUrl : avatarUrl
}

export async function findPersonByEmail(db: Db, email: string): Promise<Person | undefined> {
  return personFromRow(
    await db
      .selectFrom('users')
      .select(['id', 'email', 'name', 'avatar_url'])
      .where((eb) => eb(eb.fn('lower', ['email']), '=', normalEmail(email)))
      .executeTakeFirst(),
  )
}

/** For a person that the caller has just found. */
export async function loadPerson(db: Db, id: string): Promise<Person> {
  const row = await db
    .selectFrom('users')
    .select(['id', 'email', 'name', 'avatar_url'])
    .where('id', '=', id)
    .executeTakeFirst()
  const person = personFromRow(row)
  if (person === undefined) throw new Error('this person was deleted a moment ago')
  return person
}

/** How emails are compared: case and outer spaces do not matter. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** No stored email is longer. */
const LONGEST_EMAIL = 320

/**
 * An email that a stranger typed, as a value to compare. PostgreSQL rejects a NUL byte in text, and
 * no stored email has one or is longer: the text that results finds no account.
 */
export function typedEmail(typed: string): string {
  const email = normalEmail(typed).replaceAll('\0', '\ufffd')
  return email.length <= LONGEST_EMAIL ? email : ''
}

/**
 * The account with this email, created if there is none. An existing account keeps its name and
 * password, so that a school that adds a known email cannot change the account or learn about it:
 * the statements are the same in both cases.
 */
export async function findOrCreatePerson(
  db: Db,
  fresh: { email: string; name: string; passwordHash?: string },
): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const id = randomId()
  await db
    .insertInto('users')
    .values({
      id,
      email: normalEmail(fresh.email),
      name: fresh.name,
      ...(fresh.passwordHash === undefined
        ? {}
        : { password_hash: fresh.passwordHash, password_changed_at: new Date() }),
    })
    .onConflict((conflict) => conflict.expression(sql`lower(email)`).doNothing())
    .execute()
  const found = await findPersonByEmail(db, fresh.email)
  if (found === undefined) throw new Error('an account vanished while it was being added')
  return { id: found.id, isNew: found.id === id }
}

/**
 * Whether the account `u` has never had anything to sign in with, at any school. Only then may a
 * school that gave a role by itself send a link that sets a password: it can take over nothing. A
 * password that was removed counts as one.
 */
export const HAD_NO_CREDENTIAL = sql<boolean>`(u.password_hash is null and u.password_changed_at is null
  and not exists (select from passkeys p where p.user_id = u.id))`

/** From now on a consent of these people that began before gives no code (`issueCode`). */
export async function refuseEarlierConsentsOf(
  tx: SchoolTx,
  userIds: readonly string[],
): Promise<void> {
  await tx
    .update('school_members')
    .set({ codes_withdrawn_at: sql<Date>`now()` })
    .where('user_id', 'in', [...userIds])
    .execute()
}
