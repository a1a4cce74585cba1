import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Audience, SCOPES_OF_AUDIENCE } from '../../domain/clients/scope-catalogue.ts'
import type { Caller } from '../../domain/grants/caller.ts'
import { TooManyRowsError } from '../../foundation/db/keyset.ts'
import { isDatabaseUnavailable, TOOK_TOO_LONG } from '../../foundation/db/unavailable.ts'
import { type ErrorCode, errorAddress } from '../../foundation/errors/catalogue.ts'
import { clientAddress } from '../../foundation/http/client-address.ts'
import {
  checkRate,
  createAddressRateLimiter,
  createRateLimiter,
} from '../../foundation/http/rate-limit.ts'
import { addressBucket } from '../../foundation/net/address.ts'
import { bearerChallenge } from '../../foundation/protocol/challenge.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import type { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import { BadTokens, type GoodTokens } from '../../gate/bad-tokens.ts'
import { LongAnswer } from './long-answer.ts'
import { sliceText } from './parts.ts'
import { type Tool, type ToolCall, ToolProblem } from './tool.ts'

export interface ToolResult {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: true
}

/**
 * Runs a tool; each failure becomes a text that a model can act on and that tells no secret.
 * `onFault` gets a failure of ours, and the refusal of a token that ended while the tool ran, which
 * is answered with 401 instead.
 */
export async function runTool(
  origin: string,
  run: () => Promise<object>,
  onFault: (fault: unknown) => void,
): Promise<ToolResult> {
  try {
    const given = await run()
    const { answer, text } =
      given instanceof LongAnswer ? given.fit() : { answer: given, text: JSON.stringify(given) }
    // Older clients read only text, so the same JSON is in both places.
    return { content: [{ type: 'text', text }], structuredContent: { ...answer } }
  } catch (error) {
    const { text, code } = describe(error, onFault)
    return problem(origin, code, text)
  }
}

/** Far more than a model needs to correct a call, whatever names the call made up. */
const PROBLEM_CHARACTERS = 4000

/** A model reads the text alone, so the code and its address stand there. */
export function problem(origin: string, code: ErrorCode, text: string): ToolResult {
  const told =
    text.length <= PROBLEM_CHARACTERS ? text : `${sliceText(text, 0, PROBLEM_CHARACTERS)}…`
  const explained = `${told}\nError ${code}, explained at ${errorAddress(origin, code)}`
  return { content: [{ type: 'text', text: explained }], isError: true }
}

/** Only this call is refused: the school has more to look through than one call may take. */
const TOO_SLOW =
  'The call took longer than one call may at this school, so it was stopped. Ask for less: fewer or other words, a list of one kind instead of a search, or a shorter page. Try the same call again only later.'

interface Described {
  readonly text: string
  readonly code: ErrorCode
}

function describe(error: unknown, onFault: (fault: unknown) => void): Described {
  if (error instanceof ToolProblem) return { text: error.message, code: error.code }
  if (error instanceof TooManyRowsError) return { text: error.message, code: 'limit_exceeded' }
  if (error instanceof OAuthError) {
    if (error.code === 'invalid_token') onFault(error)
    return { text: error.description, code: error.code }
  }
  if (isDatabaseUnavailable(error) && error.code === TOOK_TOO_LONG) {
    return { text: TOO_SLOW, code: 'limit_exceeded' }
  }
  onFault(error)
  return { text: OUR_FAULT, code: 'server_error' }
}

const OUR_FAULT =
  'The school could not answer because of a fault on its side. Try the same call again in a moment; if it keeps failing, tell the person that the school is not available now.'

/**
 * The caller of a tool lacks a scope or a login; the HTTP status and the body of the protocol both
 * say so.
 */
export class StepUpError extends Error {
  override readonly name = 'StepUpError'
  readonly status: 401 | 403
  /** The header's value. */
  readonly challenge: string
  /** For clients that read only the body; they want an error named even where none was made. */
  readonly challengeInBody: string
  readonly description: string

