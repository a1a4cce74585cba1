import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ProvenByPassword } from '../../../domain/people/sessions.ts'
import {
  findShortPassword,
  replaceShortPassword,
  sealShortPassword,
  shortestAfter,
} from '../../../domain/people/short-password.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { Button, Form } from '../../../foundation/html/components.tsx'
import { type Branding, CardPage, renderPage } from '../../../foundation/html/layout.tsx'
import { brandingOf } from '../../../gate/branding.ts'
import type { AppContext } from '../../../gate/context.ts'
import { catchBusy, checkedSignInForm, provenBrowsers } from '../frame/page-request.ts'
import {
  AccountOfPassword,
  BusyAlert,
  NewPasswordField,
  newPasswordError,
  type PasswordFormProblem,
} from '../frame/password-fields.tsx'
import { beginSession } from '../frame/session.ts'
import { type Visit, visitOf } from '../frame/visit.ts'
import { type AfterSignIn, keepAfterSignIn, readAfterSignIn } from './after-sign-in.ts'
import { goOn } from './go-on.tsx'
import { withKeptForm } from './kept-form.ts'

const SHORT_PASSWORD_PATH = '/sign-in/new-password'

interface ShortPasswordProps {
  school: Branding
  formToken: string
  /** Sealed: the person has just typed the old password. */
  proof: string
  email: string
  /** Characters of the shortest password. */
  minimum: number
  /** Where the person continues. */
  afterSignIn: {
    sealedRequest?: string | undefined
    returnTo?: string | undefined
    keptForm?: string | undefined
  }
  problem?: PasswordFormProblem | undefined
}

/** Between a right password that is too short and the session that it asked for. */
export function shortPasswordPage(props: ShortPasswordProps): string {
  const { school, formToken, proof, email, minimum, afterSignIn, problem } = props
  return renderPage(
    <CardPage
      title="New password"
      heading="Choose a longer password"
      isWrong={problem !== undefined}
      school={school}
    >
      <p class="lead">
        Your password is right, but short ones are guessed too easily. Passwords now have at least{' '}
        {minimum} characters. Choose a new one to continue.
      </p>
      {problem?.kind === 'busy' && <BusyAlert />}
      <Form
        action={SHORT_PASSWORD_PATH}
        formToken={formToken}
        hidden={{
          proof,
          request: afterSignIn.sealedRequest,
          return_to: afterSignIn.returnTo,
          kept_form: afterSignIn.keptForm,
        }}
      >
        <AccountOfPassword email={email} />
        <NewPasswordField
          label="New password"
          minimum={minimum}
          error={newPasswordError(problem, minimum)}
          autofocus
        />
        <Button look="primary">Save and continue</Button>
      </Form>
    </CardPage>,
  )
}

/**
 * The sign-in was right, but the password is too short by now. The session begins after a new one
 * is chosen.
 */
export async function askForLongerPassword(
  visit: Visit,
  proven: ProvenByPassword,
  afterSignIn: AfterSignIn,
): Promise<FastifyReply> {
  const { request, session, context } = visit
  // The form of the sign-in was checked, so there is one.
  const [browser = ''] = provenBrowsers(request, session)
  const proof = sealShortPassword(context.keyring, request.school.id, browser, proven)
  return await ask(visit, { proof, proven, afterSignIn })
}

export function addShortPasswordRoutes(app: FastifyInstance, context: AppContext): void {
  app.post(SHORT_PASSWORD_PATH, withKeptForm(context), async (request, reply) => {
    const visit = await visitOf(context, request, reply)
    const { session } = visit
    const form = checkedSignInForm(context.keyring, request, session)
    const { keyring } = context
    const afterSignIn = readAfterSignIn(keyring, request.school.id, form)
    const proof = form.get('proof') ?? ''
    const browsers = provenBrowsers(request, session)
    const db = acrossSchools(request.schoolDb)
    const proven = await findShortPassword(db, keyring, request.school.id, browsers, proof)
    const signInAgain = () => visit.goTo(keepAfterSignIn('/sign-in', afterSignIn), 'authorization')
    if (proven === undefined) return signInAgain()
    const next = form.get('new_password') ?? ''
    const { schoolDb, school, id: requestId } = request
    const outcome = await catchBusy(
      replaceShortPassword(schoolDb, proven, { next, school, requestId }),
    )
    if (outcome.kind === 'expired') return signInAgain()
    if (outcome.kind === 'replaced') {
      request.queuedMail = true
      const begun = await beginSession(context, request, reply, outcome)
      if (begun === undefined) return signInAgain()
      return goOn(visit, begun, afterSignIn)
    }
    const status = outcome.kind === 'busy' ? 503 : 400
    const state = { proof, proven, afterSignIn, problem: outcome }
    return await ask(visit, state, status)
  })
}

interface Asked {
  readonly proof: string
  readonly proven: ProvenByPassword
  readonly afterSignIn: AfterSignIn
  readonly problem?: PasswordFormProblem
}

async function ask(
  visit: Visit,
  { proof, proven, afterSignIn, problem }: Asked,
  status = 200,
): Promise<FastifyReply> {
  const { request } = visit
  const page = shortPasswordPage({
    school: brandingOf(request.school),
    formToken: visit.formToken(),
    proof,
    email: proven.person.email,
    minimum: shortestAfter(proven.methods),
    afterSignIn,
    problem,
  })
  return visit.page(page, status, 'authorization')
}
