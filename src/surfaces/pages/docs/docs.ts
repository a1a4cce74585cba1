import type { FastifyInstance } from 'fastify'
import { explorerState } from '../../../domain/clients/explorer-client.ts'
import type { MetadataClients } from '../../../domain/clients/metadata-clients.ts'
import { chooseMediaType, sendDocument } from '../../../foundation/http/conditional.ts'
import { DOCUMENTS } from '../../../foundation/protocol/endpoints.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import type { AppContext } from '../../../gate/context.ts'
import { perSchool } from '../../../gate/school-gate.ts'
import { sendPage } from '../page-request.ts'
import { frameFor } from '../site-frame.ts'
import { errorsPage } from '../views/guide/errors-page.tsx'
import { guidePage } from '../views/guide/guide.tsx'
import { guideFacts } from './guide-facts.ts'
import { errorsMarkdown, guideMarkdown } from './markdown-guides.tsx'

const MARKDOWN = {
  maxAgeSeconds: 300,
  contentType: 'text/markdown; charset=utf-8',
  vary: 'Accept',
  anyOrigin: true,
} as const

/** The guides for developers of clients, with the addresses and features of this origin. */
export function addDocsRoutes(
  app: FastifyInstance,
  context: AppContext,
  documents: MetadataClients,
): void {
  const guideText = perSchool(MARKDOWN, (school) => guideMarkdown(guideFacts(school, documents)))
  const errorsText = perSchool(MARKDOWN, errorsMarkdown)

  app.get(DOCUMENTS.guide, async (request, reply) => {
    const { school } = request
    if (prefersMarkdown(request.headers.accept)) {
      return sendDocument(request, reply, guideText(school))
    }
    const session = await findBrowserSession(request)
    const page = guidePage(frameFor(context, request, reply, session), {
      ...guideFacts(school, documents),
      explorer: (await explorerState(request.at, school)) === 'on',
    })
    return sendPage(reply.header('vary', 'Accept'), request, 'site', page)
  })
  app.get(DOCUMENTS.errors, async (request, reply) => {
    if (prefersMarkdown(request.headers.accept)) {
      return sendDocument(request, reply, errorsText(request.school))
    }
    const session = await findBrowserSession(request)
    const page = errorsPage(frameFor(context, request, reply, session))
    return sendPage(reply.header('vary', 'Accept'), request, 'site', page)
  })
  app.get(DOCUMENTS.guideMarkdown, (request, reply) =>
    sendDocument(request, reply, guideText(request.school)),
  )
  app.get(DOCUMENTS.errorsMarkdown, (request, reply) =>
    sendDocument(request, reply, errorsText(request.school)),
  )
}

/** A page for everything else, also for programs that accept anything. */
function prefersMarkdown(accept: string | undefined): boolean {
  // A browser never names it; a program that names both takes it gladly.
  if (accept === undefined || !/text\/markdown/i.test(accept)) return false
  return chooseMediaType(accept, ['text/markdown', 'text/html']) === 'text/markdown'
}
