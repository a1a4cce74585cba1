import type { FastifyInstance, FastifyReply } from 'fastify'
import { EMAIL_WORDS, email } from '../../../domain/operation/fields.ts'
import { CONFIRM_HOURS, UNDO_DAYS } from '../../../domain/people/email-change/email-change.ts'
import {
  endPendingChange,
  findChangeToUndo,
  findPendingChange,
  requestEmailChange,
} from '../../../domain/people/email-change/request-change.ts'
import { undoByFactor } from '../../../domain/people/email-change/undo-change.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { Alert, Button, Email, Form } from '../../../foundation/html/components.tsx'
import { Field } from '../../../foundation/html/form-fields.tsx'
import { Badge, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import type { AppContext } from '../../../gate/context.ts'
import { type SiteFrame, sitePage } from '../frame/layout.tsx'
import { catchBusy } from '../frame/page-request.ts'
import { TooMany } from '../frame/parts.tsx'
import { TO_SETTINGS } from '../frame/paths.ts'
import { requireOwnFactor } from '../frame/recent-proof.ts'
import { type SignedInVisit, signedInVisit } from '../frame/visit.ts'
import { answerUndo } from './email-change.tsx'

const PATH = '/account/email'

const NOTICES = {
  asked: 'We have sent an email to both addresses. Open the link in each of them.',
  cancelled: 'The change was canceled. Your email address stays the same.',
}

/**
 * The signed-in person asks for another address. `email-change.ts` has what the two mailboxes do.
 */
export function addEmailRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(PATH, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply)
    const { session } = visit
    await requireOwnFactor(request, session, PATH)
    return await show(visit)
  })

  app.post(PATH, async (request, reply) => {
    request.queuedMail = true
    const visit = await signedInVisit(context, request, reply, PATH)
    const { session } = visit
    const form = visit.form()
    await requireOwnFactor(request, session, PATH)
    const typed = (form.get('new_email') ?? '').trim()
    const again = (problem: EmailProblem, status: number) => show(visit, { typed, problem }, status)
    if (context.mailer === undefined) return await show(visit)
    if (!email.safeParse(typed).success) return await again({ kind: 'no_address' }, 400)
    const throttleKey = context.keyring.key('sign-in-throttle')
    const outcome = await requestEmailChange(request.schoolDb, throttleKey, session, typed)
    switch (outcome.kind) {
      case 'asked':
        return visit.goTo(`${PATH}?done=asked`)
      case 'throttled':
        reply.header('retry-after', outcome.retryAfterSeconds)
        return await again(outcome, 429)
      case 'same':
      case 'no_school':
        return await again(outcome, 400)
    }
  })

  app.post(`${PATH}/cancel`, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply, PATH)
    const { session } = visit
    visit.form()
    await request.schoolDb.transaction((tx) =>
      endPendingChange(acrossSchools(tx), session.person.id),
    )
    return visit.goTo(`${PATH}?done=cancelled`)
  })

  app.post(`${PATH}/undo`, async (request, reply) => {
    request.queuedMail = true
    const visit = await signedInVisit(context, request, reply, PATH)
    const { session } = visit
    const form = visit.form()
    await requireOwnFactor(request, session, PATH)
    const id = form.get('change') ?? ''
    const outcome = isUuid(id)
      ? await catchBusy(undoByFactor(request.schoolDb, session, id, request.id))
      : ({ kind: 'expired' } as const)
    return answerUndo(visit, outcome)
  })
}

async function show(
  visit: SignedInVisit,
  { typed, problem }: { typed?: string; problem?: EmailProblem } = {},
  status = 200,
): Promise<FastifyReply> {
  const { session, context, request } = visit
  const page = changeEmailPage({
    ...visit.frame(NOTICES),
    email: session.person.email,
    mailIsSent: context.mailer !== undefined,
    pending: await findPendingChange(acrossSchools(request.schoolDb), session.person.id),
    undoable: await findChangeToUndo(acrossSchools(request.schoolDb), session.person.id),
    typed,
    problem,
  })
  return visit.page(page, status)
}

