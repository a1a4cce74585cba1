/**
 * All contenders; each except ours is the file of that name in this folder. A name with a plus is
 * the same server with other settings or requests.
 */
export const CONTENDER_TITLES = {
  floor: 'floor',
  'floor+pipelined': 'floor, statements pipelined',
  'floor+http': 'node:http alone',
  'floor-workers': 'floor, two processes',
  ours: 'Schoolgate',
  'ours-workers': 'Schoolgate, WORKERS=2',
  baseline: 'Schoolgate, the other build',
  'ours-logging': 'Schoolgate, logging every request',
  'oidc-provider-memory': 'oidc-provider, in memory',
  'oidc-provider-postgres': 'oidc-provider, PostgreSQL',
  'oidc-provider-memory+openid': 'oidc-provider, in memory, with openid',
  'oidc-provider-postgres+openid': 'oidc-provider, PostgreSQL, with openid',
  'better-auth': 'better-auth, PostgreSQL',
  doorkeeper: 'Doorkeeper on Rails, PostgreSQL',
  glewlwyd: 'glewlwyd, PostgreSQL',
  yoga: 'GraphQL Yoga, SQL of the floor',
  mercurius: 'Mercurius, SQL of the floor',
} as const

export type ContenderName = keyof typeof CONTENDER_TITLES
