import type { MetadataClients } from '../../../domain/clients/metadata-clients.ts'
import type { School, SchoolVariant } from '../../../domain/schools/school.ts'
import { publishedKeys, signsIdTokens } from '../../../domain/schools/signing.ts'

/** What the guides of an origin depend on: the same values as its discovery documents. */
export interface GuideFacts {
  readonly name: string
  readonly origin: string
  readonly variant: SchoolVariant
  readonly signsIdTokens: boolean
  /** Keys may be published before they sign. */
  readonly publishesKeys: boolean
  /** Whether discovery announces client metadata documents. */
  readonly documents: boolean
  /**
   * Whether documents of any other host resolve here; a school with only its own tools permits
   * none.
   */
  readonly foreignDocuments: boolean
  /** Whether the admin area has the group Developers. */
  readonly mcpConnections: boolean
}

export function guideFacts(school: School, metadataClients: MetadataClients): GuideFacts {
  return {
    name: school.name,
    origin: school.origin,
    variant: school.variant,
    signsIdTokens: signsIdTokens(school),
    publishesKeys: publishedKeys(school).length > 0,
    documents: metadataClients.areSupportedAt(school),
    foreignDocuments: metadataClients.arePermittedAt(school),
    mcpConnections: school.mcpConnections,
  }
}

/** What the guide of an origin depends on. */
export interface GuideProps extends GuideFacts {
  /** Whether the school has the Member API explorer; for people, who have a browser. */
  readonly explorer: boolean
}
