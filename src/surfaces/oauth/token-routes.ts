import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sha256 } from '../../foundation/crypto/digest.ts'
import { inLane } from '../../foundation/db/school-db.ts'
import { clientAddress } from '../../foundation/http/client-address.ts'
import {
  checkRate,
  createAddressRateLimiter,
  createRateLimiter,
  refuseRate,
} from '../../foundation/http/rate-limit.ts'
import { acceptForms } from '../../foundation/http/request-body.ts'
import { addressBucket } from '../../foundation/net/address.ts'
import { ENDPOINTS } from '../../foundation/protocol/endpoints.ts'
import { type Parameters, parseParameters } from '../../foundation/protocol/parameters.ts'
import type { GoodTokens } from '../../gate/bad-tokens.ts'
import type { AppContext } from '../../gate/context.ts'
import { checkNoAuthorizationHeader, formOf } from './form-request.ts'
import { answerIntrospectionRequest } from './introspect.ts'
import { refuseOtherMethods } from './other-methods.ts'
import { RefreshPace } from './refresh-pace.ts'
import { answerRevocationRequest, checkNoHeaderAtRevocation } from './revoke.ts'
import { sendJson } from './send-json.ts'
import { answerTokenRequest } from './token.ts'

type Answer = (
  request: FastifyRequest,
  form: Parameters,
  reply: FastifyReply,
) => Promise<object | undefined>
type CheckHeaders = (request: FastifyRequest, reply: FastifyReply) => void

/** The endpoints that a client calls with a form that holds its client_id. */
export function addTokenRoutes(
  app: FastifyInstance,
  context: AppContext,
  goodTokens: GoodTokens,
): void {
  const checkTokenRate = createTokenRateCheck(context.limits.tokenPerSecond)
  const pace = new RefreshPace(REFRESHES * context.limits.tokenPerSecond)
  const add = (
    scope: FastifyInstance,
    path: string,
    answer: Answer,
    checkHeaders: CheckHeaders = checkNoAuthorizationHeader,
  ): void => {
    scope.post(path, async (request, reply) => {
      const form = formOf(request)
      // Clients depend on an answer, and revoking many pairs may take longer than a stranger has.
      request.at = inLane(request.at, 'interactive')
      checkTokenRate(request, form, reply)
      checkHeaders(request, reply)
      return sendJson(reply, 200, (await answer(request, form, reply)) ?? {})
    })
    refuseOtherMethods(scope, path, ['POST'])
  }
  app.register(async (scope) => {
    acceptForms(scope, parseParameters, context.limits.formBodyBytes)
    add(scope, ENDPOINTS.token, async (request, form, reply) => {
      // A code exchange may send the token of another client, whose allowance it must not touch.
      const isRefresh = form.get('grant_type') === 'refresh_token'
      const chain = isRefresh ? pace.check(form.get('refresh_token'), reply) : undefined
      const { tokens, response } = await answerTokenRequest(context, request, form)
      goodTokens.add(request.school.id, tokens.access.hash)
      if (chain !== undefined) pace.count(chain, tokens.refresh.value)
      return response
    })
    const revoke: Answer = async (request, form) => {
      await answerRevocationRequest(request, form)
      return undefined
    }
    add(scope, ENDPOINTS.revoke, revoke, checkNoHeaderAtRevocation)
  })
  app.register(async (scope) => {
    acceptForms(scope, parseParameters, context.limits.formBodyBytes)
    // Before the body is read and before any other answer: newer origins do not have this endpoint.
    scope.addHook('onRequest', async (request, reply) => {
      if (request.school.variant !== 'older') return reply.callNotFound()
    })
    add(scope, ENDPOINTS.introspect, answerIntrospectionRequest)
  })
}

/** Refreshes of one authorization in an hour, for each request that a client may send in a second. */
const REFRESHES = 10

/** How many busy clients may share one address, such as an office's. */
const CLIENTS_PER_ADDRESS = 10
const MAX_KEY_LENGTH = 64

/**
 * Per client and address: one busy client must not lock out the others behind its address. Allowed
 * requests are counted per address too, since a stranger can make up any number of client ids. Long
 * ids are hashed, so that they do not fill the memory.
 */
function createTokenRateCheck(perSecond: number) {
  const ofClient = createRateLimiter({ name: 'token', quota: perSecond, windowSeconds: 1 })
  const ofAddress = createAddressRateLimiter({
    name: 'address',
    quota: perSecond * CLIENTS_PER_ADDRESS,
    windowSeconds: 1,
  })
  return (request: FastifyRequest, form: Parameters, reply: FastifyReply): void => {
    const address = clientAddress(request)
    const clientId = form.get('client_id') ?? ''
    const client = clientId.length <= MAX_KEY_LENGTH ? clientId : sha256(clientId).toString('hex')
    checkRate(ofClient, `${addressBucket(address)} ${request.school.id} ${client}`, reply)
    const decision = ofAddress.take(address)
    if (!decision.allowed) refuseRate(ofAddress.policy, decision, reply)
  }
}
