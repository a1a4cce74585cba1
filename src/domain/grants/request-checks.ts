import { OAuthError } from '../../foundation/protocol/errors.ts'
import {
  findRedirectUri,
  type ValidatedRedirectUri,
} from '../../foundation/protocol/redirect-uri.ts'
import { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import type { AuthorizingClient, SwitchedOffBy } from '../clients/authorizing-client.ts'
import type { Client, ClientKind } from '../clients/client.ts'
import { findScope, SCOPES, type ScopeEntry } from '../clients/scope-catalogue.ts'

/** The parts of an authorization request that an operator's change can make untrue. */
export interface AskedAuthorization {
  readonly redirectUri: string
  readonly scopes: readonly string[]
}

/**
 * Every check of an authorization request against what the school knows, in order. The
 * authorization endpoint makes them one by one, between its checks of the parameters. The consent
 * page makes them all again when it asks and when the person decides, because an operator can
 * change the client meanwhile.
 *
 * @see RFC 6749 §4.1.1
 */
export function checkRequest(
  found: AuthorizingClient,
  asked: AskedAuthorization,
): { readonly client: Client; readonly redirectUri: ValidatedRedirectUri } {
  const client = checkClient(found)
  const redirectUri = checkRedirectUri(client, asked.redirectUri)
  checkScopes(client, ScopeSet.of(asked.scopes))
  return { client, redirectUri }
}

/** @see RFC 6749 §3.1.2.4: an unproven client gets no redirect */
export function checkClient(found: AuthorizingClient): Client {
  if (found.kind === 'busy') {
    throw new OAuthError('temporarily_unavailable', found.why, {
      status: 429,
      redirectable: false,
      retryAfter: found.retryAfterSeconds,
    })
  }
  if (found.kind === 'refused') {
    if (found.switchedOffBy !== undefined) throw new SwitchedOff(found.why, found.switchedOffBy)
    if (found.unpermittedHost !== undefined) {
      throw new UnpermittedHost(found.why, found.unpermittedHost)
    }
    throw new OAuthError('invalid_client', found.why, { status: 400, redirectable: false })
  }
  return found.client
}

/** An own class, because the page for the person names who can switch the client on again. */
export class SwitchedOff extends OAuthError {
  readonly by: SwitchedOffBy

  constructor(why: string, by: SwitchedOffBy) {
    super('invalid_client', why, { status: 400, redirectable: false })
    this.by = by
  }
}

/** An own class, because the page for the person names the host and where to permit it. */
export class UnpermittedHost extends OAuthError {
  readonly host: string

  constructor(why: string, host: string) {
    super('invalid_client', why, { status: 400, redirectable: false })
    this.host = host
  }
}

/** @see RFC 6749 §3.1.2.3, RFC 9700 §4.1.3 */
export function checkRedirectUri(client: Client, presented: string): ValidatedRedirectUri {
  const uri = findRedirectUri(client.redirectUris, presented)
  if (uri === undefined) {
    throw new WrongRedirectUri(client.kind)
  }
  return uri
}

/** An own class, because the page for the person names who can register the address. */
export class WrongRedirectUri extends OAuthError {
  readonly kind: ClientKind

  constructor(kind: ClientKind) {
    super(
      'invalid_request',
      'redirect_uri is not one of the addresses registered for this application. It must be the very same string; only the port of a loopback address may differ.',
      { redirectable: false },
    )
    this.kind = kind
  }
}

/**
 * Any site can publish a client metadata document; until an operator looked at it the school knows
 * only its host.
 */
export function isUnreviewed(client: Client): boolean {
  return client.kind === 'document' && !client.reviewed
}

/** @see RFC 6749 §3.3 */
export function checkScopes(client: Client, scopes: ScopeSet): void {
  if (scopes.size === 0) {
    throw new OAuthError(
      'invalid_scope',
      'scope names no scope. offline_access does not count: every authorization has a refresh token.',
    )
  }
  for (const scope of scopes) {
    if (findScope(scope) === undefined) {
      throw new OAuthError('invalid_scope', `There is no scope ${scope.slice(0, 100)}.`)
    }
  }
  const beyond = scopes.minus(client.scopes)
  if (beyond.size > 0) throw new OAuthError('invalid_scope', whyBeyond(client, beyond))
}

const isForMembers = (scope: ScopeEntry | undefined) => scope?.audience === 'member'
const isForOperators = (scope: string) => findScope(scope)?.audience === 'operator'

/** People read it in their assistant, so it says what to ask for instead. */
function whyBeyond(client: Client, beyond: ScopeSet): string {
  if (
    client.audience === 'operator' &&
    [...beyond].some((scope) => isForMembers(findScope(scope)))
  ) {
    const names = SCOPES.filter(isForMembers).map(({ name }) => name)
    return `${names.join(' and ')} are for member applications; this is an operator client. Leave them out. To see what is your own, use the client_id that the school gives to its members.`
  }
  if (client.audience === 'member' && [...beyond].some(isForOperators)) {
    const names = [...beyond].filter(isForOperators)
    return `Only operator clients may ask for ${fewOf(names)}; this is a member application. Leave it out, or use an operator client. This application may ask for: ${client.scopes}`
  }
  if (isUnreviewed(client)) {
    return `Until an operator of this school has reviewed this client it may ask for read and identity scopes only, not for ${fewOf([...beyond])}. Leave it out, or ask an owner or admin to review the client.`
  }
  return `This application may not ask for ${fewOf([...beyond])}. An operator of the school chooses its scopes, which now are: ${client.scopes}`
}

/**
 * Some programs ask for every scope there is, and a description that names all has no room for the
 * remedy.
 */
function fewOf(names: readonly string[]): string {
  if (names.length <= 4) return names.join(', ')
  return `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`
}