  constructor({ school, path, caller }: ToolCall, tool: Tool, needed: ScopeSet) {
    const description = describeStepUp(caller, tool, needed)
    super(description)
    this.description = description
    this.status = caller === undefined ? 401 : 403
    const error = new OAuthError('insufficient_scope', description)
    const scope = scopeToAskFor(caller, needed)
    const bare = { origin: school.origin, resource: path, scope }
    this.challengeInBody = bearerChallenge({ ...bare, error })
    // RFC 6750 §3: a request without a token made no mistake, so its challenge names no error.
    this.challenge = caller === undefined ? bearerChallenge(bare) : this.challengeInBody
  }
}

/**
 * What the call needs and what the token has. Clients of the handshake era ask for just what they
 * find here, and with each step up they would lose what they had before.
 */
function scopeToAskFor(caller: Caller | undefined, needed: ScopeSet): ScopeSet {
  const isOneLogin = caller !== undefined && needed.isSubsetOf(SCOPES_OF_AUDIENCE[caller.audience])
  return isOneLogin ? needed.union(caller.scopes) : needed
}

function describeStepUp(caller: Caller | undefined, tool: Tool, needed: ScopeSet): string {
  if (caller === undefined)
    return `${tool.name} needs a login: authorize with the scopes ${needed}.`
  if (needed.isSubsetOf(SCOPES_OF_AUDIENCE[caller.audience])) {
    return `The access token does not cover this use of ${tool.name}. Authorize again with the scopes ${needed}.`
  }
  return `${tool.name} needs the scopes ${needed}, which ${FOREIGN[caller.audience]}`
}

/** More of the same login would not help, so neither a client nor a model should try it. */
const FOREIGN: Readonly<Record<Audience, string>> = {
  member:
    'no application for members can hold. It is for owners and admins, who sign in with an application for operators.',
  operator:
    'no application for operators can hold. It is for members, who sign in with an application that the school made for them.',
}

/** So many tokens may be refused for each tool call that one token may make. */
const REFUSED_PER_CALL = 10

/**
 * A client without a token sends a few messages (a greeting, the list) for each tool that it calls.
 */
const MESSAGES_PER_CALL = 2

/** A client with one sends few others besides its calls; this is a bound, no measure. */
const MESSAGES_PER_CALL_WITH_TOKEN = 10

/**
 * Counts every message before its body is read, whatever its method: by address if it has no token,
 * by school and address if its token is bad, by authorization if it is good. Tool calls are counted
 * once more.
 */
export function createRateChecks(callsPerMinute: number, goodTokens: GoodTokens) {
  const policy = (name: string, times: number) => ({
    name,
    quota: callsPerMinute * times,
    windowSeconds: 60,
  })
  const strangers = createAddressRateLimiter(policy('strangers', MESSAGES_PER_CALL))
  const badTokens = new BadTokens(policy('refused', REFUSED_PER_CALL), goodTokens)
  const messages = createRateLimiter(policy('messages', MESSAGES_PER_CALL_WITH_TOKEN))
  const tools = createRateLimiter(policy('tools', 1))
  return {
    ofStranger: (request: FastifyRequest, reply: FastifyReply) =>
      checkRate(strangers, clientAddress(request), reply),
    /** Performs the check of a token. */
    async ofToken<C extends Caller>(
      request: FastifyRequest,
      reply: FastifyReply,
      check: () => Promise<C>,
    ): Promise<C> {
      const caller = await badTokens.count(request, reply, check)
      checkRate(messages, caller.authorizationId, reply)
      return caller
    },
    ofCall: (request: FastifyRequest, caller: Caller | undefined, reply: FastifyReply) =>
      checkRate(tools, caller?.authorizationId ?? addressOf(request), reply),
  }
}

function addressOf(request: FastifyRequest): string {
  return addressBucket(clientAddress(request))
}
