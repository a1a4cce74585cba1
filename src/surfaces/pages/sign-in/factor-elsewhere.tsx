import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findFactorPlaces } from '../../../domain/people/factors/demand.ts'
import {
  acceptProof,
  findWaitingSession,
  sealProof,
  sealProofRequest,
} from '../../../domain/people/factors/other-school.ts'
import { type BrowserSession, isProvedByFactor } from '../../../domain/people/sessions.ts'
import { Button, Form, Name } from '../../../foundation/html/components.tsx'
import { ButtonLink, PageHead } from '../../../foundation/html/site-components.tsx'
import { parseLocalPath } from '../../../foundation/http/link-header.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import { queryOf, type SiteFrame, sitePage } from '../frame/layout.tsx'
import { TO_SETTINGS } from '../frame/paths.ts'
import { FactorElsewhere, ProofNeeded, requireRecentProof } from '../frame/recent-proof.ts'
import { keepSession } from '../frame/session.ts'
import { type SignedInVisit, signedInVisit } from '../frame/visit.ts'
import { LOST_FACTOR_PATH } from './lost-factor.tsx'

const OTHER_SCHOOL_PATH = '/confirm/other-school'
/** Where the person comes back to with the proof. */
const PROVED_PATH = '/confirm/other-school/proved'
/** Offers the passkeys of other schools beside one that works here. */
export const ELSEWHERE_PATH = '/confirm/other-schools'

interface OtherSchool {
  name: string
  origin: string
}

interface ElsewhereProps extends SiteFrame {
  /** With what names this session to that school. */
  schools: readonly (OtherSchool & { sealed: string })[]
  /** The page to open once the passkey was proved. */
  path: string
}

/** For a person whose passkey works at other schools. */
export function factorElsewherePage({ schools, path, ...props }: ElsewhereProps): string {
  const title = 'This needs your passkey'
  return sitePage({
    ...props,
    title,
    children: (
      <>
        <PageHead title={title} up={TO_SETTINGS} />
        <section class="panel">
          <p>
            What comes next changes your account or how you sign in, and your password is not enough
            for it. Use your passkey at a school where it works, then come back.
          </p>
          <ul class="rows">
            {schools.map(({ name, origin, sealed }) => (
              <li>
                <p class="row-title">
                  <Name text={name} fallback={origin} />
                </p>
                <ButtonLink
                  look="primary"
                  href={`${origin}${OTHER_SCHOOL_PATH}?for=${encodeURIComponent(sealed)}`}
                >
                  Use the passkey there
                </ButtonLink>
              </li>
            ))}
          </ul>
          <p class="aside">
            <a href={path}>I have used it</a> ·{' '}
            <a href={LOST_FACTOR_PATH}>You no longer have it?</a>
          </p>
        </section>
      </>
    ),
  })
}

interface Waiting {
  school: OtherSchool
  /** As the browser calls itself. */
  device: string
}

interface OtherSchoolProps extends SiteFrame {
  sealed: string
  /** Undefined if the link does nothing any more. */
  waiting: Waiting | undefined
}

/** At the school of the passkey, after it was proved. */
export function otherSchoolPage({ waiting, sealed, ...props }: OtherSchoolProps): string {
  const title = 'Confirm for another school'
  return sitePage({
    ...props,
    title,
    children: (
      <>
        <PageHead title={title} up={TO_SETTINGS} />
        <section class="panel">
          {waiting === undefined ? (
            <p>This link works for ten minutes, for the person who asked. Start again there.</p>
          ) : (
            <>
              <p>
                You are about to change your account, or how you sign in, at{' '}
                <Name text={waiting.school.name} fallback="another school" /> (
                <bdi class="address" dir="ltr">
                  {waiting.school.origin}
                </bdi>
                ), with this browser: {plainText(waiting.device) || 'an unknown one'}.
              </p>
              <p>
                Confirm only if you have just come from there. If another person sent you this link,
                they may be using your password.
              </p>
              <Form
                action={OTHER_SCHOOL_PATH}
                formToken={props.viewer?.formToken ?? ''}
                hidden={{ for: sealed }}
              >
                <Button look="primary">Confirm</Button>
              </Form>
            </>
          )}
        </section>
      </>
    ),
  })
}

