import { chapter } from '../chapter.ts'

export const origins = [
  chapter('house', 'What the service does', {
    'house.origin.per-school': 'Each school answers on an origin of its own.',
    'house.origin.same-interface':
      'Every origin offers the same interface, except for its variant.',
    'house.secured': 'Personal and administrative data cannot be read without an OAuth credential.',
  }),

  chapter('house', 'product decision', {
    'house.origin.unknown-host': 'A request to an unknown host gets a 404, never another school.',
    'house.origin.malformed-host': 'A malformed, empty or repeated Host header is 400.',
    'house.origin.forwarded-headers':
      'Forwarded headers count only when they come from a configured proxy.',
    'house.origin.https-proxy':
      'Behind a proxy with TLS all pages have HSTS and all URLs and cookies are for https; the same host without TLS is another origin.',
    'house.nosniff':
      'Every answer forbids browsers to guess its type, also answers to requests that are not HTTP.',
    'house.cookies.tossed':
      'A cookie that a sibling subdomain or an http page set is never taken for a session or a form of ours.',
    'house.names.visible':
      'Names are stored and shown without characters that draw nothing, such as controls of the text direction.',
    'house.tenancy.forms':
      'No form, tool or API call of one school finds, shows or changes anything by an id of another school.',
    'house.races':
      'Concurrent requests never sell a seat, a coupon or a place twice, and one idempotency key is performed once.',
    'house.origin.changes-spread':
      'A changed school is noticed by all processes within thirty seconds at the latest.',
    'house.people.one-identity': 'A person is one account across schools, with roles at each.',
    'house.people.school-cannot-write':
      'A school can change its own membership rows, never email, password, name or avatar.',
    'house.people.known-email':
      'Adding an email that already exists grants the role and reveals nothing about it.',
    'house.people.typed-until-signed-in':
      'A school sees the name that it typed, and no picture, until the person has signed in there.',
    'house.people.ids':
      'Ids of new people are random: they tell neither when an account was made nor whether it is new.',
    'house.people.same-work':
      'Every path that takes an email sends the same statements and hashes for known and unknown ones.',
    'house.people.no-takeover':
      'A school that owns its host name cannot take over a person of another school.',
    'house.tenancy.keys': 'No row of one school can refer to a row of another.',
    'house.tenancy.share':
      'A school that is flooded by every road at once costs another school no request.',
    'house.tenancy.lane':
      'Strangers, signed-in callers and batch work have connections and time-outs of their own.',
    'house.limits.json-body': 'A JSON body beyond 1 MiB is 413.',
    'house.limits.json-shape':
      'JSON that is nested deeper than 64 levels or has more than 20,000 names and values is refused before it is parsed.',
    'house.limits.texts': 'A text that a school writes has at most 64 KiB.',
    'house.limits.echo': 'An error repeats at most a line of what the caller sent.',
    'house.limits.429':
      'A request above a rate limit gets 429 with the limits and the time to retry.',
    'house.limits.generous':
      'Default rates are high enough for a whole company or test suite with one address.',
    'house.limits.networks':
      'Limits by address count an IPv6 address in its /64, /56 and /48, each with a wider limit.',
    'house.growth.strangers': 'No request of a stranger leaves a row that stays.',
    'house.growth.audit':
      'What a caller repeats without end, with any variation, leaves few audit entries, each with the number of repetitions.',
    'house.growth.grants':
      'Codes and authorizations of a person and a client are bounded; the oldest give way.',
    'house.growth.sessions': 'The browser sessions of a person are bounded; the oldest give way.',
    'house.growth.uploads':
      'The bytes of an upload that is refused are not kept, unless it races with another one of its key.',
    'house.growth.log': 'A request writes one line of bounded length into the log.',
    'house.limits.configurable': 'All limits are configurable and documented.',
    'house.audit.after-proof':
      'A refusal before the client is proven is only logged and counted; audit begins after that.',
    'house.audit.events':
      'Grants, the first refresh of a day, replays, revocations, key and client changes leave an audit row.',
    'house.audit.append-only':
      'Audit rows can be added, but not changed, except that the count of their repetitions grows.',
    'house.logs.no-secrets': 'No token, code, secret, password or cookie gets into a log.',
    'house.versioning.rest-path': 'The version of the REST API is in its path.',
    'house.versioning.graphql-additive':
      'GraphQL fields are added; a field is deprecated before it is removed.',
    'house.versioning.changelog': 'Changes that clients can notice are in the changelog.',
  }),
] as const
