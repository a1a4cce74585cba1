/**
 * How long vi.waitFor waits: its default of one second is too short on a busy machine. It looks
 * often, because a test does nothing else meanwhile.
 */
export const eventually = { timeout: 60_000, interval: 10 }
