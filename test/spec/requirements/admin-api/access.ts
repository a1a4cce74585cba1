import { chapter } from '../chapter.ts'

export const adminAccess = [
  chapter('admin-api', 'Admin REST API', {
    'admin-api.operator-clients': 'The REST API serves operator clients.',
    'admin-api.described': 'Each endpoint that it serves is described in /openapi.json.',
  }),

  chapter('admin-api', 'What the service does', {
    'openapi.served': 'GET /openapi.json gives a machine-readable description on every origin.',
    'openapi.rest-only':
      '/openapi.json describes REST endpoints; the GraphQL Member API is not in it.',
  }),

  chapter('admin-api', 'Errors', {
    'admin-api.bad-token':
      'A bad token at the REST API is 401 invalid_token with WWW-Authenticate.',
  }),

  chapter('admin-api', 'product decision', {
    'openapi.own-origin':
      'It names the origin that serves it in servers and in the OAuth URLs, and the school as contact.',
    'openapi.no-token': 'Reading /openapi.json takes no token.',
    'admin-api.path-version': 'Paths begin with /api/v1.',
    'admin-api.operator-tokens-only': 'A member token is refused by the REST API.',
    'admin-api.role-at-call':
      'The person behind the token must still be owner or admin when the call is made.',
    'admin-api.scope-missing': 'A missing scope is 403, and the challenge names it.',
    'admin-api.write-is-not-read': 'A write scope does not let a client read.',
    'admin-api.write-only':
      'Without the read scope a write tells the id, the version, what was sent and what it made; refusals and replays tell no more.',
    'admin-api.dry-run-reads':
      'A dry run of an import needs the read scope too; without it the challenge names both, and no row is judged.',
    'admin-api.pages': 'Lists are paged with limit and after and say has_more.',
    'admin-api.problems': 'Errors are RFC 9457 problem bodies.',
    'admin-api.idempotency-key':
      'A write repeated with the same Idempotency-Key happens once and gives the stored answer.',
    'admin-api.etag': 'Updates honour If-Match against the ETag: a stale one is 412.',
    'admin-api.bulk': 'Resources can be imported and exported as NDJSON and as CSV.',
    'admin-api.rfc3339': 'Times in REST are RFC 3339 in UTC.',
    'admin-api.money': 'Money in REST is minor units and a currency.',
    'admin-api.cors': 'The REST API, too, can be called from other origins.',
    'admin-api.other-school': 'Ids of another school are 404.',
    'admin-api.rate-limit-headers': 'RateLimit headers are on every answer.',
  }),
] as const
