import { sql } from 'kysely'

/** The enrollment `e` gives access now: it is not revoked, and it has no end or a later one. */
export const IS_ACTIVE = sql<boolean>`
  e.revoked_at is null and (e.expires_at is null or e.expires_at > now())`
