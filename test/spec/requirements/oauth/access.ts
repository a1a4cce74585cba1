import { chapter } from '../chapter.ts'

export const access = [
  chapter('oauth', 'What the service does', {
    'challenge.invalid-token.points-to-metadata':
      'Refusing a bad token comes with WWW-Authenticate that leads to the protected-resource document.',
    'challenge.insufficient-scope.points-to-metadata':
      'Refusing a token for a missing scope leads there by the same header.',
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
    'binding.to-origin': 'A member token is good only at the origin it was bound to.',
    'binding.both-endpoints': 'One member token works at /mcp and at /member/graphql.',
    'binding.other-origin':
      'At another origin a member token is 401 invalid_token with resource_metadata.',
    'binding.challenge-names-called':
      'In a 401 stands the called origin; about the bound one it keeps silent.',
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
    'bearer.member-left': 'Someone who has no role left at the school gets 401 from the APIs.',
    'bearer.revocation.at-once': 'A revoked token is refused by every process from that moment.',
    'bearer.not-in-query': 'A token in the query string is not a credential.',
    'bearer.no-verdict':
      'When a token cannot be judged the answer is 503 with Retry-After and no WWW-Authenticate.',
  }),

  chapter('oauth', 'Deployment variants', {
    'introspect.older.binding':
      'Introspection on an older origin tells the resource binding of a token.',
  }),

  chapter('oauth', 'product decision', {
    'introspect.path': 'Older origins serve RFC 7662 at POST /api/oauth/introspect.',
    'introspect.own-tokens': 'A client learns about its own tokens only; others are inactive.',
    'introspect.secret': 'Introspection wants the secret of a confidential client.',
    'introspect.aud-and-school': 'Introspection gives the binding as aud, and school_id.',
    'introspect.sub': 'Introspection gives, as sub, the user whom the token stands for.',
  }),
] as const
