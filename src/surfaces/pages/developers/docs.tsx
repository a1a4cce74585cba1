import type { FastifyInstance } from 'fastify'
import { explorerState } from '../../../domain/clients/explorer-client.ts'
import type { MetadataClients } from '../../../domain/clients/metadata-clients.ts'
import type { School } from '../../../domain/schools/school.ts'
import { Address } from '../../../foundation/html/components.tsx'
import { ErrorCatalogue } from '../../../foundation/html/error-catalogue.tsx'
import { PageHead } from '../../../foundation/html/site-components.tsx'
import { toMarkdown } from '../../../foundation/html/to-markdown.ts'
import { chooseMediaType, sendDocument } from '../../../foundation/http/conditional.ts'
import { DOCUMENTS } from '../../../foundation/protocol/endpoints.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import { perSchool } from '../../../gate/school-gate.ts'
import { type SiteFrame, sitePage } from '../frame/layout.tsx'
import { sendPage } from '../frame/page-request.ts'
import { visitOf } from '../frame/visit.ts'
import { Choose, Discover, IdTokens, Pitfalls, Register } from './first-requests.tsx'
import { CodeFlow, Refreshing, SigningOut } from './flow.tsx'
import { type GuideFacts, type GuideProps, guideFacts } from './guide-facts.ts'
import { MemberQuickStart, OperatorQuickStart } from './quick-starts.tsx'
import { Assistants, Contents } from './sections.tsx'
import { Errors, Use } from './use.tsx'

const MARKDOWN = {
  maxAgeSeconds: 300,
  contentType: 'text/markdown; charset=utf-8',
  vary: 'Accept',
  anyOrigin: true,
} as const

/** The guides for developers of clients, with the addresses and features of this origin. */
export function addDocsRoutes(
  app: FastifyInstance,
  context: AppContext,
  metadataClients: MetadataClients,
): void {
  const guideText = perSchool(MARKDOWN, (school) =>
    guideMarkdown(guideFacts(school, metadataClients)),
  )
  const errorsText = perSchool(MARKDOWN, errorsMarkdown)

  app.get(DOCUMENTS.guide, async (request, reply) => {
    const { school } = request
    if (prefersMarkdown(request.headers.accept)) {
      return sendDocument(request, reply, guideText(school))
    }
    const visit = await visitOf(context, request, reply)
    const page = guidePage(visit.frame(), {
      ...guideFacts(school, metadataClients),
      explorer: (await explorerState(request.schoolDb, school)) === 'on',
    })
    return sendPage(reply.header('vary', 'Accept'), request, 'site', page)
  })
  app.get(DOCUMENTS.errors, async (request, reply) => {
    if (prefersMarkdown(request.headers.accept)) {
      return sendDocument(request, reply, errorsText(request.school))
    }
    const visit = await visitOf(context, request, reply)
    const page = errorsPage(visit.frame())
    return sendPage(reply.header('vary', 'Accept'), request, 'site', page)
  })
  app.get(DOCUMENTS.guideMarkdown, (request, reply) =>
    sendDocument(request, reply, guideText(request.school)),
  )
  app.get(DOCUMENTS.errorsMarkdown, (request, reply) =>
    sendDocument(request, reply, errorsText(request.school)),
  )
}

/** A page for everything else, also for programs that accept anything. */
function prefersMarkdown(accept: string | undefined): boolean {
  // A browser never names it; a program that names both takes it gladly.
  if (accept === undefined || !/text\/markdown/i.test(accept)) return false
  return chooseMediaType(accept, ['text/markdown', 'text/html']) === 'text/markdown'
}

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

/** The guide without the explorer, which needs a browser. */
function guideMarkdown(facts: GuideFacts): string {
  return toMarkdown(<Guide {...facts} explorer={false} />, facts.origin)
}

function errorsMarkdown({ origin }: School): string {
  return toMarkdown(
    <>
      <h1>Errors</h1>
      <ErrorCatalogue />
    </>,
    origin,
  )
}

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
function Guide(props: GuideProps) {
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
      <MemberQuickStart {...props} />
      <OperatorQuickStart {...props} />
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
