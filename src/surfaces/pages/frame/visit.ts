import type { FastifyReply, FastifyRequest } from 'fastify'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import type { PageKind } from '../../../foundation/http/security-headers.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import type { AppContext } from '../../../gate/context.ts'
import { frameFor, type Notices, type SiteFrame } from './layout.tsx'
import {
  checkedForm,
  formTokenFor,
  redirectTo,
  sendPage,
  sendScriptedPage,
} from './page-request.ts'
import { loadBrowserSession, loadMemberSession, memberOf } from './session.ts'

/** One request to a page: who sends it, and the ways to answer. */
export class Visit<Session extends BrowserSession | undefined = BrowserSession | undefined> {
  readonly context: AppContext
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly session: Session

  constructor(context: AppContext, request: FastifyRequest, reply: FastifyReply, session: Session) {
    this.context = context
    this.request = request
    this.reply = reply
    this.session = session
  }

  isSignedIn(): this is SignedInVisit {
    return this.session !== undefined
  }

  /** Rows of the school of this request. */
  get db(): SchoolDb {
    return this.request.schoolDb
  }

  /**
   * The member who sends it; undefined for a person without a role here, who reads what a visitor
   * reads.
   */
  get memberId(): string | undefined {
    return memberOf(this.session)
  }

  /** The frame of a page of the site. Without a session it offers to sign in. */
  frame(notices?: Notices): SiteFrame {
    return frameFor(this.context, this.request, this.reply, this.session, notices)
  }

  page(html: string, status = 200, kind: PageKind = 'site', policy?: string): FastifyReply {
    return sendPage(this.reply, this.request, kind, html, status, policy)
  }

  /** A page with this script of `assets/`. */
  scriptedPage(script: string, html: string, status = 200, kind: PageKind = 'site'): FastifyReply {
    return sendScriptedPage(this.reply, this.request, kind, script, html, status)
  }

  goTo(location: string, kind: PageKind = 'site'): FastifyReply {
    return redirectTo(this.reply, this.request, kind, location)
  }

  /** The hidden field of a form that this browser gets. */
  formToken(): string {
    return formTokenFor(this.context.keyring, this.request, this.reply, this.session)
  }

  /** The fields of a form. Refuses one that we did not serve to this browser. */
  form(): URLSearchParams {
    return checkedForm(this.context.keyring, this.request, this.session)
  }
}

export type SignedInVisit = Visit<BrowserSession>

/** Of anyone, with the session of the browser if it has one. */
export async function visitOf(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Visit> {
  return new Visit(context, request, reply, await findBrowserSession(request))
}

/**
 * Of a person who is signed in. A post cannot be repeated after signing in, so it passes the page
 * of its form as `returnTo`.
 */
export async function signedInVisit(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  returnTo?: string,
): Promise<SignedInVisit> {
  return new Visit(context, request, reply, await loadBrowserSession(request, returnTo))
}

/** Of a person who is signed in and has a role at the school. */
export async function memberVisit(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  returnTo?: string,
): Promise<SignedInVisit> {
  return new Visit(context, request, reply, await loadMemberSession(request, returnTo))
}
