import type { FastifyRequest } from 'fastify'
import { findAuthorizingClient } from '../../domain/clients/authorizing-client.ts'
import type { Client } from '../../domain/clients/client.ts'
import type { DocumentClients } from '../../domain/clients/document-clients.ts'
import { findScope } from '../../domain/clients/scope-catalogue.ts'
import {
  type PendingAuthorization,
  sealPending,
} from '../../domain/grants/pending-authorization.ts'
import type { BrowserSession } from '../../domain/people/sessions.ts'
import { clientAddress } from '../../foundation/http/client-address.ts'
import { defaultHttpLimits } from '../../foundation/http/server.ts'
import { authorizationResponseUrl } from '../../foundation/protocol/authorization-response.ts'
import { errorBody, OAuthError } from '../../foundation/protocol/errors.ts'
import { type Parameters, readParameters } from '../../foundation/protocol/parameters.ts'
import { checkChallenge } from '../../foundation/protocol/pkce.ts'
import { parseMaxAge, parsePrompt } from '../../foundation/protocol/prompt.ts'
import {
  findRedirectUri,
  type ValidatedRedirectUri,
} from '../../foundation/protocol/redirect-uri.ts'
import { bindResource } from '../../foundation/protocol/resource.ts'
import { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import { findBrowserSession } from '../../gate/browser-gate.ts'
import type { AppContext } from '../../gate/context.ts'
import { toOAuthError } from '../../gate/refusal.ts'
import { ENDPOINTS } from './endpoints.ts'
import { requireParameter } from './require-parameter.ts'

/**
 * The authorization endpoint. The order of the checks is the order of the lines below; until client
 * and redirect URI are proven a refusal is a page of our own, afterwards the client is told by a
 * redirect. The whole request is checked before anybody is asked to sign in.
 *
 * @see RFC 6749 §4.1.1 and §4.1.2.1
 */
export async function answerAuthorizationRequest(
  context: AppContext,
  documents: DocumentClients,
  request: FastifyRequest,
  text: string,
): Promise<string> {
  const parameters = readParameters(text)
  const client = await loadClient(context, documents, request, parameters)
  const redirectUri = loadRedirectUri(client, parameters)
  try {
    checkParameters(parameters) //                      RFC 6749 §3.1
    checkNoRequestObject(parameters) //                 OpenID Connect Core §6.1, §6.2
    checkResponseType(parameters) //                    RFC 6749 §3.1.1
    checkResponseMode(parameters) //                    OAuth 2.0 Multiple Response Types §2.1
    const scopes = loadScopes(client, parameters) //    RFC 6749 §3.3
    const resource = loadResource(client, request, parameters) // RFC 8707 §2.1
    const codeChallenge = loadChallenge(parameters) //  RFC 7636 §4.3
    const prompt = parsePrompt(parameters.get('prompt')) // OpenID Connect Core §3.1.2.1
    const maxAge = parseMaxAge(parameters.get('max_age'))
    const session = await findBrowserSession(request)
    const again = prompt.has('login') || prompt.has('select_account') || isTooOld(session, maxAge)
    checkSilence(prompt.has('none'), session !== undefined && !again)
    const pending: PendingAuthorization = {
      clientId: client.clientId,
      redirectUri,
      scopes: scopes.toArray(),
      resource,
      codeChallenge,
      state: parameters.get('state'),
      nonce: parameters.get('nonce'),
      loginHint: parameters.get('login_hint')?.slice(0, 320),
      signInAfter: again ? toSeconds(session?.readAt) : undefined,
    }
    const next = session === undefined || again ? '/sign-in' : '/consent'
    const sealed = sealPending(context.keyring, request.school.id, pending)
    return checkLength(`${next}?request=${sealed}`)
  } catch (error) {
    return redirectError(error, request, redirectUri, parameters)
  }
}

/**
 * The same request as a GET. What a URL cannot hold as it is gets encoded, so that nothing of the
 * body can end the header line that carries it, or cut the query short with a fragment.
 *
 * @see RFC 6749 §3.1
 */
export function authorizationRequestAsGet(text: string): string {
  const query = text.replace(/[^\x21-\x7E]|#/gu, encodeURIComponent)
  return checkLength(`${ENDPOINTS.authorize}?${query}`)
}

/** A browser must not be sent on to an address that we would then refuse as too long. */
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

/** @see RFC 6749 §3.1.2.4: an unproven client gets no redirect */
async function loadClient(
  context: AppContext,
  documents: DocumentClients,
  request: FastifyRequest,
  parameters: Parameters,
): Promise<Client> {
  const clientId = requireParameter(parameters, 'client_id')
  const found = await findAuthorizingClient(
    context.db,
    request.at,
    request.school,
    documents,
    clientId,
    clientAddress(request),
  )
  if (found.kind === 'busy') {
    const { why, retryAfterSeconds: retryAfter } = found
    throw new OAuthError('temporarily_unavailable', why, {
      status: 429,
      redirectable: false,
      retryAfter,
    })
  }
  if (found.kind === 'refused') {
    throw new OAuthError('invalid_client', found.why, { status: 400, redirectable: false })
  }
  request.outcome.clientId = found.client.clientId
  return found.client
}

/** @see RFC 6749 §3.1.2.3, RFC 9700 §4.1.3 */
function loadRedirectUri(client: Client, parameters: Parameters): ValidatedRedirectUri {
  const presented = requireParameter(parameters, 'redirect_uri')
  const uri = findRedirectUri(client.redirectUris, presented)
  if (uri === undefined) {
    throw new OAuthError(
      'invalid_request',
      'redirect_uri is not one of the addresses registered for this application. It must be the very same string; only the port of a loopback address may differ.',
      { redirectable: false },
    )
  }
  return uri
}

function checkParameters(parameters: Parameters): void {
  if (parameters.fault !== undefined) throw parameters.fault
}

/** Never ignored: a client that signs its request must not believe that the signature was checked. */
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

function loadScopes(client: Client, parameters: Parameters): ScopeSet {
  const text = parameters.get('scope')
  if (text === undefined) {
    throw new OAuthError('invalid_request', 'scope is missing: name at least one scope.')
  }
  const scopes = ScopeSet.parse(text)
  if (scopes.size === 0) throw new OAuthError('invalid_scope', 'scope names no scope.')
  for (const scope of scopes) {
    if (findScope(scope) === undefined) {
      throw new OAuthError('invalid_scope', `There is no scope ${scope.slice(0, 100)}.`)
    }
  }
  const beyond = scopes.minus(client.scopes)
  if (beyond.size > 0) throw new OAuthError('invalid_scope', whyBeyond(client, beyond))
  return scopes
}

function whyBeyond(client: Client, beyond: ScopeSet): string {
  if (client.audience === 'operator' && [...beyond].some((scope) => scope.startsWith('account:'))) {
    return 'account:read and account:write are for member applications; this is an operator client.'
  }
  if (client.kind === 'document' && !client.reviewed) {
    return `Until an operator of this school has reviewed this client it may ask for read and identity scopes only, not for ${beyond}.`
  }
  return `This application may not ask for ${beyond}. An operator of the school chooses its scopes.`
}

function loadResource(client: Client, request: FastifyRequest, parameters: Parameters): string {
  return bindResource(parameters.getAll('resource'), request.school.origin, {
    required: client.audience === 'member',
  })
}

function loadChallenge(parameters: Parameters): string {
  const challenge = parameters.get('code_challenge')
  checkChallenge(challenge, parameters.get('code_challenge_method'))
  return challenge
}

/**
 * Consent is asked for every time, so nobody can be authorized without seeing a page.
 *
 * @see OpenID Connect Core 1.0 §3.1.2.6
 */
function checkSilence(silent: boolean, signedIn: boolean): void {
  if (!silent) return
  if (!signedIn) throw new OAuthError('login_required', 'Nobody is signed in here.')
  throw new OAuthError('consent_required', 'Consent is asked for on every authorization.')
}

/** Not only beyond max_age but at it: 0 has to mean the same as prompt=login. */
function isTooOld(session: BrowserSession | undefined, maxAge: number | undefined): boolean {
  if (session === undefined || maxAge === undefined) return false
  return session.readAt.getTime() - session.authenticatedAt.getTime() >= maxAge * 1000
}

function toSeconds(date: Date | undefined): number | undefined {
  return date === undefined ? undefined : date.getTime() / 1000
}

/** @see RFC 6749 §4.1.2.1, RFC 9207 §2 */
function redirectError(
  error: unknown,
  request: FastifyRequest,
  redirectUri: ValidatedRedirectUri,
  parameters: Parameters,
): string {
  const refusal = toOAuthError(error, request)
  if (!refusal.redirectable) throw refusal
  request.outcome.result = refusal.code
  return authorizationResponseUrl(redirectUri, {
    ...errorBody(refusal),
    state: parameters.has('state') ? parameters.get('state') : undefined,
    iss: request.school.origin,
  })
}
