/**
 * For what no scope covers: people do it in the admin area, and the command line by its import. Apps
 * cannot, so there is no reference that would want examples.
 */
export const WITHOUT_SCOPE = { scopes: [], examples: [] } as const
