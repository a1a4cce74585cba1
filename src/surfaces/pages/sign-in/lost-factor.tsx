import type { FastifyInstance, FastifyReply } from 'fastify'
import { findMeans } from '../../../domain/people/factors/demand.ts'
import {
  askToRemoveFactors,
  findRemoval,
  LOST_FACTOR_DAYS,
  takeBackReport,
} from '../../../domain/people/factors/lost-factors.ts'
import { signIn } from '../../../domain/people/sign-in.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { Alert, Button, Form } from '../../../foundation/html/components.tsx'
import { Field } from '../../../foundation/html/form-fields.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import { ButtonLink, PageHead } from '../../../foundation/html/site-components.tsx'
import { clientAddress } from '../../../foundation/http/client-address.ts'
import type { AppContext } from '../../../gate/context.ts'
import { type SiteFrame, sitePage } from '../frame/layout.tsx'
import { TooMany } from '../frame/parts.tsx'
import { AccountOfPassword } from '../frame/password-fields.tsx'
import { TO_SETTINGS } from '../frame/paths.ts'
import { type SignedInVisit, signedInVisit } from '../frame/visit.ts'

export const LOST_FACTOR_PATH = '/account/lost-factor'

type LostFactorProblem =
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
        <TooMany what="attempts" seconds={problem.retryAfterSeconds} />
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

const NOTICES = {
  asked: 'We have noted it, and sent you an email.',
  kept: 'Your passkeys and your authenticator app stay.',
  none: { warning: 'There was nothing to remove.' },
  late: { warning: 'There was nothing to keep any more.' },
}

/** For a person who can no longer prove a passkey or a code. */
export function addLostFactorRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(LOST_FACTOR_PATH, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply)
    return await show(visit)
  })

  /**
   * The password is asked for here, because the page that confirms a person would ask for the code
   * that they have lost.
   */
  app.post(LOST_FACTOR_PATH, async (request, reply) => {
    request.queuedMail = true
    const visit = await signedInVisit(context, request, reply, LOST_FACTOR_PATH)
    const { session } = visit
    const form = visit.form()
    const again = async (problem?: LostFactorProblem) => {
      if (problem && 'retryAfterSeconds' in problem) {
        reply.header('retry-after', problem.retryAfterSeconds)
      }
      return await show(visit, problem)
    }
    if (context.mailer === undefined) return await again()
    const password = form.get('password') ?? ''
    if (password === '') return await again({ kind: 'missing' })
    const { person } = session
    const throttleKey = context.keyring.key('sign-in-throttle')
    const proof = await signIn(acrossSchools(request.schoolDb), throttleKey, {
      email: person.email,
      password,
      address: clientAddress(request),
      device: session.id,
      schoolId: request.school.id,
    })
    if (proof.kind === 'throttled' || proof.kind === 'busy') return await again(proof)
    if (proof.kind !== 'signed_in' || proof.person.id !== person.id) {
      return await again({ kind: 'mismatch' })
    }
    const by = { person, requestId: request.id }
    const asked = await askToRemoveFactors(request.schoolDb, throttleKey, by)
    if (asked.kind === 'no_school' || asked.kind === 'throttled') return await again(asked)
    const done = asked.kind === 'waiting' ? 'asked' : 'none'
    return visit.goTo(`${LOST_FACTOR_PATH}?done=${done}`)
  })

  app.post(`${LOST_FACTOR_PATH}/cancel`, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply, LOST_FACTOR_PATH)
    const { session } = visit
    visit.form()
    const { id } = session.person
    const isKept = await takeBackReport(request.schoolDb, id, request.id)
    request.queuedMail = true
    const done = isKept ? 'kept' : 'late'
    return visit.goTo(`${LOST_FACTOR_PATH}?done=${done}`)
  })
}

const STATUS: Readonly<Record<LostFactorProblem['kind'], number>> = {
  missing: 400,
  mismatch: 401,
  no_school: 409,
  throttled: 429,
  busy: 503,
}

async function show(visit: SignedInVisit, problem?: LostFactorProblem): Promise<FastifyReply> {
  const { session, request, context } = visit
  const { person } = session
  const [dueAt, means] = await Promise.all([
    findRemoval(acrossSchools(request.schoolDb), person.id),
    findMeans(request.schoolDb, person.id),
  ])
  const page = lostFactorPage({
    ...visit.frame(NOTICES),
    ...{ dueAt, means, problem },
    email: person.email,
    mailIsSent: context.mailer !== undefined,
    timeZone: request.school.timeZone,
  })
  return visit.page(page, problem === undefined ? 200 : STATUS[problem.kind])
}
