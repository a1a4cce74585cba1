import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { MetadataClients } from './domain/clients/metadata-clients.ts'
import { OutlineCache } from './domain/learning/outline.ts'
import { EmptyInstallation } from './domain/setup/first-school.ts'
import type { TrustProxy } from './foundation/http/client-address.ts'
import { allowCrossOrigin, pathsAmong } from './foundation/http/cross-origin.ts'
import { addHealthRoutes, type Probe } from './foundation/http/health.ts'
import type { RequestObserver } from './foundation/http/observe-requests.ts'
import { createAddressRateLimiter } from './foundation/http/rate-limit.ts'
import type { LineSettings } from './foundation/http/request-line.ts'
import { createHttpServer } from './foundation/http/server.ts'
import type { OutgoingObserver } from './foundation/net/outgoing.ts'
import { DOCUMENTS } from './foundation/protocol/endpoints.ts'
import type { Tracing } from './foundation/tracing/tracing.ts'
import { GoodTokens } from './gate/bad-tokens.ts'
import { addCertificateRoute } from './gate/certificate-names.ts'
import type { AppContext } from './gate/context.ts'
import { createNotFoundAnswer } from './gate/not-found.ts'
import { createRequestLine, enterSchool } from './gate/school-gate.ts'
import { addAdminApiRoutes } from './surfaces/admin-api/admin-api.ts'
import { addMcpRoutes } from './surfaces/mcp/mcp.ts'
import { addMemberApiRoutes } from './surfaces/member-api/member-api.ts'
import { addOAuthRoutes } from './surfaces/oauth/oauth.ts'
import { addAssetRoutes } from './surfaces/pages/frame/files.ts'
import { addPageRoutes } from './surfaces/pages/pages.ts'
import { addSetupRoutes } from './surfaces/pages/setup/setup.tsx'
import { addRelatedOrigins } from './surfaces/pages/sign-in/related-origins.ts'
import { VERSION } from './version.ts'

export interface AppOptions {
  readonly context: AppContext
  readonly logger: FastifyBaseLogger
  readonly trust: TrustProxy
  readonly readiness: Probe
  readonly observers?: readonly RequestObserver[]
  /** Whether the line of each request has the address of its caller. */
  readonly logsAddresses?: boolean | undefined
  /** Absent unless traces are exported. */
  readonly tracing?: Pick<Tracing, 'requests' | 'outgoing' | 'toolCalls'> | undefined
  /** For tests, which are late for other reasons. */
  readonly line?: Partial<LineSettings>
}

/**
 * Paths that scripts of other sites may call. The authorization endpoint and the pages stay off
 * this list.
 */
const API_PATHS: readonly string[] = [
  '/.well-known/',
  '/api/',
  '/clients/',
  '/member/graphql',
  '/mcp',
  '/mcp/',
  DOCUMENTS.auth,
  DOCUMENTS.errorsMarkdown,
  DOCUMENTS.graphqlSchema,
  DOCUMENTS.graphqlSchemaJson,
  DOCUMENTS.guideMarkdown,
  DOCUMENTS.llms,
  DOCUMENTS.openapi,
  DOCUMENTS.postman,
]

/** Builds the whole application on one Fastify instance. The caller makes it listen. */
export function buildApp(options: AppOptions): FastifyInstance {
  const { context, logger, trust, tracing } = options
  const metadataClients = createMetadataClients(context, tracing?.outgoing)
  const outlines = new OutlineCache()
  const goodTokens = new GoodTokens()
  const installation = new EmptyInstallation(context.db)
  const line = createRequestLine(context.db, options.line)
  const app = createHttpServer({
    logger,
    trust,
    logsAddresses: options.logsAddresses,
    observers: [...(options.observers ?? []), ...(tracing === undefined ? [] : [tracing.requests])],
    limits: { bodyBytes: context.limits.jsonBodyBytes },
    notFound: createNotFoundAnswer(context, trust, line),
  })
  allowCrossOrigin(app, pathsAmong(API_PATHS))
  addHealthRoutes(app, options.readiness)
  addCertificateRoute(app, context.directory)
  addAssetRoutes(app)
  addSetupRoutes(app, context, installation, trust)
  addRelatedOrigins(app, context, trust)
  app.register(async (scope) => {
    enterSchool(scope, context, installation, trust, line)
    addOAuthRoutes(scope, context, metadataClients, goodTokens)
    addAdminApiRoutes(scope, context)
    addMemberApiRoutes(scope, context, outlines, goodTokens)
    addMcpRoutes(scope, context, outlines, goodTokens, VERSION, tracing?.toolCalls)
    addPageRoutes(scope, context, metadataClients, outlines)
  })
  return app
}

function createMetadataClients(
  context: AppContext,
  observe: OutgoingObserver | undefined,
): MetadataClients {
  const limiter = createAddressRateLimiter({
    name: 'document',
    quota: context.limits.documentPerMinute,
    windowSeconds: 60,
  })
  return new MetadataClients({
    hosts: context.documentHosts,
    loopbackHttp: context.loopbackDocuments,
    mayFetch: (address) => limiter.take(address).allowed,
    observe,
  })
}
