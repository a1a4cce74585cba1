import { Address, Name } from '../../../foundation/html/components.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import { plainText } from '../../../foundation/html/plain-text.ts'
import { ButtonLink, Panel } from '../../../foundation/html/site-components.tsx'
import { formatMoney } from './money.ts'
import { type SiteFrame, sitePage } from './site-layout.tsx'
import { count } from './words.ts'

interface ShownOffer {
  slug: string
  title: string
  /** In minor units of the currency. */
  priceAmount: number
  currency: string
}

interface ShownCourse extends ShownOffer {
  summary: string
}

interface ShownPlan extends Omit<ShownOffer, 'title'> {
  name: string
  interval: 'month' | 'year'
  courses: readonly string[]
}

interface ShownEvent {
  slug: string
  title: string
  startsAt: Date
  location: string
}

interface ShownText {
  slug: string
  title: string
  publishedAt: Date
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
  courses: readonly ShownCourse[]
  plans: readonly ShownPlan[]
  products: readonly ShownOffer[]
  events: readonly ShownEvent[]
  posts: readonly ShownText[]
  pages: readonly ShownText[]
}

export function homePage(props: HomeProps): string {
  const { school, courses, events } = props
  return sitePage({
    ...props,
    title: 'Home',
    listed: true,
    children: (
      <>
        <Hero {...props} />
        {courses.length > 0 && (
          <Panel title="Courses">
            <ul class="offers">
              {courses.map((course) => (
                <Offer path="/courses/" {...course} />
              ))}
            </ul>
          </Panel>
        )}
        {props.plans.length > 0 && (
          <Panel title="Memberships">
            <ul class="offers">
              {props.plans.map((plan) => (
                <Offer
                  path="/plans/"
                  {...plan}
                  title={plan.name}
                  summary={count(plan.courses.length, 'course', 'courses')}
                  each={plan.interval}
                />
              ))}
            </ul>
          </Panel>
        )}
        {props.products.length > 0 && (
          <Panel title="Downloads">
            <ul class="offers">
              {props.products.map((product) => (
                <Offer path="/products/" {...product} />
              ))}
            </ul>
          </Panel>
        )}
        {events.length > 0 && (
          <Panel title="Coming up">
            <ul class="rows">
              {events.map((event) => (
                <li>
                  <div>
                    <h3 dir="auto">
                      <a href={`/events/${event.slug}`}>{plainText(event.title)}</a>
                    </h3>
                    <p class="row-note" dir="auto">
                      {plainText(event.location)}
                    </p>
                  </div>
                  <p class="row-note">
                    <Moment at={event.startsAt} timeZone={props.timeZone} />
                  </p>
                </li>
              ))}
            </ul>
          </Panel>
        )}
        {props.posts.length > 0 && (
          <Panel title="News">
            <ul class="rows">
              {props.posts.map((post) => (
                <li>
                  <h3 dir="auto">
                    <a href={`/posts/${post.slug}`}>{plainText(post.title)}</a>
                  </h3>
                  <p class="row-note">
                    <Moment at={post.publishedAt} timeZone={props.timeZone} />
                  </p>
                </li>
              ))}
            </ul>
          </Panel>
        )}
        {props.pages.length > 0 && (
          <Panel title="Good to know">
            <ul class="rows">
              {props.pages.map((page) => (
                <li>
                  <h3 dir="auto">
                    <a href={`/pages/${page.slug}`}>{plainText(page.title)}</a>
                  </h3>
                </li>
              ))}
            </ul>
          </Panel>
        )}
        {props.developersShown && (
          <Developers school={plainText(school.name)} origin={props.origin} />
        )}
      </>
    ),
  })
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

function Offer(props: ShownOffer & { path: string; summary?: string; each?: string }) {
  const { path, slug, title, summary = '', priceAmount, currency, each } = props
  const price = formatMoney(priceAmount, currency)
  return (
    <li>
      <h3 dir="auto">
        <a href={path + slug}>{plainText(title)}</a>
      </h3>
      {summary !== '' && (
        <p class="row-note" dir="auto">
          {plainText(summary)}
        </p>
      )}
      <p class="price">{each === undefined ? price : `${price} a ${each}`}</p>
    </li>
  )
}

function Developers({ school, origin }: { school: string; origin: string }) {
  return (
    <Panel
      title="For developers"
      lead={`Members of ${school} can connect apps to their account. If you build one, start here.`}
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
