import type { FastifyReply, FastifyRequest } from 'fastify'
import { isDeviceAlone } from '../../../domain/people/authentication-context.ts'
import { findMeans, isFactorDue } from '../../../domain/people/factors/demand.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { Name } from '../../../foundation/html/components.tsx'
import { ButtonLink, PageHead } from '../../../foundation/html/site-components.tsx'
import { type SiteFrame, sitePage } from '../frame/layout.tsx'
import { factorPaths } from '../frame/paths.ts'
import { ProofNeeded } from '../frame/recent-proof.ts'
import type { SignedInVisit } from '../frame/visit.ts'
import { keepAfterSignIn } from './after-sign-in.ts'

/** Thrown for an owner or admin whose sign-in is not enough for what the school demands. */
export class FactorNeeded extends Error {
  override readonly name = 'FactorNeeded'
  readonly session: BrowserSession

  constructor(session: BrowserSession) {
    super('Signed in with less than the school demands of owners and admins.')
    this.session = session
  }
}

/**
 * Call it before a session acts as an owner or admin. A session that proved too little confirms
 * first.
 */
export function checkFactor(request: FastifyRequest, operator: BrowserSession): void {
  if (isFactorDue(request.school, operator)) throw new FactorNeeded(operator)
  if (isDeviceAlone(operator.methods, operator.roles)) {
    throw new ProofNeeded(operator, request.returnTo ?? pageOf(request))
  }
}

/** For what an owner or admin sees beside what they read as a member. */
export const isFactorEnough = (request: FastifyRequest, operator: BrowserSession): boolean =>
  !isFactorDue(request.school, operator) && !isDeviceAlone(operator.methods, operator.roles)

const pageOf = ({ method, raw }: FastifyRequest): string =>
  method === 'GET' ? (raw.url ?? '/admin') : '/admin'

export async function answerFactorNeeded(visit: SignedInVisit): Promise<FastifyReply> {
  const { request, session } = visit
  const means = await findMeans(request.schoolDb, session.person.id)
  const page = factorNeededPage({
    ...visit.frame(),
    ...means,
    signInUrl: keepAfterSignIn('/sign-in', { returnTo: pageOf(request) }),
  })
  return visit.page(page, 403)
}

interface FactorNeededProps extends SiteFrame {
  hasSecondFactor: boolean
  hasPasskey: boolean
  /** Sign-in, which continues to the page. */
  signInUrl: string
}

/** Answers 403, to an owner or admin whose sign-in is not enough for what the school demands. */
export function factorNeededPage(props: FactorNeededProps): string {
  const school = <Name text={props.school.name} fallback="This school" />
  const { hasSecondFactor, hasPasskey, signInUrl } = props
  const hasMeans = hasSecondFactor || hasPasskey
  return sitePage({
    ...props,
    title: 'Your sign-in is not enough here',
    children: (
      <>
        <PageHead title="Your sign-in is not enough here" />
        <section class="panel">
          <p>
            {school} demands a passkey or a second factor of its owners and admins, and you have
            signed in with a password alone.
          </p>
          {hasMeans ? (
            <>
              <p>
                Sign in once more with your {hasPasskey ? 'passkey' : 'password'}
                {hasPasskey && hasSecondFactor && ', or with your password'}
                {hasSecondFactor && ' and a code'}.
              </p>
              <div class="actions">
                <ButtonLink look="primary" href={signInUrl}>
                  Sign in again
                </ButtonLink>
              </div>
            </>
          ) : (
            <>
              <p>Set one of them up. It takes a minute, and you can go on at once.</p>
              <div class="actions">
                <ButtonLink look="primary" href={factorPaths.page}>
                  Set up a second factor
                </ButtonLink>
                <ButtonLink look="plain" href="/account/passkeys">
                  Add a passkey
                </ButtonLink>
              </div>
            </>
          )}
        </section>
      </>
    ),
  })
}
