import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import type {
  FirstPassword,
  FirstPasswordOutcome,
} from '../../../domain/people/accept-invitation.ts'
import { endSession } from '../../../domain/people/sessions.ts'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import { Button, Form } from '../../../foundation/html/components.tsx'
import { Field } from '../../../foundation/html/form-fields.tsx'
import { type Branding, CardPage, renderPage } from '../../../foundation/html/layout.tsx'
import { brandingOf } from '../../../gate/branding.ts'
import type { AppContext } from '../../../gate/context.ts'
import { queryOf } from '../frame/layout.tsx'
import { catchBusy, checkedSignInForm } from '../frame/page-request.ts'
import {
  AccountOfPassword,
  BusyAlert,
  NewPasswordField,
  type PasswordFormProblem,
  passwordProblem,
} from '../frame/password-fields.tsx'
import { beginSession } from '../frame/session.ts'
import { type Visit, visitOf } from '../frame/visit.ts'
import { judgeTyped } from './sign-up-form.tsx'

interface Addressee {
  readonly email: string
  readonly name: string
}

/** A link in a mail with which a person chooses their first password. */
export interface FirstPasswordLink<T extends Addressee> {
  readonly path: string
  readonly title: string
  readonly button: string
  readonly lead: (school: Branding, email: string) => ComponentChildren
  /** Undefined if it has expired. */
  readonly open: (
    context: AppContext,
    request: FastifyRequest,
    sealed: string,
  ) => Promise<T | undefined>
  /** What a person gets who needs no first password. */
  readonly instead?: (visit: Visit, opened: T) => FastifyReply | undefined
  readonly accept: (db: SchoolDb, opened: T, chosen: FirstPassword) => Promise<FirstPasswordOutcome>
  readonly expiredPage: (school: Branding) => string
  /** If the account can no longer get its first password by this link. */
  readonly endedPage: (school: Branding) => string
  /** Where the person goes on after they were signed in. */
  readonly placeAfter: (visit: Visit, opened: T, roles: readonly string[]) => string
}

/** Opening the link changes nothing about the account, because mail scanners open links too. */
export function addFirstPasswordRoutes<T extends Addressee>(
  app: FastifyInstance,
  context: AppContext,
  link: FirstPasswordLink<T>,
): void {
  const expired = (visit: Visit) =>
    visit.page(link.expiredPage(brandingOf(visit.request.school)), 400, 'authorization')
  const ask = (
    visit: Visit,
    sealed: string,
    { email, name }: Addressee,
    problem?: FirstPasswordProblem,
    status = 200,
  ) => {
    const school = brandingOf(visit.request.school)
    const formToken = visit.formToken()
    const props = { school, formToken, link: sealed, email, name, problem }
    return visit.page(firstPasswordPage(link, props), status, 'authorization')
  }

  app.get(link.path, async (request, reply) => {
    const sealed = queryOf(request).get('link') ?? ''
    const opened = await link.open(context, request, sealed)
    const visit = await visitOf(context, request, reply)
    if (opened === undefined) return expired(visit)
    return link.instead?.(visit, opened) ?? ask(visit, sealed, opened)
  })

  app.post(link.path, async (request, reply) => {
    request.queuedMail = true
    const visit = await visitOf(context, request, reply)
    const { session } = visit
    const form = checkedSignInForm(context.keyring, request, session)
    const sealed = form.get('link') ?? ''
    const opened = await link.open(context, request, sealed)
    if (opened === undefined) return expired(visit)
    const other = link.instead?.(visit, opened)
    if (other !== undefined) return other
    const typed = { name: form.get('name') ?? '', email: opened.email }
    const again = (problem: FirstPasswordProblem, status: number) =>
      ask(visit, sealed, typed, problem, status)
    const judged = judgeTyped(typed)
    if ('problems' in judged) {
      const { name: wrong = 'Enter your name.' } = judged.problems
      return again({ kind: 'name', problem: wrong }, 400)
    }
    const { school, id: requestId } = request
    const next = form.get('new_password') ?? ''
    const chosen = { name: judged.name, next, school, requestId }
    const outcome = await catchBusy(link.accept(request.schoolDb, opened, chosen))
    switch (outcome.kind) {
      case 'ended':
        return visit.page(link.endedPage(brandingOf(school)), 400, 'authorization')
      case 'unfit':
        return again(outcome, 400)
      case 'busy':
        reply.header('retry-after', outcome.retryAfterSeconds)
        return again(outcome, 503)
      case 'accepted': {
        // A new session, as at every sign-in.
        if (session !== undefined) await endSession(request.schoolDb, session.id)
        const begun = await beginSession(context, request, reply, outcome)
        const place = begun ? link.placeAfter(visit, opened, begun.roles) : '/sign-in'
        return visit.goTo(place, 'authorization')
      }
    }
  })
}

type FirstPasswordProblem =
  | { kind: 'name'; problem: string }
  | Extract<PasswordFormProblem, { kind: 'unfit' }>
  | { kind: 'busy'; retryAfterSeconds: number }

interface FirstPasswordProps {
  formToken: string
  /** The sealed link in the mail, which led here. */
  link: string
  email: string
  name: string
  problem?: FirstPasswordProblem | undefined
}

/** The page behind the link, as it is shown at first and with a problem. */
export function firstPasswordPage<T extends Addressee>(
  { title, path, button, lead }: FirstPasswordLink<T>,
  props: FirstPasswordProps & { school: Branding },
): string {
  const { school, email, problem } = props
  return renderPage(
    <CardPage
      title={title}
      heading="Choose a password"
      isWrong={problem !== undefined}
      school={school}
    >
      <p class="lead">{lead(school, email)}</p>
      <FirstPasswordForm {...props} action={path} button={button} />
    </CardPage>,
  )
}

/** The name and the first password of a person whose mailbox is proven. */
function FirstPasswordForm(props: FirstPasswordProps & { action: string; button: string }) {
  const { problem } = props
  const nameError = problem?.kind === 'name' ? problem.problem : undefined
  const passwordError = problem?.kind === 'unfit' ? passwordProblem(problem.problem) : undefined
  return (
    <>
      {problem?.kind === 'busy' && <BusyAlert />}
      <Form action={props.action} formToken={props.formToken} hidden={{ link: props.link }}>
        <AccountOfPassword email={props.email} />
        <Field
          name="name"
          label="Your name"
          type="text"
          autocomplete="name"
          value={props.name}
          error={nameError}
          autofocus={nameError !== undefined}
        />
        <NewPasswordField
          label="Password"
          error={passwordError}
          autofocus={nameError === undefined}
        />
        <Button look="primary">{props.button}</Button>
      </Form>
    </>
  )
}
