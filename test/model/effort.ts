/** How many times longer than usual the random tests run: `GRANT_SOAK=50 npm run soak`. */
export const effort = Math.max(1, Number(process.env.GRANT_SOAK ?? 1))

/** The usual run tells the same stories every time; a longer run tells new ones and prints its seed. */
export const seed = effort === 1 ? { seed: 6749 } : {}

/** Ends a test that hangs: the usual run takes seconds, on a busy machine a minute. */
export const timeout = effort * 300_000
