import type { School } from '../../../domain/schools/school.ts'
import { ErrorCatalogue } from '../../../foundation/html/error-catalogue.tsx'
import { toMarkdown } from '../../../foundation/html/to-markdown.ts'
import { Guide } from '../views/guide/guide.tsx'
import type { GuideFacts } from './guide-facts.ts'

/** The guide without the explorer, which needs a browser. */
export function guideMarkdown(facts: GuideFacts): string {
  return toMarkdown(<Guide {...facts} explorer={false} />, facts.origin)
}

export function errorsMarkdown({ origin }: School): string {
  return toMarkdown(
    <>
      <h1>Errors</h1>
      <ErrorCatalogue />
    </>,
    origin,
  )
}