type EmailProblem =
  | { kind: 'no_address' | 'same' | 'no_school' }
  | { kind: 'throttled'; retryAfterSeconds: number }

interface ChangeEmailProps extends SiteFrame {
  email: string
  mailIsSent: boolean
  /** A change that waits for the mailboxes. */
  pending?: { newEmail: string; oldConfirmed: boolean; newConfirmed: boolean } | undefined
  /** A change that was proved by a passkey or a code, and that one of them undoes. */
  undoable?: { id: string; oldEmail: string } | undefined
  typed?: string | undefined
  problem?: EmailProblem | undefined
}

const TITLE = 'Change email address'

export function changeEmailPage(props: ChangeEmailProps): string {
  const { problem, pending, viewer } = props
  const formToken = viewer?.formToken ?? ''
  const wrong = fieldError(problem)
  return sitePage({
    ...props,
    title: problem ? `Error: ${TITLE}` : TITLE,
    children: (
      <>
        <PageHead title={TITLE} up={TO_SETTINGS} />
        {pending !== undefined && (
          <Panel
            title="A change waits for you"
            lead={`Open the link in both mailboxes within ${CONFIRM_HOURS} hours.`}
          >
            <ul class="places">
              <Mailbox email={props.email} hasAgreed={pending.oldConfirmed} />
              <Mailbox email={pending.newEmail} hasAgreed={pending.newConfirmed} />
            </ul>
            <Form action="/account/email/cancel" formToken={formToken}>
              <Button look="plain">Cancel the change</Button>
            </Form>
          </Panel>
        )}
        {props.undoable !== undefined && (
          <Panel
            title="Your address was changed"
            lead={`You can undo it for ${UNDO_DAYS} days, with your passkey or a code.`}
          >
            <p>
              Your account gets <Email text={props.undoable.oldEmail} /> back. Every browser is
              signed out, all apps are disconnected and the password stops working. We email a link
              for a new one to that address.
            </p>
            <Form
              action="/account/email/undo"
              formToken={formToken}
              hidden={{ change: props.undoable.id }}
            >
              <Button look="danger">Undo the change</Button>
            </Form>
          </Panel>
        )}
        <section class="panel">
          {problem?.kind === 'throttled' && (
            <TooMany what="requests" seconds={problem.retryAfterSeconds} />
          )}
          {problem?.kind === 'no_school' && (
            <Alert tone="error" title="We cannot send you an email">
              <p>
                Only a school where you have a role may write to you. Ask the administrator of this
                server to change your address.
              </p>
            </Alert>
          )}
          {props.mailIsSent ? (
            <Form action="/account/email" formToken={formToken}>
              <p>
                Your address is <Email text={props.email} />. You sign in with it at all your
                schools.
              </p>
              <Field
                name="new_email"
                label="New email address"
                type="email"
                autocomplete="off"
                value={props.typed}
                error={wrong}
                autofocus={wrong !== undefined}
              />
              <p class="field-hint">
                We send a link to the old and to the new address; open both. You will be signed out
                in every other browser. From the old address you can undo the change for {UNDO_DAYS}{' '}
                days. If you can no longer read mail there, ask the administrator of this server to
                change your address.
              </p>
              <Button look="primary">Send links</Button>
            </Form>
          ) : (
            <p>
              This server does not send email, so it cannot send you the links. Ask the
              administrator of this server to change your address.
            </p>
          )}
        </section>
      </>
    ),
  })
}

function Mailbox({ email, hasAgreed }: { email: string; hasAgreed: boolean }) {
  return (
    <li>
      <Email text={email} />{' '}
      {hasAgreed ? <Badge tone="good">Agreed</Badge> : <Badge tone="waiting">Waiting</Badge>}
    </li>
  )
}

function fieldError(problem: EmailProblem | undefined): string | undefined {
  if (problem?.kind === 'no_address') return EMAIL_WORDS
  return problem?.kind === 'same' ? 'This is the address that you have.' : undefined
}
