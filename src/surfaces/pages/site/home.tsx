import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isOperator } from '../../../domain/actor/actor.ts'
import { publicPlans, publicProducts } from '../../../domain/commerce/public-offers.ts'
import { findFile, isPublicFile } from '../../../domain/content/file-operations.ts'
import { publicPages, publicPosts } from '../../../domain/content/public-writing.ts'
import { publicEventsToCome } from '../../../domain/events/public-events.ts'
import { publicCourses } from '../../../domain/learning/public-courses.ts'
import type { KeysetRange } from '../../../foundation/db/keyset.ts'
import { Address, Facts, Name } from '../../../foundation/html/components.tsx'
import { ButtonLink, Panel } from '../../../foundation/html/site-components.tsx'
import { LINK_HEADER } from '../../../foundation/http/link-header.ts'
import { UUID } from '../../../foundation/protocol/token-format.ts'
import type { FileStore } from '../../../foundation/storage/file-store.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import type { AppContext } from '../../../gate/context.ts'
import { sendStored } from '../frame/files.ts'
import { type SiteFrame, sitePage } from '../frame/layout.tsx'
import { PUBLIC_LISTS } from '../frame/public-lists.ts'
import { visitOf } from '../frame/visit.ts'
import { checkFactor } from '../sign-in/factor-needed.tsx'
import {
  courseRow,
  eventRow,
  type PublicRow,
  pageRow,
  planRow,
  postRow,
  productRow,
  type ShownCourse,
  type ShownEvent,
  type ShownPlan,
  type ShownProduct,
  type ShownText,
} from './public-rows.tsx'

const COURSES_SHOWN = 48
const EVENTS_SHOWN = 6
const POSTS_SHOWN = 5
const PAGES_SHOWN = 20
const OFFERS_SHOWN = 12

/** The home page of a school, public. */
export function addHomeRoutes(app: FastifyInstance, context: AppContext): void {
  app.get('/', async (request, reply) => {
    const { schoolDb: db, school } = request
    const [visit, courses, plans, products, events, posts, pages] = await Promise.all([
      visitOf(context, request, reply),
      firstOf(COURSES_SHOWN, (range) => publicCourses(db, '', range)),
      firstOf(OFFERS_SHOWN, (range) => publicPlans(db, '', range)),
      firstOf(OFFERS_SHOWN, (range) => publicProducts(db, '', range)),
      firstOf(EVENTS_SHOWN, (range) => publicEventsToCome(db, '', range)),
      firstOf(POSTS_SHOWN, (range) => publicPosts(db, '', range)),
      firstOf(PAGES_SHOWN, (range) => publicPages(db, '', range)),
    ])
    const { session } = visit
    const page = homePage({
      ...visit.frame(),
      tagline: school.appearance.tagline,
      description: school.description,
      timeZone: school.timeZone,
      origin: school.origin,
      developersShown: school.mcpConnections,
      personName: session?.person.name,
      offersSignUp: school.signUp && context.mailer !== undefined,
      courses,
      plans,
      products,
      events,
      posts,
      pages,
    })
    reply.headers(LINK_HEADER)
    return visit.page(page)
  })
}

async function firstOf<R>(
  shown: number,
  read: (range: KeysetRange) => Promise<R[]>,
): Promise<FirstOnes<R>> {
  const rows = await read({ limit: shown + 1, fromEnd: false })
  return { rows: rows.slice(0, shown), hasMore: rows.length > shown }
}

/** The first ones of a list. */
interface FirstOnes<R> {
  readonly rows: readonly R[]
  readonly hasMore: boolean
}

interface HomeProps extends SiteFrame {
  tagline: string
  description: string
  timeZone: string
  origin: string
  /** Whether operators can make apps, which is part of a beta feature. */
  developersShown: boolean
  /** Whether people may make an account by themselves. */
  offersSignUp: boolean
  /** Absent without a session. */
  personName?: string | undefined
  courses: FirstOnes<ShownCourse>
  plans: FirstOnes<ShownPlan>
  products: FirstOnes<ShownProduct>
  events: FirstOnes<ShownEvent>
  posts: FirstOnes<ShownText>
  pages: FirstOnes<ShownText>
}

