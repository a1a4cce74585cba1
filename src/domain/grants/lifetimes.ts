/** Lifetimes. They are compared with the time of the database, so that all processes agree. */
export const CODE_SECONDS = 5 * 60
export const ACCESS_TOKEN_SECONDS = 2 * 60 * 60
export const REFRESH_TOKEN_IDLE_DAYS = 90
export const ID_TOKEN_SECONDS = 10 * 60
/** A pending authorization: how long sign-in and consent may take. */
export const PENDING_AUTHORIZATION_SECONDS = 30 * 60
