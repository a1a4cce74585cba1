import { Address, Name } from '../../../foundation/html/components.tsx'
import { plainText } from '../../../foundation/html/plain-text.ts'
import { ButtonLink, Panel } from '../../../foundation/html/site-components.tsx'
import { PUBLIC_LISTS } from './public-list.tsx'
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
import { type SiteFrame, sitePage } from './site-layout.tsx'

/** The first ones of a list. */
export interface FirstOnes<R> {
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
    listed: true,
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

function Hero({ school, tagline, description, personName, viewer }: HomeProps) {
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
          <ButtonLink look="primary" href="/sign-in">
            Sign in
          </ButtonLink>
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
      <dl class="facts">
        <div>
          <dt>Guide</dt>
          <dd>
            <a href="/docs">From this address to a working client</a>
          </dd>
        </div>
        <div>
          <dt>Issuer</dt>
          <dd>
            <Address text={origin} />
          </dd>
        </div>
        <div>
          <dt>Metadata</dt>
          <dd>
            <a href="/.well-known/oauth-authorization-server">
              /.well-known/oauth-authorization-server
            </a>
          </dd>
        </div>
        <div>
          <dt>Tools for assistants of members (MCP)</dt>
          <dd>
            <Address text={`${origin}/mcp/member`} />
          </dd>
        </div>
        <div>
          <dt>Tools for assistants of owners and admins (MCP)</dt>
          <dd>
            <Address text={`${origin}/mcp`} />
          </dd>
        </div>
      </dl>
    </Panel>
  )
}
