import type { SchoolVariant } from '../../../../domain/schools/school.ts'
import type { SiteFrame } from '../site-layout.tsx'

/** What the guide of an origin depends on. */
export interface GuideProps extends SiteFrame {
  origin: string
  variant: SchoolVariant
  signsIdTokens: boolean
  /** Keys may be published before they sign. */
  publishesKeys: boolean
  /** Whether the school has the Member API explorer. */
  explorer: boolean
  /** Whether discovery announces client metadata documents. */
  documents: boolean
  /** Whether documents of any other host resolve here; a school with only its own tools permits none. */
  foreignDocuments: boolean
  /** Whether the admin area has the group Developers. */
  mcpConnections: boolean
}
