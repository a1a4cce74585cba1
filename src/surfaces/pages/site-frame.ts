import type { FastifyReply, FastifyRequest } from 'fastify'
import { isOperator } from '../../domain/actor/actor.ts'
import type { BrowserSession } from '../../domain/people/sessions.ts'
import { rawPath, rawQuery } from '../../foundation/http/request-body.ts'
import { brandingOf } from '../../gate/branding.ts'
import type { AppContext } from '../../gate/context.ts'
import { formTokenFor } from './page-request.ts'
import type { Notice, SiteFrame } from './views/site-layout.tsx'

/** Messages after a post. The address contains only the key, so a link cannot put its own text on a page. */
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

/** PostgreSQL refuses text with a NUL byte. With the replacement the search finds nothing instead. */
export function withoutNul(text: string): string {
  return text.replaceAll('\0', '\ufffd')
}

/** The slug in the address of a public page. */
export function slugOf(request: FastifyRequest): string {
  return withoutNul((request.params as { slug: string }).slug)
}
