/** How many times longer than usual the random tests run: `GRANT_SOAK=50 npm run soak`. */
export const effort = Math.max(1, Number(process.env.GRANT_SOAK ?? 1))

/** A minute for the usual run, which takes seconds, and as much again for each further round. */
export const timeout = effort * 60_000
