import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { type Actor, ROLES } from '../actor/actor.ts'
import { shownPeople } from '../actor/shown-person.ts'
import { count, email, id, text, utc, version } from '../operation/fields.ts'
import type { Resource } from '../operation/resource.ts'

/** The enrollment `e` is on the member's list: it was not revoked. It may have ended. */
export const IS_LISTED = sql<boolean>`e.revoked_at is null`

/** The enrollment `e` gives access now: it is not revoked, and it has no end or a later one. */
export const IS_ACTIVE = sql<boolean>`
  ${IS_LISTED} and (e.expires_at is null or e.expires_at > now())`

/** Fields of the person's account: a school shows them, and only the person changes them. */
const person = {
  name: text(1, 200).meta({
    description: 'As the school typed it, until the person has signed in here.',
  }),
  email: email.meta({
    description:
      'Only the person can change it. A new address is shown after they have signed in here.',
  }),
  picture_url: z.string().nullable().meta({
    description: 'Null until the person has signed in here.',
  }),
}

/** How far the person has come. The same for an account that existed and for a new one. */
const arrival = {
  invited_at: utc.nullable().meta({ description: 'When the school last invited the person.' }),
  invitation_opened_at: utc.nullable().meta({
    description: 'When the link of an invitation was opened; mail programs may do that too.',
  }),
  first_signed_in_at: utc.nullable().meta({
    description: 'When the person first signed in at this school.',
  }),
}

const membership = { joined_at: utc, updated_at: utc, version }
const roles = z.array(z.enum(ROLES))

export const memberSchema = z
  .strictObject({ object: z.literal('member'), id, ...person, roles, ...arrival, ...membership })
  .meta({ id: 'Member' })

/**
 * The answer to a write: only data of the school, because data of the account would show whether it
 * is new.
 */
export const writtenMemberSchema = z
  .strictObject({ object: z.literal('member'), id, roles, ...membership })
  .meta({ id: 'WrittenMember' })

export const studentSchema = z
  .strictObject({
    object: z.literal('student'),
    id,
    ...person,
    active_enrollment_count: count,
    ...arrival,
    ...membership,
  })
  .meta({ id: 'Student' })

export const writtenStudentSchema = z
  .strictObject({ object: z.literal('student'), id, ...membership })
  .meta({ id: 'WrittenStudent' })

const IS_STUDENT = sql`'student' = any(m.roles)`

function peopleRows(
  db: SchoolDb,
  columns: RawBuilder<unknown>,
  who: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    select m.id, ${columns} m.joined_at, m.updated_at, m.version
    from ${shownPeople(db)} m
    where m.deleted_at is null and m.roles <> '{}' and ${who}`
}

function personColumns(caller: Pick<Actor, 'origin'>): RawBuilder<unknown> {
  return sql`m.name, m.email,
    case when m.avatar_url like '/%' then ${caller.origin}::text || m.avatar_url else m.avatar_url end as picture_url,
    m.invited_at, m.invitation_opened_at, m.signed_in_at as first_signed_in_at,`
}

const ALL_MEMBERS = sql`true`

export const members: Resource<typeof memberSchema> = {
  object: 'member',
  restPath: '/members/{id}',
  schema: memberSchema,
  rows: (db, caller) => peopleRows(db, sql`${personColumns(caller)} m.roles,`, ALL_MEMBERS),
}

export const writtenMembers: Resource<typeof writtenMemberSchema> = {
  object: 'member',
  restPath: members.restPath,
  schema: writtenMemberSchema,
  // A member without roles has left. The answer to the write that removed the roles still shows
  // them.
  rows: (db) => sql`
    select m.id, m.roles, m.joined_at, m.updated_at, m.version
    from ${shownPeople(db)} m
    where m.deleted_at is null`,
}

const enrolledAt = (db: SchoolDb) => sql`
  (select count(*) from enrollments e
   where e.school_id = ${db.schoolId} and e.user_id = m.id and ${IS_ACTIVE}) as active_enrollment_count,`

export const students: Resource<typeof studentSchema> = {
  object: 'student',
  restPath: '/students/{id}',
  schema: studentSchema,
  rows: (db, caller) => peopleRows(db, sql`${personColumns(caller)} ${enrolledAt(db)}`, IS_STUDENT),
}

export const writtenStudents: Resource<typeof writtenStudentSchema> = {
  object: 'student',
  restPath: students.restPath,
  schema: writtenStudentSchema,
  rows: (db) => peopleRows(db, sql``, IS_STUDENT),
}
