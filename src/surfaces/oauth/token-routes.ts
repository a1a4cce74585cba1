import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LruCache } from '../../foundation/cache/lru-cache.ts'
import { sha256 } from '../../foundation/crypto/digest.ts'
import { inLane } from '../../foundation/db/school-db.ts'
import { clientAddress } from '../../foundation/http/client-address.ts'
import { RequestRefusedError } from '../../foundation/http/client-fault.ts'
import {
  checkRate,
  createAddressRateLimiter,
  createRateLimiter,
  type KeptAccount,
  type RateLimitPolicy,
  rateAccounts,
  refuseRate,
} from '../../foundation/http/rate-limit.ts'
import { acceptForms, rawQuery } from '../../foundation/http/request-body.ts'
import { addressBucket } from '../../foundation/net/address.ts'
import { ENDPOINTS } from '../../foundation/protocol/endpoints.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import { Parameters, parseParameters } from '../../foundation/protocol/parameters.ts'
import { rowKey } from '../../foundation/protocol/token-format.ts'
import { withResourceOfUrl } from '../../foundation/protocol/token-url.ts'
import type { GoodTokens } from '../../gate/bad-tokens.ts'
import type { AppContext } from '../../gate/context.ts'
import { refuseOtherMethods, requireParameter, sendJson } from './audit-refusal.ts'
import { type Granted, grantTypes } from './grant-types.ts'
import {
  answerIntrospectionRequest,
  answerRevocationRequest,
  checkNoHeaderAtRevocation,
} from './revoke.ts'

/**
 * Tokens of all chains: those of two hours with 20,000 people, as a client refreshes every two
 * hours.
 */
const REMEMBERED = 20_000

/**
 * Every refresh adds rows that live for months, and an access token lives for two hours: a client
 * that refreshes in a loop is slowed down. Refreshes are counted along the chain of tokens that
 * this process gave out, because a request does not name its authorization. Only those that succeed
 * count: no stranger can use up the allowance.
 */
export class RefreshPace {
  readonly #policy: RateLimitPolicy
  readonly #newAccount: (at: number) => KeptAccount
  /** By the id of each token of a chain. */
  readonly #chains = new LruCache<RefreshChain>(REMEMBERED, { busy: true })

  constructor(perHour: number) {
    this.#policy = { name: 'refresh', quota: perHour, windowSeconds: 3600 }
    this.#newAccount = rateAccounts(this.#policy)
  }

  /** The chain of a token; throws if it has refreshed too often. */
  check(refreshToken: string | undefined, reply: FastifyReply): RefreshChain | undefined {
    const id = refreshToken === undefined ? undefined : rowKey('refresh', refreshToken)
    if (id === undefined) return undefined
    const now = performance.now()
    const known = this.#chains.get(id)
    if (known === undefined) return { account: this.#newAccount(now), first: id }
    known.account.refill(now)
    if (known.account.isEmpty()) refuseRate(this.#policy, known.account.decide(), reply)
    return known
  }

  /** Counts a refresh that succeeded. */
  count(chain: RefreshChain, next: string): void {
    chain.account.spend(1)
    const child = rowKey('refresh', next)
    if (child !== undefined) this.#chains.set(child, chain, 1)
    if (chain.first === undefined) return
    this.#chains.set(chain.first, chain, 1)
    chain.first = undefined
  }
}

interface RefreshChain {
  readonly account: KeptAccount
  /** The id of its first token, until that is remembered too. */
  first: string | undefined
}

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
      request.schoolDb = inLane(request.schoolDb, 'interactive')
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

/**
 * Refreshes of one authorization in an hour, for each request that a client may send in a second.
 */
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

/** @see RFC 6749 §3.2 */
async function answerTokenRequest(
  context: AppContext,
  request: FastifyRequest,
  body: Parameters,
): Promise<Granted> {
  const form = withResourceOfUrl(body, rawQuery(request.raw.url ?? ''))
  const name = requireParameter(form, 'grant_type')
  const grant = grantTypes.get(name)
  if (grant === undefined) {
    throw new OAuthError(
      'unsupported_grant_type',
      `grant_type must be ${[...grantTypes.keys()].join(' or ')}.`,
    )
  }
  return await grant.handle(context, request, form)
}

/** The parsed form of a request that may only send a form; a request without a body is refused. */
function formOf(request: FastifyRequest): Parameters {
  if (request.body instanceof Parameters) return request.body
  throw new RequestRefusedError(
    400,
    'Send the parameters in the body, with Content-Type: application/x-www-form-urlencoded.',
  )
}

/** The schemes that clients send here. A challenge in another scheme would mean nothing to them. */
const SCHEME = /^(basic|bearer)(?: |$)/i

/**
 * HTTP Basic is not offered. A client that sends it to the token or introspection endpoint is told
 * so instead of being treated as a public one, with a challenge of the scheme it used, as the RFC
 * requires.
 *
 * @see RFC 6749 §2.3.1 and §5.2
 */
function checkNoAuthorizationHeader(request: FastifyRequest, reply: FastifyReply): void {
  const { authorization } = request.headers
  if (authorization !== undefined) {
    const scheme = SCHEME.exec(authorization)?.[1]
    if (scheme !== undefined) {
      reply.header('www-authenticate', `${scheme} realm="${request.school.origin}"`)
    }
    throw new OAuthError(
      'invalid_client',
      'Clients authenticate with client_id and client_secret in the form body (client_secret_post), not by an Authorization header.',
    )
  }
}
