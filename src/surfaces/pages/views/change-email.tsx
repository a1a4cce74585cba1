import { EMAIL_WORDS } from '../../../domain/operation/fields.ts'
import { CONFIRM_HOURS, UNDO_DAYS } from '../../../domain/people/email-change/email-change.ts'
import { Alert, Button, Email, Field, Form } from '../../../foundation/html/components.tsx'
import { Badge, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import { TO_SETTINGS } from './account-paths.ts'
import { type SiteFrame, sitePage } from './site-layout.tsx'
import { waitInWords } from './words.ts'

export type EmailProblem =
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
            <Alert tone="error" title="Too many requests">
              <p>Wait {waitInWords(problem.retryAfterSeconds)} before you try again.</p>
            </Alert>
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
