import { ErrorCatalogue } from '../../../../foundation/html/error-catalogue.tsx'
import { PageHead } from '../../../../foundation/html/site-components.tsx'
import { DOCUMENTS } from '../../../../foundation/protocol/endpoints.ts'
import { type SiteFrame, sitePage } from '../site-layout.tsx'

/** Every code of every surface. Answers link here, by the code as the fragment. */
export function errorsPage(frame: SiteFrame): string {
  return sitePage({
    ...frame,
    title: 'Errors',
    listed: true,
    markdown: DOCUMENTS.errorsMarkdown,
    children: (
      <>
        <PageHead
          title="Errors"
          up={{ url: '/docs', label: 'For developers' }}
          lead="Every code that a program can get from this school, what causes it, and what to do."
        />
        <ErrorCatalogue />
      </>
    ),
  })
}
