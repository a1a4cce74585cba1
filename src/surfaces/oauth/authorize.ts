import type { FastifyRequest } from 'fastify'
import type { MetadataClients } from '../../domain/clients/metadata/metadata-clients.ts'
import {
  type PendingAuthorization,
  sealPending,
} from '../../domain/grants/pending-authorization.ts'
import { checkClient, checkRedirectUri, checkScopes } from '../../domain/grants/request-checks.ts'
import type { BrowserSession } from '../../domain/people/sessions.ts'
import { defaultHttpLimits } from '../../foundation/http/server.ts'
import { authorizationResponseUrl } from '../../foundation/protocol/authorization-response.ts'
import { errorBody, OAuthError } from '../../foundation/protocol/errors.ts'
import { type Parameters, readParameters } from '../../foundation/protocol/parameters.ts'
import { parseMaxAge, parsePrompt } from '../../foundation/protocol/prompt.ts'
import type { ValidatedRedirectUri } from '../../foundation/protocol/redirect-uri.ts'
import { bindResource } from '../../foundation/protocol/resource.ts'
import { findBrowserSession } from '../../gate/browser-gate.ts'
import type { AppContext } from '../../gate/context.ts'
import { toOAuthError } from '../../gate/refusal.ts'
import { findRequestingClient } from '../../gate/requesting-client.ts'
import {
  checkNoRequestObject,
  checkParameters,
  checkResponseMode,
  checkResponseType,
  readChallenge,
  readScopes,
} from './authorize-parameters.ts'
import { ENDPOINTS } from './endpoints.ts'
import { requireParameter } from './require-parameter.ts'

/**
 * The authorization endpoint. The checks run in the order of the lines below. Before client and
 * redirect URI are checked, a refusal is a page of our own; afterwards it is a redirect to the client.
 * The whole request is checked before the person is asked to sign in.
 *
 * @see RFC 6749 §4.1.1 and §4.1.2.1
 */
export async function answerAuthorizationRequest(
  context: AppContext,
  documents: MetadataClients,
  request: FastifyRequest,
  text: string,
): Promise<string> {
  const { origin } = request.school
  const parameters = readParameters(text)
  const clientId = requireParameter(parameters, 'client_id')
  const client = checkClient(await findRequestingClient(documents, request, clientId))
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
    const sealedRequest = sealPending(context.keyring, request.school.id, pending)
    return checkLength(`${next}?request=${sealedRequest}`)
  } catch (error) {
    return redirectError(error, request, redirectUri, parameters)
  }
}

/**
 * The same request as a GET. Characters that a URL cannot hold are encoded, so that the body can
 * neither end the header line that carries it nor cut the query short with a fragment.
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

/** A session of exactly max_age is too old as well: 0 means the same as prompt=login. */
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
