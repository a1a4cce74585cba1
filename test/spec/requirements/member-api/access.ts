import { chapter } from '../chapter.ts'

export const memberAccess = [
  chapter('member-api', 'Member API', {
    'member.endpoint': 'The Member API is POST /member/graphql.',
    'member.bearer': 'The Member API needs a bearer token in the Authorization header.',
    'member.json-body':
      'A Member API request is JSON whose string member query holds the document.',
    'member.query-and-mutation': 'Queries and mutations both come in the member query.',
    'member.answer': 'The Member API answers JSON: data, and errors when there are some.',
    'member.no-anonymous': 'The Member API has no anonymous mode.',
  }),

  chapter('member-api', 'Authentication', {
    'member.account-read.unlocks': 'account:read opens the data of the member who granted it.',
    'member.from-resource-owner':
      'The caller is the resource owner of the token record; sub is not used.',
    'member.checks-school-id':
      'Without a school_id the token is refused as belonging to a different organization.',
    'member.remedy':
      'The refusal for a missing school_id tells the developer to authorize again, not to refresh.',
  }),

  chapter('member-api', 'Errors', {
    'member.errors.no-token': 'A call without a token is 401 invalid_token with WWW-Authenticate.',
    'member.errors.bad-token':
      'A call with a malformed, expired or revoked token is 401 invalid_token with the same challenge.',
    'member.errors.other-origin':
      'A token of another origin is 401 invalid_token, and the challenge has resource_metadata.',
    'member.errors.no-school-id':
      'A record without school_id is answered like a token of another origin.',
    'member.errors.no-account-scope':
      'With neither of the two account scopes the answer is 403 insufficient_scope and a challenge.',
    'member.errors.no-account-scope.before-schema':
      'Without any account scope, not even the document is parsed.',
    'member.errors.other-account-scope':
      'Holding one account scope and needing the other gives HTTP 200 and an entry in errors.',
    'member.errors.other-account-scope.names-scope':
      'An errors entry about scope says that it is insufficient and which one is required.',
    'member.errors.other-account-scope.no-challenge':
      'A response with a scope entry in errors has no WWW-Authenticate header.',
  }),

  chapter('member-api', 'product decision', {
    'member.order.401-first': 'All reasons for a 401 are checked before the 403.',
    'member.order.before-body': '401 and 403 are decided before content type and body are read.',
    'member.no-token.says-invalid-token':
      'Without a token, header and body alike say invalid_token.',
    'member.operator-token': 'An operator token counts as one that has no school_id.',
    'member.no-owner': 'A record without a resource owner is refused with 401.',
    'member.role-gone': 'A viewer who lost the last role at this school is refused with 401.',
    'member.scope-error.extensions':
      'extensions of a scope error are code insufficient_scope and the requiredScope.',
    'member.scope-error.rest-stands':
      'viewer and the mutations are nullable, so the other root fields still deliver data.',
    'member.scopes.on-root-fields':
      'Each root field declares its scope: account:read for viewer, account:write for mutations.',
    'member.scopes.deny-by-default': 'A root field without a declared scope cannot be shipped.',
  }),

  chapter('member-api', 'product decision', {
    'member.http.application-json':
      'With application/json every request that reaches GraphQL is answered with 200.',
    'member.http.graphql-response-json':
      'With application/graphql-response+json a document that does not parse or validate is 400.',
    'member.http.post-only': 'Methods besides POST get 405 with Allow.',
    'member.http.415': 'A body that is not JSON gets 415.',
    'member.http.406': 'An Accept header that no answer satisfies gets 406.',
    'member.http.persisted-query':
      'A request with the hash of a persisted query and no document is answered PersistedQueryNotSupported, and clients go on with the document.',
    'member.http.cors': 'The Member API can be called from pages of any origin.',
    'member.limits.depth-and-cost':
      'Depth and cost of a document are bounded before it is executed.',
    'member.limits.ordinary-use-fits':
      'The default bounds admit full introspection and a whole syllabus of fifty courses.',
    'member.limits.real-cost':
      'What a document returns is counted while it is executed. At the limit it stops: one error that says what to do, and no data.',
    'member.limits.introspection':
      'Introspection costs what it selects, with one limit for a document: whole schemas for developer tools fit, multiplied ones do not.',
    'member.limits.rate':
      'Each authorization has an allowance of cost per minute, told in RateLimit headers; beyond it is 429 with Retry-After and a GraphQL error. Bodies and new documents are paid too, also if they are refused, and so is a 403.',
    'member.limits.strangers':
      'Requests without a good token are limited by school and address before their body is read; a token that was given out or good lately is not.',
    'member.limits.body': 'A JSON body of more than 1 MiB is refused.',
  }),
] as const
