import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  createFirstSchool,
  type EmptyInstallation,
  trySetupCode,
} from '../../../domain/setup/first-school.ts'
import { hashPassword } from '../../../foundation/crypto/password.ts'
import { isDatabaseUnavailable } from '../../../foundation/db/unavailable.ts'
import { errorPage, ourFaultPage, unavailablePage } from '../../../foundation/html/error-page.tsx'
import { clientAddress, type TrustProxy } from '../../../foundation/http/client-address.ts'
import { findClientFault, RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { logFailure } from '../../../foundation/http/last-resort.ts'
import { nameSurface } from '../../../foundation/http/observe-requests.ts'
import { createOriginReader } from '../../../foundation/http/origin.ts'
import { acceptForms } from '../../../foundation/http/request-body.ts'
import { pageHeaders } from '../../../foundation/http/security-headers.ts'
import { isLoopbackAddress } from '../../../foundation/net/address.ts'
import { isOwnMachine } from '../../../foundation/net/parse-url.ts'
import type { AppContext } from '../../../gate/context.ts'
import { anonymousForm, anonymousFormToken } from '../page-request.ts'
import { schoolMadePage, setupPage, unsafeSetupPage } from '../views/setup.tsx'
import { judgeSetup, readSetupForm, suggestedValues } from './setup-form.ts'

/**
 * The first-run page, on any host, because no school exists that could own one. As soon as there is a school,
 * these routes answer like every other unknown address.
 */
export function addSetupRoutes(
  app: FastifyInstance,
  context: AppContext,
  installation: EmptyInstallation,
  trust: TrustProxy,
): void {
  const readOrigin = createOriginReader(trust)
  const originOf = (request: FastifyRequest): string => {
    const { origin, problem } = readOrigin(request)
    if (origin === undefined) throw new RequestRefusedError(400, problem)
    return origin
  }

  app.register(async (scope) => {
    nameSurface(scope, 'pages')
    scope.setErrorHandler(answerSetupError)
    acceptForms(scope, (text) => new URLSearchParams(text), context.limits.formBodyBytes)
    // Before the body is read: with a school, a post gets the same 404 as at any other address.
    scope.addHook('onRequest', async (request, reply) => {
      if (!(await installation.isEmpty())) {
        reply.callNotFound()
        return reply
      }
      const origin = originOf(request)
      if (isSafePlace(origin, request)) return
      request.outcome.result = 'setup_without_https'
      const { host } = new URL(origin)
      return send(reply, origin, unsafeSetupPage({ reference: request.id, host }), 403)
    })

    scope.get('/setup', async (request, reply) => {
      const origin = originOf(request)
      const formToken = anonymousFormToken(context.keyring, request, reply, origin)
      return send(reply, origin, setupPage({ formToken, values: suggestedValues(origin) }))
    })

    scope.post('/setup', async (request, reply) => {
      const origin = originOf(request)
      const asked = readSetupForm(anonymousForm(context.keyring, request, origin))
      const again = (
        told: Omit<Parameters<typeof setupPage>[0], 'formToken' | 'values'>,
        status: number,
      ) => {
        const formToken = anonymousFormToken(context.keyring, request, reply, origin)
        return send(reply, origin, setupPage({ formToken, values: asked.values, ...told }), status)
      }
      const judged = await judgeSetup(asked)
      if ('problems' in judged) return again({ problems: judged.problems }, 400)
      const tried = await trySetupCode(context.db, asked.code)
      if (tried.kind !== 'right') {
        request.outcome.result = 'setup_code_refused'
        return again({ codeProblem: tried }, 403)
      }
      const { school, owner } = judged
      const passwordHash = await hashPassword(asked.password)
      const by = { via: 'setup', requestId: request.id } as const
      const made = await createFirstSchool(
        context.db,
        { school, owner: { ...owner, passwordHash } },
        by,
      )
      if (!made) return reply.callNotFound()
      context.directory.forget()
      request.log.info({ school: school.subdomain }, 'the first school was made')
      if (school.origin === origin) {
        return reply
          .headers(pageHeaders(origin, 'site'))
          .redirect('/sign-in?new_school&return_to=%2Fadmin', 303)
      }
      return send(reply, origin, schoolMadePage({ origin: school.origin, reference: request.id }))
    })
  })
}

/** Over https, or from a browser on this machine: code and password never cross a network in clear text. */
function isSafePlace(origin: string, request: FastifyRequest): boolean {
  if (origin.startsWith('https://')) return true
  return isOwnMachine(new URL(origin).hostname) && isLoopbackAddress(clientAddress(request))
}

function send(reply: FastifyReply, origin: string, html: string, status = 200): FastifyReply {
  return reply
    .code(status)
    .headers(pageHeaders(origin, 'site'))
    .type('text/html; charset=utf-8')
    .send(html)
}

function answerSetupError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const reference = request.id
  const fault = findClientFault(error)
  if (fault !== undefined) {
    const page = errorPage({
      title: 'Something went wrong',
      what: fault.description,
      next: 'Open /setup again and send the form from there.',
      reference,
    })
    return send(reply, 'http://', page, fault.status)
  }
  logFailure(request, error)
  if (isDatabaseUnavailable(error)) {
    reply.header('retry-after', 5)
    return send(reply, 'http://', unavailablePage({ reference }), 503)
  }
  return send(reply, 'http://', ourFaultPage({ reference }), 500)
}
