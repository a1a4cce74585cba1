import { Address } from '../../../../foundation/html/components.tsx'
import { plainText } from '../../../../foundation/html/plain-text.ts'
import { PageHead } from '../../../../foundation/html/site-components.tsx'
import { DOCUMENTS } from '../../../../foundation/protocol/endpoints.ts'
import { type SiteFrame, sitePage } from '../site-layout.tsx'
import { Assistants } from './assistants.tsx'
import { IdTokens, Pitfalls } from './details.tsx'
import { Choose, Discover, Register } from './first-steps.tsx'
import { CodeFlow, Refreshing, SigningOut } from './flow.tsx'
import type { GuideProps } from './guide-props.ts'
import { MemberRoad, OperatorRoad } from './roads.tsx'
import { Contents } from './sections.tsx'
import { Errors, Use } from './use.tsx'

/** One short page, in the order in which a developer needs the steps. */
export function guidePage(frame: SiteFrame, props: GuideProps): string {
  return sitePage({
    ...frame,
    title: 'For developers',
    listed: true,
    markdown: DOCUMENTS.guideMarkdown,
    side: <Contents />,
    stylesheets: ['admin.css'],
    children: <Guide {...props} />,
  })
}

/** The content alone, which is also sent as Markdown. */
export function Guide(props: GuideProps) {
  const { origin } = props
  return (
    <>
      <PageHead
        title="Build a client"
        lead={
          <>
            From <Address text={origin} /> to a working client of {plainText(props.name)}: two quick
            starts to copy, and the same in six steps. Every command is for this origin.
          </>
        }
      />
      <MemberRoad {...props} />
      <OperatorRoad {...props} />
      <Discover origin={origin} />
      <Choose {...props} />
      <Register {...props} />
      <CodeFlow {...props} />
      <Use {...props} />
      <Errors {...props} />
      <Refreshing origin={origin} />
      <SigningOut {...props} />
      <IdTokens {...props} />
      <Assistants {...props} />
      <Pitfalls {...props} />
    </>
  )
}
