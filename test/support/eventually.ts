/** How long to wait for what must happen: on a busy machine the usual second is nothing. */
export const eventually = { timeout: 30_000 }
