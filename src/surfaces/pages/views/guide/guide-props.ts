import type { GuideFacts } from '../../docs/guide-facts.ts'

/** What the guide of an origin depends on. */
export interface GuideProps extends GuideFacts {
  /** Whether the school has the Member API explorer; for people, who have a browser. */
  readonly explorer: boolean
}
