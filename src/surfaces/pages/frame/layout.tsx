import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import { isOperator } from '../../../domain/actor/actor.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { Alert, Button, Form } from '../../../foundation/html/components.tsx'
import {
  type Branding,
  Document,
  Footer,
  type Listing,
  renderPage,
  SchoolMark,
} from '../../../foundation/html/layout.tsx'
import { rawPath, rawQuery } from '../../../foundation/http/request-body.ts'
import { brandingOf } from '../../../gate/branding.ts'
import type { AppContext } from '../../../gate/context.ts'
import { formTokenFor } from './page-request.ts'
import { SearchField } from './search-field.tsx'

/** The signed-in person, as far as the frame of a page needs it. */
export interface Viewer {
  operator: boolean
  formToken: string
}

/** The result of a post: a text that it is done, or a warning that says why nothing was done. */
type Notice = string | { readonly warning: string }

/** What every page of the site needs, besides its content. */
export interface SiteFrame {
  school: Branding
  /** The path of the page, to mark it in the navigation. */
  here: string
  viewer?: Viewer | undefined
  /** Present after a post. */
  notice?: Notice | undefined
  /** Set while an operator looks at it as visitors will see it. */
  isMarked?: boolean | undefined
}

interface SiteLayoutProps extends SiteFrame {
  title: string
  /** Present if search engines may list it. */
  listed?: Listing | false
  /** Where the same text stands as Markdown. */
  markdown?: string
  /** What was searched for, on the page of the search. */
  searchText?: string | undefined
  /** A second navigation, for sections with several pages. */
  side?: ComponentChildren
  /** Uses the width of large screens, for tables. */
  wide?: boolean
  /** Files of `assets/`, in addition to those of every page. */
  stylesheets?: readonly string[]
  /** A file of `assets/`; send the page with `sendScriptedPage`. */
  script?: string | undefined
  children: ComponentChildren
}

/** A page with the main navigation. Pages for one task, such as sign-in, use `Layout` instead. */
export function sitePage(props: SiteLayoutProps): string {
  const { school, title, side, notice, children } = props
  return renderPage(
    <Document
      title={title}
      school={school}
      listed={props.isMarked !== true && props.listed}
      markdown={props.markdown}
      stylesheets={['site.css', ...(props.stylesheets ?? [])]}
      script={props.script}
    >
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <TopBar {...props} />
      <div class={classOf(props)}>
        {side}
        <main id="main" tabIndex={-1}>
          {notice !== undefined && <NoticeAlert notice={notice} />}
          {children}
        </main>
      </div>
      <Footer branded />
    </Document>,
  )
}

function classOf({ side, wide }: SiteLayoutProps): string {
  if (side === undefined) return 'site'
  return wide === true ? 'site site-with-side site-wide' : 'site site-with-side'
}

function NoticeAlert({ notice }: { notice: Notice }) {
  return typeof notice === 'string' ? (
    <Alert tone="success" title={notice} />
  ) : (
    <Alert tone="warning" title={notice.warning} />
  )
}

export const SITE_SEARCH_PATH = '/search'

/** Areas that are not what the school shows to everyone. */
const OWN_AREA = /^\/(?:account|admin)(?:\/|$)/

function TopBar({
  school,
  here,
  viewer,
  searchText,
}: SiteFrame & { searchText?: string | undefined }) {
  return (
    <header class="top-bar">
      <a class="top-bar-school" href="/">
        <SchoolMark school={school} />
      </a>
      {!OWN_AREA.test(here) && (
        <SearchField
          path={SITE_SEARCH_PATH}
          label="Search this school"
          look="site-search"
          placeholder="Search"
          text={searchText}
        />
      )}
      <nav class="top-nav" aria-label="Main">
        {viewer === undefined ? (
          <NavLink href={signInFrom(here)} here={here}>
            Sign in
          </NavLink>
        ) : (
          <>
            <AreaLink href="/account" here={here}>
              Account
            </AreaLink>
            {viewer.operator && (
              <AreaLink href="/admin" here={here}>
                Admin
              </AreaLink>
            )}
            <Form action="/sign-out" formToken={viewer.formToken}>
              <Button look="quiet">Sign out</Button>
            </Form>
          </>
        )}
      </nav>
    </header>
  )
}

/** The home page says nothing about what the person wants: they go on to their own home. */
function signInFrom(here: string): string {
  return here === '/' ? '/sign-in' : `/sign-in?return_to=${encodeURIComponent(here)}`
}

interface NavLinkProps {
  href: string
  here: string
  children: ComponentChildren
}

/** Marked on all pages of its area, and as the page itself only on the first. */
function AreaLink({ href, here, children }: NavLinkProps) {
  if (!here.startsWith(`${href}/`)) return NavLink({ href, here, children })
  return (
    <a href={href} aria-current="true">
      {children}
    </a>
  )
}

export function NavLink(props: NavLinkProps) {
  return (
    <a href={props.href} aria-current={props.href === props.here ? 'page' : undefined}>
      {props.children}
    </a>
  )
}

/**
 * Messages after a post. The address contains only the key, so a link cannot put its own text on a
 * page.
 */
export type Notices = Readonly<Record<string, Notice>>

/** The frame of a page of the site. Without a session it offers to sign in. */
export function frameFor(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  session: BrowserSession | undefined,
  notices: Notices = {},
): SiteFrame {
  const done = queryOf(request).get('done') ?? ''
  return {
    school: brandingOf(request.school),
    here: rawPath(request.raw.url ?? '/'),
    viewer:
      session === undefined
        ? undefined
        : {
            operator: isOperator(session.roles),
            formToken: formTokenFor(context.keyring, request, reply, session),
          },
    notice: Object.hasOwn(notices, done) ? notices[done] : undefined,
  }
}

export function queryOf(request: FastifyRequest): URLSearchParams {
  return new URLSearchParams(rawQuery(request.raw.url ?? ''))
}

/**
 * PostgreSQL refuses text with a NUL byte. With the replacement the search finds nothing instead.
 */
export function withoutNul(text: string): string {
  return text.replaceAll('\0', '\ufffd')
}

/** The slug in the address of a public page. */
export function slugOf(request: FastifyRequest): string {
  return withoutNul((request.params as { slug: string }).slug)
}

/** The first page of the section that a path belongs to. */
export function startOfSection(path: string): { url: string; label: string } {
  if (path.startsWith('/admin')) return { url: '/admin', label: 'the admin area' }
  if (path.startsWith('/account')) return { url: '/account', label: 'your account' }
  return { url: '/', label: 'the home page' }
}
