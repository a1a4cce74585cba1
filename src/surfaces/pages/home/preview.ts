import type { FastifyRequest } from 'fastify'
import { isOperator } from '../../../domain/actor/actor.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { checkFactor } from '../second-factor/factor-needed.ts'
import { queryOf } from '../site-frame.ts'
import type { SiteFrame } from '../views/site-layout.tsx'

/** Whether the address asks for a page as it will look when it is published. */
export function asksForPreview(request: FastifyRequest): boolean {
  return queryOf(request).has('preview')
}

/** Whether an owner or admin asks for it: other people are answered as if it did not exist. */
export function isPreview(
  request: FastifyRequest,
  session: BrowserSession | undefined,
): session is BrowserSession {
  if (session === undefined || !asksForPreview(request) || !isOperator(session.roles)) return false
  checkFactor(request, session)
  return true
}

/** Marks the page, so that a draft is not taken for what visitors see. */
export function withPreviewMark(
  frame: SiteFrame,
  isMarked: boolean,
  { isPublic }: { readonly isPublic: boolean },
): SiteFrame {
  if (!isMarked) return frame
  if (isPublic) return { ...frame, notice: 'This page is public. Visitors see it like this.' }
  return {
    ...frame,
    notice: { warning: 'This is a preview. Only owners and admins can see it.' },
  }
}
