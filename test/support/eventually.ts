/** How long vi.waitFor waits: its default of one second is too short on a busy machine. */
export const eventually = { timeout: 30_000 }
