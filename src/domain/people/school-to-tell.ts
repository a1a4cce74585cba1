import { type RawBuilder, sql } from 'kysely'

/**
 * The school whose mail tells a person about their account, and whose audit has the entry. A school
 * sends no mail to people without a role there (`mails/`), and everyone can sign in at any
 * school: a thief would choose one where no mail is sent, or a school of their own, whose mail
 * leads to their own page. So it is the school where the person has signed in for longest. A role
 * that a school gave by itself proves nothing: such a school must not learn what happens to the
 * account elsewhere, nor that there is one. Only what is done at its own origin (`here`) it may be
 * told.
 */
export function schoolToTell(
  userId: RawBuilder<unknown>,
  here?: string,
): RawBuilder<string | null> {
  return firstOf(userId, openFirst('m', 's'), here)
}

/** The school whose clocks are those of the person: the suspended one comes first here, too. */
export function firstSchoolOf(userId: RawBuilder<unknown>): RawBuilder<string | null> {
  return firstOf(userId, sql`null::int`)
}

/**
 * Whether a school `s` with the member `m` is second choice: it is suspended, so its mails wait, or
 * the person signed in there only after their first school was suspended. The latter may be the
 * school of a thief.
 */
export function openFirst(member: string, school: string): RawBuilder<number> {
  return sql`(case when ${sql.ref(`${school}.suspended_at`)} is null and ${sql.ref(`${member}.signed_in_at`)} < coalesce((
    select min(closed.suspended_at) from school_members own join schools closed on closed.id = own.school_id
    where own.user_id = ${sql.ref(`${member}.user_id`)} and own.roles <> '{}' and own.signed_in_at is not null
      and closed.deleted_at is null), 'infinity') then 0 else 1 end)`
}

function firstOf(
  userId: RawBuilder<unknown>,
  choice: RawBuilder<number>,
  here?: string,
): RawBuilder<string | null> {
  return sql`(
    select m.school_id from school_members m join schools s on s.id = m.school_id and s.deleted_at is null
    where m.user_id = ${userId} and m.roles <> '{}'
      and (m.signed_in_at is not null or m.school_id = ${here ?? null}::uuid)
    order by ${choice}, m.signed_in_at, m.school_id
    limit 1)`
}
