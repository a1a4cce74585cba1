import { sql } from 'kysely'

/** The enrollment `e` is on the member's list: it was not revoked. It may have ended. */
export const IS_LISTED = sql<boolean>`e.revoked_at is null`

/** The enrollment `e` gives access now: it is not revoked, and it has no end or a later one. */
export const IS_ACTIVE = sql<boolean>`
  ${IS_LISTED} and (e.expires_at is null or e.expires_at > now())`
