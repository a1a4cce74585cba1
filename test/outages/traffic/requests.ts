import type { Sent } from './caller.ts'
import { MEMBER_CLIENTS } from './clients.ts'
import type { LedgerPair } from './ledger.ts'

const bearer = (access: string) => ({ authorization: `Bearer ${access}` })

export const userinfo = (access: string): Sent => ({
  path: '/api/oauth/userinfo',
  headers: bearer(access),
})

const VIEWER = '{ viewer { id email enrolledCourses(first: 5) { nodes { id title } } } }'

export const viewer = (access: string): Sent => ({
  path: '/member/graphql',
  headers: { ...bearer(access), 'content-type': 'application/json' },
  body: JSON.stringify({ query: VIEWER }),
})

export const listCourses = (access: string): Sent => ({
  path: '/api/v1/courses?limit=5',
  headers: bearer(access),
})

export const exportCourses = (access: string): Sent => ({
  path: '/api/v1/courses/export?format=ndjson',
  headers: bearer(access),
})

export const createCourse =
  (slug: string) =>
  (access: string): Sent => ({
    path: '/api/v1/courses',
    headers: { ...bearer(access), 'content-type': 'application/json', 'idempotency-key': slug },
    body: JSON.stringify(course(slug)),
  })

export const importCourses =
  (slugs: readonly string[]) =>
  (access: string): Sent => ({
    path: '/api/v1/courses/import',
    headers: { ...bearer(access), 'content-type': 'application/x-ndjson' },
    body: slugs.map((slug) => `${JSON.stringify(course(slug))}\n`).join(''),
  })

const course = (slug: string) => ({ slug, title: `Course ${slug}` })

/** A request that this pair's access token may send. */
export const useOf = ({ clientId, access }: LedgerPair): Sent =>
  MEMBER_CLIENTS.some((client) => client.clientId === clientId)
    ? userinfo(access)
    : listCourses(access)

export const refreshOf = (
  { refresh, clientId }: LedgerPair,
  resource: string,
  secret: string | undefined,
): Sent => ({
  path: '/api/oauth/token',
  form: {
    grant_type: 'refresh_token',
    refresh_token: refresh,
    client_id: clientId,
    resource,
    ...(secret === undefined ? {} : { client_secret: secret }),
  },
})
