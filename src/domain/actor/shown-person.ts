import { type RawBuilder, sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'

/** The name of a member who was forgotten. */
export const FORMER_MEMBER = 'Former member'

/**
 * People as their school may see them: `id`, `name`, `email`, `avatar_url`, and all columns of the
 * membership. The one way to read a person's name or picture for a school. Until the person has
 * signed in there, it sees the name and the email that it typed and no picture: adding a known
 * email must not show whose it is, nor that the account existed.
 *
 * A member who asked to be forgotten is a row without name, email and picture.
 *
 * Pages for members and visitors show `public_name`, which is null while the school knows only an
 * email: `name` has that email then.
 *
 * A join without the school's id would be another school's view, so this is a subquery with the id
 * inside; PostgreSQL plans it like a join.
 */
export function shownPeople(db: Pick<SchoolDb, 'schoolId'>): RawBuilder<unknown> {
  return sql`(
    select m.user_id as id, m.roles, m.joined_at, m.updated_at, m.version, u.deleted_at,
      m.signed_in_at, m.invited_at, m.invitation_opened_at,
      case when m.signed_in_at is null then coalesce(m.typed_email, u.email) else u.email end as email,
      coalesce(case when m.signed_in_at is null
                    then coalesce(m.typed_name, left(coalesce(m.typed_email, u.email), 200), u.name)
                    else u.name end, ${sql.lit(FORMER_MEMBER)}) as name,
      case when m.signed_in_at is null then m.typed_name else u.name end as public_name,
      case when m.signed_in_at is not null then u.avatar_url end as avatar_url
    from school_members m left join users u on u.id = m.user_id and m.forgotten_at is null
    where m.school_id = ${db.schoolId})`
}

/**
 * Members `r` whom the school knows by this email. An index answers each branch; a condition on
 * `r.email` has none.
 */
export function knownByEmail(email: string, db: Pick<SchoolDb, 'schoolId'>): RawBuilder<unknown> {
  return sql`lower(r.email) = lower(${email}) and r.id in (
    select u.id from users u where lower(u.email) = lower(${email})
    union all
    select m.user_id from school_members m
    where m.school_id = ${db.schoolId} and m.typed_email is not null and lower(m.typed_email) = lower(${email}))`
}
