/** Factor for the length of the random tests: `GRANT_SOAK=50 npm run model:long`. */
export const effort = Math.max(1, Number(process.env.GRANT_SOAK ?? 1))

/**
 * The usual run has the seed of all tests; a longer run uses a new seed and prints it if a test
 * fails.
 */
export const seed = effort === 1 ? {} : { seed: Date.now() }

/** Ends a test that hangs: the usual run takes seconds, or a minute on a busy machine. */
export const timeout = effort * 300_000
