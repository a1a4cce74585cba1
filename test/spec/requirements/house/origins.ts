import { chapter } from '../chapter.ts'

export const origins = [
  chapter('house', 'What the service does', {
    'house.origin.per-school': 'Each school answers on an origin of its own.',
    'house.origin.same-interface': 'Every origin offers the same interface, its variant apart.',
    'house.secured':
      'Personal and administrative data is out of reach without an OAuth credential.',
  }),

  chapter('house', 'product decision', {
    'house.origin.unknown-host':
      'A host that no school has gets a 404 saying so, never another school.',
    'house.origin.malformed-host': 'An odd, empty or doubled Host header is 400.',
    'house.origin.forwarded-headers':
      'Forwarded headers count only when they come from a configured proxy.',
    'house.origin.changes-spread':
      'A changed school is noticed by all processes within thirty seconds at the latest.',
    'house.people.one-identity': 'A person is one account across schools, with roles at each.',
    'house.people.school-cannot-write':
      'A school can change its own membership rows, never email, password, name or avatar.',
    'house.people.known-email':
      'Adding an email that already exists grants the role and reveals nothing about it.',
    'house.tenancy.keys': 'No row of one school can refer to a row of another.',
    'house.limits.json-body': 'A JSON body beyond 1 MiB is 413.',
    'house.limits.429':
      'A request above a rate limit gets 429 with the limits and the time to retry.',
    'house.limits.generous':
      'Default rates do not trouble a whole company or test suite that shares one address.',
    'house.limits.configurable': 'All limits are configurable and documented.',
    'house.audit.after-proof':
      'What an unproven client is refused fills logs and counters only; audit begins with proof.',
    'house.audit.events':
      'Grants, refreshes, replays, revocations, key and client changes leave an audit row.',
    'house.audit.append-only': 'Audit rows can be added and not altered.',
    'house.logs.no-secrets': 'No token, code, secret, password or cookie gets into a log.',
    'house.versioning.rest-path': 'The version of the REST API is in its path.',
    'house.versioning.graphql-additive':
      'GraphQL grows by addition, and what goes is marked deprecated first.',
    'house.versioning.changelog': 'Changes that clients can notice are in the changelog.',
  }),
] as const
