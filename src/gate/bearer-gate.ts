import type { FastifyRequest } from 'fastify'
import {
  authenticateBearer,
  authenticatePerson,
  type BearerDemands,
  type Caller,
  checkOfBearer,
  type KnownCaller,
} from '../domain/grants/caller.ts'
import { confirmedBy, inLane } from '../foundation/db/school-db.ts'
import { logFailure } from '../foundation/http/last-resort.ts'
import { parseBearer } from '../foundation/protocol/challenge.ts'
import { OAuthError } from '../foundation/protocol/errors.ts'
import { RETRY_AFTER_SECONDS } from './refusal.ts'

/** The caller of a request, or undefined if the request has no credentials. */
async function findCaller(request: FastifyRequest): Promise<KnownCaller | undefined> {
  return await findBearer(request, (token) => authenticatePerson(request.schoolDb, token))
}

async function findBearer<C extends Caller>(
  request: FastifyRequest,
  authenticate: (token: string) => Promise<C>,
): Promise<C | undefined> {
  const token = parseBearer(request.headers.authorization)
  if (token === undefined) return undefined
  const caller = await authenticate(token).catch((error: unknown) => {
    throw error instanceof OAuthError ? error : noVerdict(request, error)
  })
  request.schoolDb = confirmedBy(inLane(request.schoolDb, 'interactive'), checkOfBearer(caller))
  noteCallerRead(request)
  request.outcome.clientId = caller.clientId
  request.outcome.personId = caller.person.id
  return caller
}

/**
 * An internal error while a token is checked must not look like a refusal of the token: the client
 * would discard a valid token.
 */
function noVerdict(request: FastifyRequest, fault: unknown): OAuthError {
  logFailure(request, fault)
  return new OAuthError(
    'temporarily_unavailable',
    'The access token could not be checked at the moment. Try again shortly with the same token.',
    { retryAfter: RETRY_AFTER_SECONDS, cause: fault },
  )
}

/** The caller of a request to a surface without an anonymous mode. */
export async function loadCaller(
  request: FastifyRequest,
  demands?: BearerDemands,
): Promise<Caller> {
  return demanded(
    await findBearer(request, (token) => authenticateBearer(request.schoolDb, token, demands)),
  )
}

/** Like `loadCaller`, for endpoints that return the identity of the person. */
export async function loadKnownCaller(request: FastifyRequest): Promise<KnownCaller> {
  return demanded(await findCaller(request))
}

function demanded<C extends Caller>(caller: C | undefined): C {
  if (caller !== undefined) return caller
  throw new OAuthError(
    'invalid_token',
    'No access token was sent: send Authorization: Bearer, a space and the access token.',
  )
}

declare module 'fastify' {
  interface FastifyRequest {
    /** When the caller was read, in the time of `performance.now()`. */
    callerReadAt: number | undefined
  }
}

const SLOW_MS = 1_000

export function noteCallerRead(request: FastifyRequest): void {
  request.callerReadAt = performance.now()
}

/**
 * Whether the body came so slowly that the caller has to be read again: a thief could send the head
 * of a request, and the rest after the token is revoked. Writes are confirmed in their transaction
 * besides.
 */
export function isCallerOld({ callerReadAt }: FastifyRequest): boolean {
  return callerReadAt !== undefined && performance.now() - callerReadAt > SLOW_MS
}
