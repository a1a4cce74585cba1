import { LOST_FACTOR_DAYS } from '../../../domain/people/factors/lost-factors.ts'
import { Alert, Button, Field, Form } from '../../../foundation/html/components.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import { ButtonLink, PageHead } from '../../../foundation/html/site-components.tsx'
import { TO_SETTINGS } from './account-paths.ts'
import { AccountOfPassword } from './change-password.tsx'
import { type SiteFrame, sitePage } from './site-layout.tsx'
import { waitInWords } from './words.ts'

export const LOST_FACTOR_PATH = '/account/lost-factor'

export type LostFactorProblem =
  | { kind: 'missing' | 'mismatch' | 'no_school' }
  | { kind: 'throttled' | 'busy'; retryAfterSeconds: number }

interface LostFactorProps extends SiteFrame {
  email: string
  /** When the factors are removed, if the person has asked. */
  dueAt: Date | undefined
  means: { hasPassword: boolean; hasSecondFactor: boolean }
  mailIsSent: boolean
  timeZone: string
  problem?: LostFactorProblem | undefined
}

const TITLE = 'Lost passkey or authenticator app'

export function lostFactorPage(props: LostFactorProps): string {
  const { problem, dueAt } = props
  return sitePage({
    ...props,
    title: problem ? `Error: ${TITLE}` : TITLE,
    children: (
      <>
        <PageHead title={TITLE} up={TO_SETTINGS} />
        <section class="panel">
          {dueAt === undefined ? <Ask {...props} /> : <Waiting {...props} dueAt={dueAt} />}
        </section>
      </>
    ),
  })
}

function Waiting({ dueAt, timeZone, viewer }: LostFactorProps & { dueAt: Date }) {
  return (
    <>
      <p>
        Your passkeys and your authenticator app will be removed on{' '}
        <Moment at={dueAt} timeZone={timeZone} />. We send you an email every day until then. If you
        find one of them, sign in with it: then nothing is removed.
      </p>
      <Form action={`${LOST_FACTOR_PATH}/cancel`} formToken={viewer?.formToken ?? ''}>
        <Button look="plain">Keep them</Button>
      </Form>
    </>
  )
}

function Ask(props: LostFactorProps) {
  const { means, mailIsSent, problem } = props
  return (
    <>
      {means.hasSecondFactor && (
        <p>If you have one of your recovery codes, use it wherever a code is asked for.</p>
      )}
      <p>
        If you have lost all of them, we remove your passkeys and your authenticator app after{' '}
        {LOST_FACTOR_DAYS} days, at all your schools. Your password alone signs you in then, and you
        can set up new ones. We send you an email every day until then, so that nobody else can do
        this without your knowledge.
      </p>
      {problem?.kind === 'no_school' && (
        <Alert tone="error" title="We cannot send you an email">
          <p>
            Only a school where you have a role may write to you. Ask the administrator of this
            server for help.
          </p>
        </Alert>
      )}
      {(problem?.kind === 'throttled' || problem?.kind === 'busy') && (
        <Alert tone="error" title="Too many attempts">
          <p>Wait {waitInWords(problem.retryAfterSeconds)} before you try again.</p>
        </Alert>
      )}
      {mailIsSent ? <AskForm {...props} /> : <NoMail />}
    </>
  )
}

function NoMail() {
  return <p>This server does not send email. Ask its administrator to remove them.</p>
}

function AskForm({ means, email, viewer, problem }: LostFactorProps) {
  if (!means.hasPassword) {
    return (
      <div class="actions">
        <ButtonLink look="primary" href="/forgotten-password">
          Choose a password by email first
        </ButtonLink>
      </div>
    )
  }
  return (
    <Form action={LOST_FACTOR_PATH} formToken={viewer?.formToken ?? ''}>
      <AccountOfPassword email={email} />
      <Field
        name="password"
        label="Password"
        type="password"
        autocomplete="current-password"
        error={passwordError(problem)}
      />
      <Button look="danger">Remove them in {String(LOST_FACTOR_DAYS)} days</Button>
    </Form>
  )
}

function passwordError(problem: LostFactorProblem | undefined): string | undefined {
  if (problem?.kind === 'missing') return 'Enter your password.'
  return problem?.kind === 'mismatch' ? 'This is not your password.' : undefined
}

/** Where the person would not see it otherwise: they may not have reported it. */
export function LostFactorNotice({
  dueAt,
  timeZone,
}: {
  dueAt: Date | undefined
  timeZone: string
}) {
  if (dueAt === undefined) return null
  return (
    <Alert tone="warning" title="Your passkeys and your authenticator app will be removed">
      <p>
        They were reported as lost, and will be removed on <Moment at={dueAt} timeZone={timeZone} />
        . <a href={LOST_FACTOR_PATH}>Keep them</a>
      </p>
    </Alert>
  )
}
