import { chapter } from '../chapter.ts'

export const access = [
  chapter('oauth', 'What the service does', {
    'challenge.invalid-token.points-to-metadata':
      'The refusal of a bad token has a WWW-Authenticate header with the protected-resource document.',
    'challenge.insufficient-scope.points-to-metadata':
      'The refusal for a missing scope has the same header.',
  }),

  chapter('oauth', 'Authentication', {
    'flow.public.method-none': 'Public clients go through the whole flow with auth method none.',
    'flow.confidential.post':
      'Confidential clients go through the whole flow with client_secret_post in place of none.',
    'flow.bearer-header':
      'APIs take the access token as a bearer token in the Authorization header.',
    'flow.no-claim-step':
      'No step claims an anonymous registration; the one act of consent is on the authorization page.',
    'flow.operator.same-steps': 'Operator clients go through the same steps with operator scopes.',
    'binding.to-origin': 'A member token is accepted only at the origin that it is bound to.',
    'binding.both-endpoints': 'One member token works at /mcp and at /member/graphql.',
    'binding.other-origin':
      'At another origin a member token is 401 invalid_token with resource_metadata.',
    'binding.challenge-names-called':
      'A 401 names the called origin and never the origin that the token is bound to.',
    'binding.unbound.reauthorize':
      'A member pair without school_id becomes usable only through a new authorization.',
  }),

  chapter('oauth', 'Errors', {
    'errors.oauth.shape':
      'OAuth errors are JSON with a code in error and readable text in error_description.',
    'errors.bearer.bad-token':
      'An invalid or malformed token at any protected resource is 401 invalid_token plus WWW-Authenticate.',
    'errors.token.secret-missing':
      'A confidential client without client_secret at the token endpoint is rejected.',
  }),

  chapter('oauth', 'Scopes', {
    'scope.openid': 'openid makes the flow an OpenID Connect sign-in.',
    'scope.profile': 'profile opens the basic profile.',
    'scope.email': 'email opens the email address.',
    'scope.account.member-only': 'Only member clients can hold account:read and account:write.',
  }),

  chapter('oauth', 'product decision', {
    'bearer.body':
      'The body of each bearer refusal has error and error_description, on every surface.',
    'bearer.member-left': 'A person without any role at the school gets 401 from the APIs.',
    'bearer.revocation.at-once': 'A revoked token is refused by every process from that moment.',
    'bearer.not-in-query': 'A token in the query string is not a credential.',
    'bearer.no-verdict':
      'If a token cannot be checked, the answer is 503 with Retry-After and no WWW-Authenticate.',
    'bearer.only-the-primary':
      'Tokens are checked on the primary only: a connection to a standby, or to any database that accepts no writes, is refused.',
  }),

  chapter('oauth', 'Deployment variants', {
    'introspect.older.binding':
      'Introspection on an older origin shows the resource binding of a token.',
  }),

  chapter('oauth', 'product decision', {
    'introspect.path': 'Older origins serve RFC 7662 at POST /api/oauth/introspect.',
    'introspect.own-tokens': 'A client sees only its own tokens; others are inactive.',
    'introspect.secret': 'Introspection needs the secret of a confidential client.',
    'introspect.aud-and-school': 'Introspection gives the binding as aud, and school_id.',
    'introspect.sub': 'Introspection gives, as sub, the user whom the token stands for.',
  }),
] as const
