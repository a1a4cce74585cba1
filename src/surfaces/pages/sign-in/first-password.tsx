import type { FastifyInstance, FastifyReply } from 'fastify'
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
import { type Busy, catchBusy, checkedSignInForm } from '../frame/page-request.ts'
import {
  AccountOfPassword,
  BusyAlert,
  NewPasswordField,
  type PasswordFormProblem,
  passwordProblem,
} from '../frame/password-fields.tsx'
import { beginSession } from '../frame/session.ts'
import type { Visit } from '../frame/visit.ts'
import { addMailLinkRoutes, type MailLink } from './mail-link.ts'
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
  readonly open: MailLink<T, FirstPasswordProblem>['open']
  /** What a person gets who needs no first password. */
  readonly instead?: (visit: Visit, opened: T) => FastifyReply | undefined
  readonly accept: (db: SchoolDb, opened: T, chosen: FirstPassword) => Promise<FirstPasswordOutcome>
  readonly expiredPage: (school: Branding) => string
  /** If the account can no longer get its first password by this link. */
  readonly endedPage: (school: Branding) => string
  /** Where the person goes on after they were signed in. */
  readonly placeAfter: (visit: Visit, opened: T, roles: readonly string[]) => string
}

export function addFirstPasswordRoutes<T extends Addressee>(
  app: FastifyInstance,
  context: AppContext,
  page: FirstPasswordLink<T>,
): void {
  const { path, open, expiredPage, instead = () => undefined } = page
  addMailLinkRoutes<T, FirstPasswordProblem>(app, context, {
    ...{ path, open, instead, expiredPage },
    field: 'link',
    kind: 'authorization',
    question: ({ opened: { email, name }, typed, ...props }) =>
      firstPasswordPage(page, { ...props, email, name: typed?.get('name') ?? name }),
    form: ({ context: { keyring }, request, session }) =>
      checkedSignInForm(keyring, request, session),
    async act(visit, link, form) {
      const { request, reply, session } = visit
      const opened = await open(visit, link)
      if (opened === undefined) return 'expired'
      const other = instead(visit, opened)
      if (other !== undefined) return other
      const judged = judgeTyped({ name: form.get('name') ?? '', email: opened.email })
      if ('problems' in judged) {
        const { name: problem = 'Enter your name.' } = judged.problems
        return { kind: 'name', problem }
      }
      const { school, id: requestId } = request
      const next = form.get('new_password') ?? ''
      const chosen = { name: judged.name, next, school, requestId }
      const outcome = await catchBusy(page.accept(visit.db, opened, chosen))
      if (outcome.kind === 'ended') {
        return visit.page(page.endedPage(brandingOf(school)), 400, 'authorization')
      }
      if (outcome.kind !== 'accepted') return outcome
      // A new session, as at every sign-in.
      if (session !== undefined) await endSession(visit.db, session.id)
      const begun = await beginSession(context, request, reply, outcome)
      const place = begun ? page.placeAfter(visit, opened, begun.roles) : '/sign-in'
      return visit.goTo(place, 'authorization')
    },
  })
}

type FirstPasswordProblem =
  | { kind: 'name'; problem: string }
  | Extract<PasswordFormProblem, { kind: 'unfit' }>
  | Busy

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
