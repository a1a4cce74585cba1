import type { FastifyRequest } from 'fastify'
import type { Client } from '../../domain/clients/client.ts'
import type { MetadataClients } from '../../domain/clients/metadata-clients.ts'
import { isSignInDue } from '../../domain/grants/decide-consent.ts'
import {
  type PendingAuthorization,
  sealPending,
} from '../../domain/grants/pending-authorization.ts'
import {
  checkClient,
  checkRedirectUri,
  checkScopes,
  isUnreviewed,
} from '../../domain/grants/request-checks.ts'
import { readAcrValues } from '../../domain/people/authentication-context.ts'
import type { BrowserSession } from '../../domain/people/sessions.ts'
import { acrossSchools } from '../../foundation/db/school-db.ts'
import { databaseTime } from '../../foundation/db/sql-values.ts'
import { defaultHttpLimits } from '../../foundation/http/server.ts'
import {
  authorizationResponseUrl,
  type Prompt,
  parseMaxAge,
  parsePrompt,
} from '../../foundation/protocol/authorization-response.ts'
import { ENDPOINTS } from '../../foundation/protocol/endpoints.ts'
import { errorBody, OAuthError } from '../../foundation/protocol/errors.ts'
import { type Parameters, readParameters } from '../../foundation/protocol/parameters.ts'
import { checkChallenge } from '../../foundation/protocol/pkce.ts'
import { isLoopback, type ValidatedRedirectUri } from '../../foundation/protocol/redirect-uri.ts'
import { bindResource } from '../../foundation/protocol/resource-names.ts'
import { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import { findBrowserSession } from '../../gate/browser-gate.ts'
import type { AppContext } from '../../gate/context.ts'
import { toOAuthError } from '../../gate/refusal.ts'
import { findRequestingClient } from '../../gate/requesting-client.ts'
import { requireParameter } from './audit-refusal.ts'

/**
 * A refusal for a client whose redirect URI this school does not trust yet: the person decides
 * whether to follow it.
 */
export class HeldRedirect extends OAuthError {
  readonly location: string

  constructor({ code, description, status, retryAfter }: OAuthError, location: string) {
    super(code, description, { status, retryAfter, redirectable: false })
    this.location = location
  }
}

/**
 * The authorization endpoint. The checks run in the order of the lines below. Before client and
 * redirect URI are checked, a refusal is a page of our own; afterwards it is a redirect to the
 * client, or for a client that the school has not reviewed a page with that redirect as a link,
 * unless it leads to the person's own computer.
 * The whole request is checked before the person is asked to sign in.
 *
 * @see RFC 6749 §4.1.1 and §4.1.2.1
 */
export async function answerAuthorizationRequest(
  context: AppContext,
  metadataClients: MetadataClients,
  request: FastifyRequest,
  text: string,
): Promise<string> {
  const { origin } = request.school
  const parameters = readParameters(text)
  const clientId = requireParameter(parameters, 'client_id')
  const client = checkClient(await findRequestingClient(metadataClients, request, clientId))
  request.outcome.clientId = client.clientId
  const redirectUri = checkRedirectUri(client, requireParameter(parameters, 'redirect_uri'))
  try {
    checkParameters(parameters) //                       RFC 6749 §3.1
    checkNoRequestObject(parameters) //                  OpenID Connect Core §6.1, §6.2
    checkResponseType(parameters) //                     RFC 6749 §3.1.1
    checkResponseMode(parameters) //                     OAuth 2.0 Multiple Response Types §2.1
    const scopes = readScopes(parameters) //             RFC 6749 §3.3
    checkScopes(client, scopes)
    const resource = bindResource(parameters.getAll('resource'), origin, {
      required: client.audience === 'member', //         RFC 8707 §2.1
    })
    const codeChallenge = readChallenge(parameters) //   RFC 7636 §4.3
    const prompt = parsePrompt(parameters.get('prompt')) // OpenID Connect Core §3.1.2.1
    const maxAge = parseMaxAge(parameters.get('max_age'))
    const session = await findBrowserSession(request)
    const signInAfter = await latestOldSignIn(request, prompt, maxAge, session)
    const signedIn = session !== undefined && !isSignInDue(session, { signInAfter })
    checkSilence(prompt.has('none'), signedIn)
    const pending: PendingAuthorization = {
      clientId: client.clientId,
      redirectUri,
      scopes: scopes.toArray(),
      resource,
      codeChallenge,
      state: parameters.get('state'),
      nonce: parameters.get('nonce'),
      loginHint: parameters.get('login_hint')?.slice(0, 320),
      signInAfter,
      acrValues: readAcrValues(parameters.get('acr_values')),
    }
    const next = signedIn ? '/consent' : '/sign-in'
    const sealedRequest = sealPending(context.keyring, request.school.id, pending)
    return checkLength(`${next}?request=${sealedRequest}`)
  } catch (error) {
    return redirectError(error, request, client, redirectUri, parameters)
  }
}

/**
 * A posted request, written as a GET. Characters that a URL cannot hold are encoded, so that the
 * body can neither end the header line that carries it nor cut the query short with a fragment.
 *
 * @see RFC 6749 §3.1
 */
export function authorizationRequestAsGet(text: string): string {
  const query = text.replace(/[^\x21-\x7E]|#/gu, encodeURIComponent)
  return checkLength(`${ENDPOINTS.authorize}?${query}`)
}

/** Refuses a request whose redirect to sign-in would be an address that is too long for us. */
function checkLength(location: string): string {
  if (location.length > defaultHttpLimits.urlLength) {
    throw new OAuthError(
      'invalid_request',
      'The request is too long to be carried through sign-in: shorten state, nonce or redirect_uri.',
      { status: 414 },
    )
  }
  return location
}

/**
 * Consent is asked for every time, so no client can be authorized without a page.
 *
 * @see OpenID Connect Core 1.0 §3.1.2.6
 */
function checkSilence(silent: boolean, signedIn: boolean): void {
  if (!silent) return
  if (!signedIn) throw new OAuthError('login_required', 'No person is signed in at this school.')
  throw new OAuthError('consent_required', 'Consent is asked for on every authorization.')
}

/**
 * A sign-in up to this time (seconds since the epoch) does not count for this request. It is sealed
 * into the request also if the browser is not signed in: it may be by the time the person comes
 * back. A sign-in of exactly max_age is too old as well, so 0 means the same as prompt=login.
 *
 * @see OpenID Connect Core 1.0 §3.1.2.1
 */
async function latestOldSignIn(
  { schoolDb: db }: FastifyRequest,
  prompt: ReadonlySet<Prompt>,
  maxAge: number | undefined,
  session: BrowserSession | undefined,
): Promise<number | undefined> {
  const again = prompt.has('login') || prompt.has('select_account')
  if (!again && maxAge === undefined) return undefined
  const askedAt = session?.readAt ?? (await databaseTime(acrossSchools(db)))
  return askedAt.getTime() / 1000 - (again ? 0 : (maxAge ?? 0))
}

/** @see RFC 6749 §4.1.2.1, RFC 9207 §2, RFC 9700 §4.11.2 */
function redirectError(
  error: unknown,
  request: FastifyRequest,
  client: Client,
  redirectUri: ValidatedRedirectUri,
  parameters: Parameters,
): string {
  const refusal = toOAuthError(error, request)
  if (!refusal.redirectable) throw refusal
  request.outcome.result = refusal.code
  const location = authorizationResponseUrl(redirectUri, {
    ...errorBody(refusal, request.school.origin),
    state: parameters.has('state') ? parameters.get('state') : undefined,
    iss: request.school.origin,
  })
  // Any site can publish a document, so a broken request would make this origin an open redirector.
  // A program on the person's own computer waits for its answer, and no site gains by a redirect to
  // there.
  if (isUnreviewed(client) && !isLoopback(redirectUri)) throw new HeldRedirect(refusal, location)
  return location
}

function checkParameters(parameters: Parameters): void {
  if (parameters.fault !== undefined) throw parameters.fault
}

/**
 * Refused, not ignored: a client that signs its request must not believe that its signature was
 * checked.
 */
function checkNoRequestObject(parameters: Parameters): void {
  if (parameters.has('request')) {
    throw new OAuthError('request_not_supported', 'The request parameter is not supported.')
  }
  if (parameters.has('request_uri')) {
    throw new OAuthError('request_uri_not_supported', 'The request_uri parameter is not supported.')
  }
  if (parameters.has('registration')) {
    throw new OAuthError(
      'registration_not_supported',
      'The registration parameter is not supported.',
    )
  }
}

function checkResponseType(parameters: Parameters): void {
  if (requireParameter(parameters, 'response_type') !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type must be code.')
  }
}

function checkResponseMode(parameters: Parameters): void {
  const mode = parameters.get('response_mode')
  if (mode !== undefined && mode !== 'query') {
    throw new OAuthError('invalid_request', 'response_mode must be query, or be left out.')
  }
}

function readScopes(parameters: Parameters): ScopeSet {
  const text = parameters.get('scope')
  if (text === undefined) {
    throw new OAuthError('invalid_request', 'scope is missing: name at least one scope.')
  }
  return ScopeSet.parse(text)
}

function readChallenge(parameters: Parameters): string {
  const challenge = parameters.get('code_challenge')
  checkChallenge(challenge, parameters.get('code_challenge_method'))
  return challenge
}
