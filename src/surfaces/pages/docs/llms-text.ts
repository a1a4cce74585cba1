import { plainText } from '../../../foundation/html/plain-text.ts'
import { markdownText } from '../../../foundation/html/to-markdown.ts'
import { DOCUMENTS, SERVER_CARD } from '../../../foundation/protocol/endpoints.ts'
import { TOOL_ENDPOINTS } from '../../../foundation/protocol/resource-names.ts'
import type { GuideFacts } from './guide-facts.ts'

/** What a language model finds at this origin. @see llmstxt.org */
export function llmsText({ name, origin, variant }: GuideFacts): string {
  const link = (title: string, path: string, about: string) =>
    `- [${title}](${origin}${path}): ${about}`
  const own =
    variant === 'newer'
      ? 'courses, progress, schedule, payments, notifications'
      : 'courses, progress, notifications'
  return `# ${markdownText(plainText(name))}

> An online school. People read its courses and events without signing in; a member reads their own data (${own}), and an owner or admin runs the school, each with a token that they allow in a browser.

## Guides

${link('Access', DOCUMENTS.auth, 'how a program gets, uses and ends access')}
${link('Guide for developers', DOCUMENTS.guideMarkdown, 'every step with commands for this origin')}
${link('Errors', DOCUMENTS.errorsMarkdown, 'every code with cause and remedy')}

## Interfaces

${link('Tools for owners and admins (MCP)', TOOL_ENDPOINTS.operator, 'public tools without a token; POST only')}
${link('Tools for members (MCP)', TOOL_ENDPOINTS.member, 'the same tools, with the scopes of members')}
${link('Card of the tool endpoint', TOOL_ENDPOINTS.operator + SERVER_CARD, 'its transport and versions')}
${link('REST API', DOCUMENTS.openapi, 'OpenAPI 3.1, for operator tokens')}
${link('Member API', DOCUMENTS.graphqlSchema, 'GraphQL schema, for member tokens')}
${link('Authorization server', DOCUMENTS.authorizationServer, 'endpoints, grant types, scopes')}

## Optional

${link('Reference of the REST API', DOCUMENTS.reference, 'for people')}
${link('Postman collection', DOCUMENTS.postman, 'every REST operation')}
${link('API catalog', DOCUMENTS.apiCatalog, 'RFC 9727')}
`
}
