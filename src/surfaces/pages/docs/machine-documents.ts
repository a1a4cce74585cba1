import type { FastifyInstance } from 'fastify'
import type { MetadataClients } from '../../../domain/clients/metadata-clients.ts'
import type { School } from '../../../domain/schools/school.ts'
import { loadAssets } from '../../../foundation/html/assets.ts'
import {
  type DocumentOptions,
  sendDocument,
  textDocument,
} from '../../../foundation/http/conditional.ts'
import { DOCUMENTS } from '../../../foundation/protocol/endpoints.ts'
import type { AppContext } from '../../../gate/context.ts'
import { perSchool } from '../../../gate/school-gate.ts'
import { redirectTo } from '../page-request.ts'
import { authMarkdown } from './auth-markdown.ts'
import { API_CATALOG_TYPE, aiCatalog, apiCatalog } from './catalogues.ts'
import { guideFacts } from './guide-facts.ts'
import { llmsText } from './llms-text.ts'
import { securityText } from './security-text.ts'

/** Pages for one person or one step have nothing to find. */
const ROBOTS = `User-agent: *
Disallow: /account
Disallow: /admin
Disallow: /api/
Disallow: /consent
Disallow: /member/
Disallow: /oauth/
Disallow: /sign-in
Disallow: /sign-out
`

const PLAIN = 'text/plain; charset=utf-8'
const MARKDOWN = 'text/markdown; charset=utf-8'

/** What programs look for at an origin of which they know nothing else. Prepared once for each school. */
export function addMachineDocuments(
  app: FastifyInstance,
  { securityContact }: AppContext,
  documents: MetadataClients,
): void {
  const add = (path: string, contentType: string, write: (school: School) => string | object) => {
    const options: DocumentOptions = { maxAgeSeconds: 300, contentType }
    const documentOf = perSchool(options, write)
    app.get(path, (request, reply) => sendDocument(request, reply, documentOf(request.school)))
  }
  add(DOCUMENTS.auth, MARKDOWN, (school) => authMarkdown(guideFacts(school, documents)))
  add(DOCUMENTS.llms, PLAIN, (school) => llmsText(guideFacts(school, documents)))
  add(DOCUMENTS.apiCatalog, API_CATALOG_TYPE, ({ origin }) => apiCatalog(origin))
  add(DOCUMENTS.aiCatalog, 'application/ai-catalog+json', ({ origin }) => aiCatalog(origin))

  const robots = textDocument(ROBOTS, { maxAgeSeconds: 86_400, contentType: PLAIN })
  app.get('/robots.txt', (request, reply) => sendDocument(request, reply, robots))
  const { favicon } = loadAssets()
  app.get('/favicon.ico', (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type('image/x-icon').send(favicon),
  )
  // @see W3C, A Well-Known URL for Changing Passwords
  app.get('/.well-known/change-password', (request, reply) =>
    redirectTo(reply, request, 'site', '/account/password'),
  )
  if (securityContact !== undefined) addSecurityText(app, securityContact)
}

function addSecurityText(app: FastifyInstance, contact: string): void {
  app.get('/.well-known/security.txt', (request, reply) => {
    const text = securityText(request.school.origin, contact, new Date())
    const document = textDocument(text, { maxAgeSeconds: 86_400, contentType: PLAIN })
    return sendDocument(request, reply, document)
  })
}
