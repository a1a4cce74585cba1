import type { FastifyInstance } from 'fastify'
import { explorerState } from '../../../domain/clients/explorer-client.ts'
import type { MetadataClients } from '../../../domain/clients/metadata/metadata-clients.ts'
import { publishedKeys, signsIdTokens } from '../../../domain/schools/signing.ts'
import { ERRORS_PATH } from '../../../foundation/errors/catalogue.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import type { AppContext } from '../../../gate/context.ts'
import { sendPage } from '../page-request.ts'
import { frameFor } from '../site-frame.ts'
import { errorsPage } from '../views/guide/errors-page.tsx'
import { guidePage } from '../views/guide/guide.tsx'

/** The guide for developers of clients, with the addresses and features of this origin. */
export function addDocsRoutes(
  app: FastifyInstance,
  context: AppContext,
  documents: MetadataClients,
): void {
  app.get('/docs', async (request, reply) => {
    const { school } = request
    const session = await findBrowserSession(request)
    const page = guidePage({
      ...frameFor(context, request, reply, session),
      origin: school.origin,
      variant: school.variant,
      signsIdTokens: signsIdTokens(school),
      publishesKeys: publishedKeys(school).length > 0,
      explorer: (await explorerState(request.at, school)) === 'on',
      documents: documents.areSupportedAt(school),
      mcpConnections: school.mcpConnections,
      foreignDocuments: documents.arePermittedAt(school),
    })
    return sendPage(reply, request, 'site', page)
  })
  app.get(ERRORS_PATH, async (request, reply) => {
    const session = await findBrowserSession(request)
    const page = errorsPage(frameFor(context, request, reply, session))
    return sendPage(reply, request, 'site', page)
  })
}
