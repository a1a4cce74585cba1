import { sql } from 'kysely'
import { mayHoldInSql } from '../actor/actor.ts'
import { CLIENT_IS_ON } from '../clients/client.ts'
import type { RightToGoOn } from '../jobs/lease.ts'
import { isNotEnded } from './authorizations.ts'

/**
 * The person who started the job still runs the school and is signed in, unless it is about
 * themselves, and the app through which they did still has access.
 */
export const mayGoOn: RightToGoOn = (roles = [], lock = sql``) => sql`(
  (j.user_id is null or j.of_member or (
    exists (select from users u where u.id = j.user_id and u.deleted_at is null ${lock})
    and (j.session_id is null or exists (select from browser_sessions b where b.id = j.session_id ${lock}))
    and exists (
      select from school_members m
      where m.school_id = j.school_id and m.user_id = j.user_id
        and ${mayHoldInSql(sql`'operator'`, sql`m.roles`)} and m.roles @> ${roles}::text[] ${lock})))
  and (j.authorization_id is null or exists (
    select from clients c join authorizations a on a.school_id = c.school_id and a.client_id = c.client_id
      join token_pairs p on p.authorization_id = a.id
    where a.id = j.authorization_id and ${isNotEnded('a', 'c')} and ${CLIENT_IS_ON}
      and p.revoked_at is null and p.refresh_expires_at > now() ${lock})))`