export function provedForSchoolPage({
  waiting,
  proof,
  ...props
}: SiteFrame & { waiting: Waiting; proof: string }): string {
  const title = 'Confirmed'
  return sitePage({
    ...props,
    title,
    children: (
      <>
        <PageHead title={title} />
        <section class="panel">
          <p>
            Go back to <Name text={waiting.school.name} fallback="the other school" /> within ten
            minutes.
          </p>
          <div class="actions">
            <ButtonLink
              look="primary"
              href={`${waiting.school.origin}${PROVED_PATH}?proof=${encodeURIComponent(proof)}`}
            >
              Go back
            </ButtonLink>
          </div>
        </section>
      </>
    ),
  })
}

/** The answer to a request that needs a passkey of another school. */
export function answerFactorElsewhere(
  visit: SignedInVisit,
  { schools, path }: Pick<FactorElsewhere, 'schools' | 'path'>,
  status = 403,
): FastifyReply {
  const { context, session } = visit
  const page = factorElsewherePage({
    ...visit.frame(),
    path,
    schools: schools.map(({ id, ...school }) => ({
      ...school,
      sealed: sealProofRequest(context.keyring, id, session, path),
    })),
  })
  return visit.page(page, status)
}

/** A person proves a passkey at one school for their session at another one. */
export function addOtherSchoolRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(OTHER_SCHOOL_PATH, async (request, reply) => {
    const sealed = queryOf(request).get('for') ?? ''
    const visit = await signedInVisit(context, request, reply)
    const { session } = visit
    requireFactor(request, session)
    const waiting = await findWaitingSession(request.schoolDb, context.keyring, session, sealed)
    const page = otherSchoolPage({ ...visit.frame(), sealed, waiting })
    return visit.page(page, waiting === undefined ? 400 : 200)
  })

  app.post(OTHER_SCHOOL_PATH, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply, '/account')
    const { session } = visit
    const form = visit.form()
    requireFactor(request, session)
    const sealed = form.get('for') ?? ''
    const waiting = await findWaitingSession(request.schoolDb, context.keyring, session, sealed)
    const frame = visit.frame()
    if (waiting === undefined) {
      return visit.page(otherSchoolPage({ ...frame, sealed, waiting }), 400)
    }
    const proof = sealProof(context.keyring, session, waiting)
    return visit.page(provedForSchoolPage({ ...frame, waiting, proof }))
  })

  app.get(PROVED_PATH, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply, '/account')
    const { session } = visit
    const proof = queryOf(request).get('proof') ?? ''
    const accepted = await acceptProof(request.schoolDb, context.keyring, session, proof)
    if (accepted !== undefined) keepSession(request, reply, accepted.cookie)
    return visit.goTo(accepted?.path ?? '/account')
  })

  /** For a person who has a passkey here too, which is lost. */
  app.get(ELSEWHERE_PATH, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply)
    const { session } = visit
    const path = parseLocalPath(queryOf(request).get('return_to')) ?? '/account'
    const places = await findFactorPlaces(request.schoolDb, session)
    if (places === undefined || places.elsewhere.length === 0) {
      return visit.goTo(path)
    }
    const needed = new FactorElsewhere(session, places.elsewhere, path)
    return answerFactorElsewhere(visit, needed, 200)
  })
}

/** A proof that came from a third school does not travel on. */
function requireFactor(request: FastifyRequest, session: BrowserSession): void {
  requireRecentProof(request, session)
  const isOwn = isProvedByFactor(session) && session.methods.at(-1) !== 'other_school'
  if (!isOwn) throw new ProofNeeded(session, request.returnTo ?? '/account', true)
}
