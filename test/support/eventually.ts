/** How long to wait for something that must happen: on a busy machine the usual second is too short. */
export const eventually = { timeout: 30_000 }
