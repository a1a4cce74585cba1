import type { FastifyInstance } from 'fastify'
import type { School } from '../../domain/schools/school.ts'
import { plainText } from '../../foundation/html/plain-text.ts'
import { sendDocument } from '../../foundation/http/conditional.ts'
import { DOCUMENTS, SERVER_CARD } from '../../foundation/protocol/endpoints.ts'
import { TOOL_ENDPOINTS, type ToolEndpoint } from '../../foundation/protocol/resource-names.ts'
import { perSchool } from '../../gate/school-gate.ts'
import { HANDSHAKE_VERSIONS, MODERN_VERSION } from './tool-server.ts'

const OPTIONS = { maxAgeSeconds: 3600, contentType: 'application/mcp-server-card+json' } as const

/** What a client learns about the endpoint before it connects, at the place that the extension reserves. */
export function addServerCards(app: FastifyInstance, version: string): void {
  for (const endpoint of Object.values(TOOL_ENDPOINTS)) {
    const cardOf = perSchool(OPTIONS, (school) => serverCard(school, endpoint, version))
    app.get(endpoint + SERVER_CARD, (request, reply) =>
      sendDocument(request, reply, cardOf(request.school)),
    )
  }
}

/** @see modelcontextprotocol/experimental-ext-server-card, schema.ts (v1) */
function serverCard({ name, origin }: School, endpoint: ToolEndpoint, version: string): object {
  const isMember = endpoint === TOOL_ENDPOINTS.member
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: `${namespaceOf(origin)}/${isMember ? 'schoolgate-member' : 'schoolgate'}`,
    version,
    title: plainText(name, 90) || 'Schoolgate',
    description: isMember
      ? 'Courses, events and, for a signed-in member, their own courses and account.'
      : 'Courses, events and, for a signed-in owner or admin, the whole school.',
    websiteUrl: origin + DOCUMENTS.guide,
    remotes: [
      {
        type: 'streamable-http',
        url: origin + endpoint,
        supportedProtocolVersions: [MODERN_VERSION, ...HANDSHAKE_VERSIONS],
      },
    ],
  }
}

/** The host in reverse order; characters that a name may not have, as in an IPv6 address, become hyphens. */
function namespaceOf(origin: string): string {
  const labels = new URL(origin).hostname.split('.').reverse()
  return labels.join('.').replace(/[^a-zA-Z0-9.-]/g, '-')
}
