import { sql } from 'kysely'

/**
 * Whether the account `u` has never had anything to sign in with, at any school. Only then may a school that gave a role by
 * itself send a link that sets a password: it can take over nothing. A password that was removed counts as one.
 */
export const HAD_NO_CREDENTIAL = sql<boolean>`(u.password_hash is null and u.password_changed_at is null
  and not exists (select from passkeys p where p.user_id = u.id))`
