import { DOCUMENTS } from '../protocol/endpoints.ts'

/**
 * Leads from any answer to what describes the origin. Relative, so it is the same at every school.
 *
 * @see RFC 8288 §3, RFC 8631 §4, RFC 9727 §3
 */
export const SIGNPOSTS = {
  link: [
    `<${DOCUMENTS.guide}>; rel="service-doc"; type="text/html"`,
    `<${DOCUMENTS.openapi}>; rel="service-desc"; type="application/json"`,
    `<${DOCUMENTS.apiCatalog}>; rel="api-catalog"`,
  ].join(', '),
} as const
