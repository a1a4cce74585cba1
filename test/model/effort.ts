/** How many times longer than usual the random tests run: `GRANT_SOAK=50 npm run soak`. */
export const effort = Math.max(1, Number(process.env.GRANT_SOAK ?? 1))

/** Against a hang, nothing else: the usual run takes seconds, on a busy machine a minute. */
export const timeout = effort * 300_000
