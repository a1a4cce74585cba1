import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Branding } from '../../../foundation/html/layout.tsx'
import type { PageKind } from '../../../foundation/http/security-headers.ts'
import { brandingOf } from '../../../gate/branding.ts'
import type { AppContext } from '../../../gate/context.ts'
import { queryOf } from '../frame/layout.tsx'
import type { Busy } from '../frame/page-request.ts'
import { type Visit, visitOf } from '../frame/visit.ts'

/** What keeps the form from being carried out: it is shown again. */
type LinkProblem = Busy | { readonly kind: string }

export interface LinkQuestion<Opened, Problem> {
  school: Branding
  formToken: string
  /** As it stands in the address. The form sends it again. */
  link: string
  opened: Opened
  problem?: Problem | undefined
  /** The form that is shown again. */
  typed?: URLSearchParams | undefined
}

/** The page behind a link in a mail. */
export interface MailLink<Opened, Problem extends LinkProblem> {
  readonly path: string
  /** The field that carries the link, in the address and in the form. */
  readonly field: 'link' | 'token'
  readonly kind?: PageKind
  /** Undefined if the link was used, or is too old. */
  readonly open: (visit: Visit, link: string) => Promise<Opened | undefined>
  /** What a person gets to whom the question is not put. */
  readonly instead?: (visit: Visit, opened: Opened) => FastifyReply | undefined
  readonly question: (props: LinkQuestion<Opened, Problem>) => string
  readonly expiredPage: (school: Branding) => string
  /** The fields of the form, if a session alone does not prove it. */
  readonly form?: (visit: Visit) => URLSearchParams
  /** What the form does. The link is judged here once more. */
  readonly act: (
    visit: Visit,
    link: string,
    form: URLSearchParams,
  ) => Promise<FastifyReply | Problem | 'expired'>
}

/** Opening a link changes nothing, because programs that check mails open links too. */
export function addMailLinkRoutes<Opened, Problem extends LinkProblem>(
  app: FastifyInstance,
  context: AppContext,
  page: MailLink<Opened, Problem>,
): void {
  const { path, field, kind } = page
  const expired = (visit: Visit) =>
    visit.page(page.expiredPage(brandingOf(visit.request.school)), 400, kind)

  const ask = async (visit: Visit, link: string, problem?: Problem, typed?: URLSearchParams) => {
    const opened = await page.open(visit, link)
    if (opened === undefined) return expired(visit)
    const other = page.instead?.(visit, opened)
    if (other !== undefined) return other
    const isBusy = problem !== undefined && 'retryAfterSeconds' in problem
    if (isBusy) visit.reply.header('retry-after', problem.retryAfterSeconds)
    const school = brandingOf(visit.request.school)
    const formToken = visit.formToken()
    const html = page.question({ school, formToken, link, opened, problem, typed })
    return visit.page(html, problem === undefined ? 200 : isBusy ? 503 : 400, kind)
  }

  app.get(path, async (request, reply) => {
    const link = queryOf(request).get(field) ?? ''
    return await ask(await visitOf(context, request, reply), link)
  })

  app.post(path, async (request, reply) => {
    request.queuedMail = true
    const visit = await visitOf(context, request, reply)
    const form = page.form?.(visit) ?? visit.form()
    const link = form.get(field) ?? ''
    const outcome = await page.act(visit, link, form)
    if (outcome === 'expired') return expired(visit)
    return 'kind' in outcome ? await ask(visit, link, outcome, form) : outcome
  })
}
