import { chapter } from '../chapter.ts'

export const discovery = [
  chapter('oauth', 'What the service does', {
    'discovery.protected-resource.path':
      'GET /.well-known/oauth-protected-resource answers the RFC 9728 document of the called origin.',
    'discovery.authorization-server.path':
      'GET /.well-known/oauth-authorization-server answers RFC 8414 metadata.',
    'discovery.openid-configuration.path':
      'GET /.well-known/openid-configuration answers OpenID Connect discovery metadata.',
    'discovery.truth.endpoints':
      'Every endpoint URL the metadata lists is served, and no OAuth endpoint works that it leaves out.',
    'discovery.truth.grant-types':
      'The grant types listed are exactly the ones that the token endpoint serves.',
    'discovery.truth.scopes':
      'scopes_supported holds each scope that can be granted here and no other.',
    'discovery.no-challenge-needed':
      'All discovery documents can be read without any token, so a client need not provoke a 401 first.',
    'discovery.agent-auth.not-advertised':
      'No metadata member offers identity assertions, service authentication or anonymous claiming.',
    'discovery.agent-auth.paths-absent':
      'Paths of agent extensions (identity endpoint, register URI) are 404.',
    'flow.code-with-pkce-only':
      'Only the authorization code flow with an S256 challenge gives a credential.',
  }),

  chapter('oauth', 'Endpoints', {
    'discovery.endpoint.authorize':
      'The authorization endpoint is a browser GET of /oauth/authorize.',
    'discovery.endpoint.token': 'Tokens are issued by POST /api/oauth/token.',
    'discovery.endpoint.userinfo': 'UserInfo is a GET of /api/oauth/userinfo with a bearer token.',
    'discovery.endpoint.revoke': 'Revocation is a POST to /api/oauth/revoke.',
    'discovery.endpoint.register': 'Vendor platforms register by POST /api/oauth/register.',
    'oauth.bodies.form-in': 'Token and revocation requests are read as form-encoded bodies.',
    'oauth.bodies.json-out': 'Answers of the OAuth endpoints, refusals included, are JSON.',
    'introspect.newer.absent':
      'A newer origin neither serves token introspection (404) nor mentions it in its metadata.',
  }),

  chapter('oauth', 'product decision', {
    'issuer.no-trailing-slash': 'The issuer is the bare origin, without a slash at its end.',
    'issuer.byte-identical':
      'Issuer, iss parameter, iss claim and the advertised resource are the same string.',
    'discovery.s256-only': 'Both metadata documents list S256 as their single challenge method.',
    'discovery.auth-methods':
      'Every list of client authentication methods is client_secret_post, then none: many clients take the first.',
    'discovery.iss-parameter':
      'Metadata announces the RFC 9207 iss parameter on authorization responses.',
    'discovery.from-stored-origin':
      'URLs in documents and challenges come from the stored origin of the school, never from headers.',
    'discovery.cacheable': 'Discovery documents and the JWKS may be cached for a bounded time.',
    'discovery.root.no-scopes': 'The protected-resource document at the root lists no scopes.',
    'discovery.mcp.document':
      'GET /.well-known/oauth-protected-resource/mcp describes {origin}/mcp as its resource.',
    'discovery.mcp.scopes':
      'The /mcp document lists the identity scopes and the read scopes of operators, and only those.',
    'discovery.mcp-member.document':
      'GET /.well-known/oauth-protected-resource/mcp/member describes {origin}/mcp/member as its resource.',
    'discovery.mcp-member.scopes':
      'The /mcp/member document lists the identity scopes and both account scopes, and only those.',
    'discovery.mcp.other-paths':
      'Other well-known paths with a suffix or prefix answer a JSON 404 that names the guide and is readable across origins.',
    'cors.open-endpoints':
      'Discovery, JWKS, token, revocation, UserInfo and registration allow any origin, without credentials.',
    'cors.on-errors': 'Refusals and 404s have the same cross-origin headers as successful answers.',
    'cors.preflight-before-auth': 'A preflight is answered before authentication.',
    'cors.exposed-headers':
      'Scripts of other origins can read the challenge, Retry-After and rate headers of an answer.',
    'cors.none-on-authorize':
      'The authorization endpoint and the pages send no cross-origin headers.',
  }),
] as const
