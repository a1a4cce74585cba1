import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasSecondFactor } from '../../../domain/people/factors/authenticators.ts'
import { SETTINGS_PATH } from '../../../domain/people/link-paths.ts'
import { minimumLength } from '../../../domain/people/password-strength.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { changePassword, type PasswordChange } from '../../../domain/people/set-password.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { Button, Form } from '../../../foundation/html/components.tsx'
import { Checkbox, Field } from '../../../foundation/html/form-fields.tsx'
import { PageHead } from '../../../foundation/html/site-components.tsx'
import { clientAddress } from '../../../foundation/http/client-address.ts'
import type { AppContext } from '../../../gate/context.ts'
import { type SiteFrame, sitePage } from '../frame/layout.tsx'
import { catchBusy } from '../frame/page-request.ts'
import { TooMany } from '../frame/parts.tsx'
import {
  AccountOfPassword,
  BusyAlert,
  NewPasswordField,
  newPasswordError,
  type PasswordFormProblem,
} from '../frame/password-fields.tsx'
import { TO_SETTINGS } from '../frame/paths.ts'
import { requireRecentProof } from '../frame/recent-proof.ts'
import { beginSession } from '../frame/session.ts'
import { type SignedInVisit, signedInVisit } from '../frame/visit.ts'

const PATH = '/account/password'

export function addPasswordRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(PATH, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply)
    const { session } = visit
    const minimum = await provenMinimum(request, session)
    return show(visit, minimum)
  })

  app.post(PATH, async (request, reply) => {
    request.queuedMail = true
    const visit = await signedInVisit(context, request, reply, PATH)
    const { session } = visit
    const form = visit.form()
    const minimum = await provenMinimum(request, session)
    const current = form.get('current_password') ?? ''
    const next = form.get('new_password') ?? ''
    const endsAccess = form.get('end_access') === 'yes'
    const again = (problem: PasswordFormProblem, status: number) =>
      show(visit, minimum, problem, status)
    if (current === '' || next === '') {
      return again({ kind: 'missing', current: current === '', next: next === '' }, 400)
    }
    const outcome = await tryToChange(context, {
      ...{ request, session, current, next, endsAccess },
    })
    switch (outcome.kind) {
      case 'changed': {
        await beginSession(context, request, reply, outcome)
        const done = endsAccess ? 'password-everywhere' : 'password'
        return visit.goTo(`${SETTINGS_PATH}?done=${done}`)
      }
      case 'throttled':
      case 'busy':
        reply.header('retry-after', outcome.retryAfterSeconds)
        return again(outcome, outcome.kind === 'busy' ? 503 : 429)
      case 'wrong_current':
        return again(outcome, 401)
      case 'unfit':
        return again(outcome, 400)
    }
  })
}

/**
 * Characters of the shortest password. The form asks for the current one; for a person with a
 * second factor that is not enough of a proof.
 */
async function provenMinimum(request: FastifyRequest, session: BrowserSession): Promise<number> {
  const hasFactor = await hasSecondFactor(acrossSchools(request.schoolDb), session.person.id)
  if (hasFactor) requireRecentProof(request, session)
  return minimumLength(hasFactor)
}

interface Attempt {
  readonly request: FastifyRequest
  readonly session: BrowserSession
  readonly current: string
  readonly next: string
  readonly endsAccess: boolean
}

async function tryToChange(context: AppContext, attempt: Attempt): Promise<PasswordChange> {
  const { request, ...asked } = attempt
  const key = context.keyring.key('sign-in-throttle')
  const { schoolDb: db, school, id: requestId } = request
  const address = clientAddress(request)
  return await catchBusy(
    changePassword(acrossSchools(db), db, key, { ...asked, address, school, requestId }),
  )
}

function show(
  visit: SignedInVisit,
  minimum: number,
  problem?: PasswordFormProblem,
  status = 200,
): FastifyReply {
  const { session } = visit
  const frame = visit.frame()
  const { email } = session.person
  const page = changePasswordPage({ ...frame, email, minimum, problem })
  return visit.page(page, status)
}

interface ChangePasswordProps extends SiteFrame {
  email: string
  /** Characters of the shortest password. */
  minimum: number
  problem?: PasswordFormProblem | undefined
}

export function changePasswordPage(props: ChangePasswordProps): string {
  const { problem, viewer, minimum } = props
  const newError = newPasswordError(problem, minimum)
  return sitePage({
    ...props,
    title: problem ? 'Error: Change password' : 'Change password',
    children: (
      <>
        <PageHead title="Change password" up={TO_SETTINGS} />
        <section class="panel">
          {problem?.kind === 'throttled' && (
            <TooMany what="attempts" seconds={problem.retryAfterSeconds} />
          )}
          {problem?.kind === 'busy' && <BusyAlert />}
          <Form action="/account/password" formToken={viewer?.formToken ?? ''}>
            <AccountOfPassword email={props.email} />
            <Field
              name="current_password"
              label="Current password"
              type="password"
              autocomplete="current-password"
              error={currentError(problem)}
              autofocus={currentError(problem) !== undefined}
            />
            <NewPasswordField
              label="New password"
              minimum={minimum}
              error={newError}
              autofocus={currentError(problem) === undefined && newError !== undefined}
            />
            <p class="field-hint">
              You will be signed out in every other browser, at every school.
            </p>
            <Checkbox
              id="end_access"
              name="end_access"
              value="yes"
              label="Disconnect all apps"
              hint="At every school. Keep this on if another person may know your password: they could have connected an app. You can connect your apps again."
              checked
            />
            <p class="field-hint">
              Your passkeys stay. If another person may have used your account,{' '}
              <a href="/account/passkeys">look through them</a>: they could have added one.
            </p>
            <Button look="primary">Change password</Button>
          </Form>
        </section>
      </>
    ),
  })
}

function currentError(problem: PasswordFormProblem | undefined): string | undefined {
  if (problem?.kind === 'wrong_current') return 'This is not your current password.'
  return problem?.kind === 'missing' && problem.current ? 'Enter your current password.' : undefined
}