export function homePage(props: HomeProps): string {
  const { school, timeZone } = props
  return sitePage({
    ...props,
    title: 'Home',
    listed: {
      path: '/',
      title: school.name,
      description: props.description || props.tagline,
    },
    children: (
      <>
        <Hero {...props} />
        <Section kind="courses" first={props.courses} row={courseRow} timeZone={timeZone} />
        <Section kind="plans" first={props.plans} row={planRow} timeZone={timeZone} />
        <Section kind="products" first={props.products} row={productRow} timeZone={timeZone} />
        <Section kind="events" first={props.events} row={eventRow} timeZone={timeZone} />
        <Section kind="posts" first={props.posts} row={postRow} timeZone={timeZone} />
        <Section kind="pages" first={props.pages} row={pageRow} timeZone={timeZone} />
        {props.developersShown && <Developers school={school.name} origin={props.origin} />}
      </>
    ),
  })
}

/** Absent while the school has none of this kind. */
function Section<R>(props: {
  kind: keyof typeof PUBLIC_LISTS
  first: FirstOnes<R>
  row: PublicRow<R>
  timeZone: string
}) {
  const { title, look, path, all } = PUBLIC_LISTS[props.kind]
  const { rows, hasMore } = props.first
  const { timeZone } = props
  if (rows.length === 0) return null
  return (
    <Panel title={title}>
      <ul class={look}>{rows.map((row) => props.row(row, { timeZone, heading: 'h3' }))}</ul>
      {hasMore && (
        <p class="actions">
          <a href={path}>{all}</a>
        </p>
      )}
    </Panel>
  )
}

/** Each costs as much as a long one, and a description has room for thousands of one letter. */
const MAX_PARAGRAPHS = 50

function Hero({ school, tagline, description, personName, offersSignUp, viewer }: HomeProps) {
  const paragraphs = description
    .split(/\n\s*\n/, MAX_PARAGRAPHS)
    .filter((text) => text.trim() !== '')
  return (
    <div class="hero">
      <h1 dir="auto">{plainText(school.name) || 'School'}</h1>
      {tagline !== '' && (
        <p class="lead" dir="auto">
          {plainText(tagline)}
        </p>
      )}
      {paragraphs.map((text) => (
        <p class="lead" dir="auto">
          {plainText(text, 2000)}
        </p>
      ))}
      <div class="actions">
        {personName === undefined ? (
          <>
            <ButtonLink look="primary" href="/sign-in">
              Sign in
            </ButtonLink>
            {offersSignUp && (
              <ButtonLink look="plain" href="/sign-up">
                Make an account
              </ButtonLink>
            )}
          </>
        ) : (
          <>
            <ButtonLink look="primary" href="/account">
              Your account
            </ButtonLink>
            {viewer?.operator && (
              <ButtonLink look="plain" href="/admin">
                Admin area
              </ButtonLink>
            )}
            <p class="row-note">
              Signed in as <Name text={personName} fallback="you" />
            </p>
          </>
        )}
      </div>
    </div>
  )
}

function Developers({ school, origin }: { school: string; origin: string }) {
  return (
    <Panel
      title="For developers"
      lead={
        <>
          Members of <Name text={school} fallback="this school" /> can connect apps to their
          account. If you build one, start here.
        </>
      }
    >
      <Facts
        rows={[
          ['Guide', <a href="/docs">From this address to a working client</a>],
          ['Issuer', <Address text={origin} />],
          [
            'Metadata',
            <a href="/.well-known/oauth-authorization-server">
              /.well-known/oauth-authorization-server
            </a>,
          ],
          ['Tools for assistants of members (MCP)', <Address text={`${origin}/mcp/member`} />],
          ['Tools for assistants of owners and admins (MCP)', <Address text={`${origin}/mcp`} />],
        ]}
      />
    </Panel>
  )
}

/**
 * The files of a school, for everyone who knows the address. Those of lectures and products are
 * here for owners and admins alone: members download them at the lecture or the product, which
 * decides whether they may.
 */
export function addFileRoute(app: FastifyInstance, store: FileStore): void {
  app.get('/files/:id', async (request, reply) => {
    const { id } = request.params as { id: string }
    const file = UUID.test(id) ? await findFile(request.schoolDb, id) : undefined
    if (file === undefined) return reply.callNotFound()
    if (isPublicFile(file)) {
      reply.header('etag', `"${file.sha256}"`)
      return await sendStored(reply, store, file, 'public')
    }
    // As if there were no such file, so that an address cannot be tried out.
    if (!(await isOfOperator(request))) return reply.callNotFound()
    return await sendStored(reply, store, file, 'private')
  })
}

async function isOfOperator(request: FastifyRequest): Promise<boolean> {
  const session = await findBrowserSession(request)
  if (session === undefined || !isOperator(session.roles)) return false
  checkFactor(request, session)
  return true
}
