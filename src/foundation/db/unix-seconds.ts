/** The first second of PostgreSQL's timestamps: 4714-11-24T00:00:00Z BC. */
export const FIRST_SECOND = -210_866_803_200
/** The last one: 294276-12-31T23:59:59Z. */
export const LAST_SECOND = 9_224_318_015_999
