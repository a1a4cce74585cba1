import type { FastifyInstance } from 'fastify'
import { explorerState } from '../../../domain/clients/explorer-client.ts'
import type { MetadataClients } from '../../../domain/clients/metadata-clients.ts'
import { Prose } from '../../../foundation/html/components.tsx'
import { ErrorCatalogue, errorsMarkdown } from '../../../foundation/html/error-catalogue.tsx'
import { PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import { chooseMediaType, sendDocument } from '../../../foundation/http/conditional.ts'
import { DOCUMENTS } from '../../../foundation/protocol/endpoints.ts'
import type { AppContext } from '../../../gate/context.ts'
import { perSchool } from '../../../gate/school-gate.ts'
import { type SiteFrame, sitePage } from '../frame/layout.tsx'
import { sendPage } from '../frame/page-request.ts'
import { visitOf } from '../frame/visit.ts'
import { fillGuide, type GuideFacts, guideFacts, sectionsOf, standalone } from './guides.ts'

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
    standalone(fillGuide('guide', guideFacts(school, metadataClients)), school.origin),
  )
  const errorsText = perSchool(MARKDOWN, errorsMarkdown)

  app.get(DOCUMENTS.guide, async (request, reply) => {
    const { school } = request
    if (prefersMarkdown(request.headers.accept)) {
      return sendDocument(request, reply, guideText(school))
    }
    const visit = await visitOf(context, request, reply)
    const explorer = (await explorerState(request.schoolDb, school)) === 'on'
    const page = guidePage(visit.frame(), guideFacts(school, metadataClients), explorer)
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

const ERRORS_LEAD =
  'Every code that a program can get from this school, what causes it, and what to do.'

/** Every code of every surface. Answers link here, by the code as the fragment. */
export function errorsPage(frame: SiteFrame): string {
  return sitePage({
    ...frame,
    title: 'Errors',
    listed: { path: DOCUMENTS.errors, description: ERRORS_LEAD },
    markdown: DOCUMENTS.errorsMarkdown,
    children: (
      <>
        <PageHead
          title="Errors"
          up={{ url: '/docs', label: 'For developers' }}
          lead={ERRORS_LEAD}
        />
        <ErrorCatalogue />
      </>
    ),
  })
}

const GUIDE_LEAD = 'From the address of this school to a working client.'

/** One short page, in the order in which a developer needs the steps. */
export function guidePage(frame: SiteFrame, facts: GuideFacts, explorer: boolean): string {
  const [head, ...sections] = sectionsOf(fillGuide('guide', facts, { explorer }))
  return sitePage({
    ...frame,
    title: 'For developers',
    listed: { path: DOCUMENTS.guide, description: GUIDE_LEAD },
    markdown: DOCUMENTS.guideMarkdown,
    side: <Contents />,
    stylesheets: ['admin.css'],
    children: (
      <>
        <PageHead title={head?.title} />
        <Prose html={head?.html ?? ''} lang="en" />
        {sections.map(({ title, html }) => (
          <Panel id={ANCHORS.get(title)} title={title}>
            <Prose html={html} lang="en" />
          </Panel>
        ))}
      </>
    ),
  })
}

/** The sections of the guide by their titles, each with its anchor. */
const GROUPS = {
  'Copy and paste': {
    'Quick start for a member': 'member-road',
    'Quick start for an operator': 'operator-road',
  },
  'Step by step': {
    '1. Discover': 'discover',
    '2. Choose who you act for': 'choose',
    '3. Get a client_id': 'register',
    '4. Send the person here, and exchange the code': 'authorize',
    '5. Use it': 'use',
    '6. Read refusals': 'errors',
  },
  Later: {
    'Stay signed in': 'refresh',
    'Sign out': 'sign-out',
    'ID tokens': 'id-token',
    'Connect an assistant (MCP)': 'assistants',
    'Good to know': 'good-to-know',
  },
}

const ANCHORS = new Map(Object.values(GROUPS).flatMap((sections) => Object.entries(sections)))

const REFERENCE = {
  Errors: '/docs/errors',
  'REST API': '/docs/api',
  'GraphQL schema': '/schema.graphql',
  'Postman collection': '/postman.json',
  'This guide as Markdown': '/docs.md',
}

/** Beside the guide on wide screens, closed above it on narrow ones. */
function Contents() {
  return (
    <nav class="side" aria-label="On this page">
      <details class="menu">
        <summary>On this page</summary>
        <div class="menu-groups">
          {Object.entries(GROUPS).map(([group, sections]) => (
            <Group title={group} links={sections} prefix="#" />
          ))}
          <Group title="Reference" links={REFERENCE} />
        </div>
      </details>
    </nav>
  )
}

function Group(props: { title: string; links: Readonly<Record<string, string>>; prefix?: string }) {
  return (
    <div class="menu-group">
      <h2>{props.title}</h2>
      <ul>
        {Object.entries(props.links).map(([title, target]) => (
          <li>
            <a href={`${props.prefix ?? ''}${target}`}>{title}</a>
          </li>
        ))}
      </ul>
    </div>
  )
}
