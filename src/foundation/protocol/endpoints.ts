/** Where each endpoint of an origin is; routes, discovery and guides read this. */
export const ENDPOINTS = {
  authorize: '/oauth/authorize',
  token: '/api/oauth/token',
  userinfo: '/api/oauth/userinfo',
  revoke: '/api/oauth/revoke',
  register: '/api/oauth/register',
  introspect: '/api/oauth/introspect',
  jwks: '/.well-known/jwks.json',
  /** Served with the pages, because it shows some. */
  endSession: '/oauth/logout',
  memberApi: '/member/graphql',
} as const

/** Documents that describe an origin, for programs and for people. */
export const DOCUMENTS = {
  authorizationServer: '/.well-known/oauth-authorization-server',
  openidConfiguration: '/.well-known/openid-configuration',
  protectedResource: '/.well-known/oauth-protected-resource',
  apiCatalog: '/.well-known/api-catalog',
  aiCatalog: '/.well-known/ai-catalog.json',
  guide: '/docs',
  guideMarkdown: '/docs.md',
  errors: '/docs/errors',
  errorsMarkdown: '/docs/errors.md',
  reference: '/docs/api',
  auth: '/auth.md',
  llms: '/llms.txt',
  sitemap: '/sitemap.xml',
  openapi: '/openapi.json',
  postman: '/postman.json',
  graphqlSchema: '/schema.graphql',
  graphqlSchemaJson: '/schema.json',
} as const

/** Below the address of a tool endpoint. */
export const SERVER_CARD = '/server-card'
