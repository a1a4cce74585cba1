import type { FastifyInstance } from 'fastify'
import type { MetadataClients } from '../../../domain/clients/metadata-clients.ts'
import { isSignInDue } from '../../../domain/grants/decide-consent.ts'
import { openPending } from '../../../domain/grants/pending-authorization.ts'
import { isContextMissing } from '../../../domain/people/authentication-context.ts'
import { isTooShort, minimumLength } from '../../../domain/people/password-strength.ts'
import { endSession, type ProofMethod } from '../../../domain/people/sessions.ts'
import { signIn } from '../../../domain/people/sign-in.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { parseLocalPath } from '../../../foundation/http/link-header.ts'
import type { AppContext } from '../../../gate/context.ts'
import { queryOf } from '../frame/layout.tsx'
import { checkedSignInForm } from '../frame/page-request.ts'
import { beginSession, requesterOf } from '../frame/session.ts'
import { visitOf } from '../frame/visit.ts'
import { goOn } from './go-on.tsx'
import { withKeptForm } from './kept-form.ts'
import { askForLongerPassword } from './short-password.tsx'
import { expiredRequest, type SignInProblem, showSignIn } from './show-sign-in.tsx'
import { askForCode, isTrustedBrowser } from './sign-in-code.tsx'

export function addSignInRoutes(
  app: FastifyInstance,
  context: AppContext,
  metadataClients: MetadataClients,
): void {
  app.get('/sign-in', async (request, reply) => {
    const query = queryOf(request)
    const sealedRequest = query.get('request') ?? undefined
    const pending = openPending(context.keyring, request.school.id, sealedRequest)
    if (sealedRequest !== undefined && pending === undefined) return expiredRequest(request, reply)
    const visit = await visitOf(context, request, reply)
    const { session } = visit
    // The person signed in in another tab, or came back with the browser's Back button.
    if (pending !== undefined && session !== undefined && !isSignInDue(session, pending)) {
      return visit.goTo(`/consent?request=${sealedRequest}`, 'authorization')
    }
    const returnTo = parseLocalPath(query.get('return_to'))
    return await showSignIn(visit, metadataClients, {
      sealedRequest,
      pending,
      returnTo,
    })
  })

  app.post('/sign-in', withKeptForm(context), async (request, reply) => {
    const visit = await visitOf(context, request, reply)
    const { session } = visit
    const form = checkedSignInForm(context.keyring, request, session)
    const sealedRequest = form.get('request') ?? undefined
    const pending = openPending(context.keyring, request.school.id, sealedRequest)
    if (sealedRequest !== undefined && pending === undefined) return expiredRequest(request, reply)
    const email = form.get('email') ?? ''
    const password = form.get('password') ?? ''
    // Checked again: the value comes from the browser, and before that from whichever link was
    // opened.
    const returnTo = parseLocalPath(form.get('return_to'))
    const keptForm = form.get('kept_form') ?? undefined
    const again = (problem: SignInProblem, status: number) => {
      const state = { sealedRequest, pending, returnTo, keptForm, email, problem }
      return showSignIn(visit, metadataClients, state, status)
    }
    if (email === '' || password === '') {
      return await again({ kind: 'missing', email: email === '', password: password === '' }, 400)
    }
    const outcome = await signIn(
      acrossSchools(request.schoolDb),
      context.keyring.key('sign-in-throttle'),
      {
        email,
        password,
        ...requesterOf(context, request, email),
        schoolId: request.school.id,
      },
    )
    if (outcome.kind === 'throttled' || outcome.kind === 'busy') {
      reply.header('retry-after', outcome.retryAfterSeconds)
      return await again(outcome, outcome.kind === 'busy' ? 503 : 429)
    }
    if (outcome.kind === 'refused') return await again({ kind: 'mismatch' }, 401)
    const after = { sealedRequest, returnTo, keptForm }
    const { hasSecondFactor } = outcome
    const isShort = isTooShort(password, minimumLength(hasSecondFactor))
    const trustCounts = hasSecondFactor && !isContextMissing(['password'], pending?.acrValues)
    const isTrusted = trustCounts && (await isTrustedBrowser(request, outcome.person.id))
    if (hasSecondFactor && !isTrusted) {
      const step = { proven: outcome, isShort }
      return await askForCode(visit, step, after)
    }
    const methods: ProofMethod[] = isTrusted ? ['password', 'trusted_device'] : ['password']
    const proven = { ...outcome, methods }
    if (isShort) return askForLongerPassword(visit, proven, after)
    // A new session at every sign-in: a session that an attacker planted stays useless (session
    // fixation).
    if (session !== undefined) await endSession(request.schoolDb, session.id)
    const begun = await beginSession(context, request, reply, proven)
    if (begun === undefined) return await again({ kind: 'mismatch' }, 401)
    return goOn(visit, begun, after)
  })
}
