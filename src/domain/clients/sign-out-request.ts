import { z } from 'zod'
import { type PublicJwk, parseEs256 } from '../../foundation/crypto/es256.ts'
import { type Keyring, openMessage, sealMessage } from '../../foundation/crypto/seal.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { postLogoutUrl } from '../../foundation/protocol/authorization-response.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import { findPostLogoutRedirectUri } from '../../foundation/protocol/redirect-uri.ts'
import type { School } from '../schools/school.ts'
import { type Client, findClient } from './client.ts'

/** The parameters as they were sent. */
export interface AskedSignOut {
  readonly idTokenHint: string | undefined
  readonly clientId: string | undefined
  readonly postLogoutRedirectUri: string | undefined
  readonly state: string | undefined
}

/**
 * A checked request of a client to sign the person out; without a client, any link could have sent
 * it.
 */
export interface SignOutRequest {
  readonly clientId?: string | undefined
  readonly redirectUri?: string | undefined
  readonly state?: string | undefined
  /** The person of the ID token; without one, the person in the browser has to confirm. */
  readonly userId?: string | undefined
}

/**
 * Checks the parameters. The client is the one of the ID token; `client_id` alone names one too,
 * but proves nothing.
 *
 * @see OpenID Connect RP-Initiated Logout 1.0 §2 and §3
 */
export async function checkSignOut(
  db: SchoolDb,
  school: School,
  asked: AskedSignOut,
): Promise<SignOutRequest> {
  const hint = await checkHint(db, school, asked)
  const clientId = hint?.clientId ?? asked.clientId
  const client = clientId === undefined ? undefined : await loadClient(db, clientId)
  checkRedirectUri(client, asked.postLogoutRedirectUri)
  return {
    clientId,
    redirectUri: asked.postLogoutRedirectUri,
    state: asked.state,
    userId: hint?.userId,
  }
}

async function checkHint(db: SchoolDb, school: School, { idTokenHint, clientId }: AskedSignOut) {
  if (idTokenHint === undefined) return undefined
  const hint = await verifyIdTokenHint(db, school, idTokenHint)
  if (hint === undefined) {
    throw refused(
      'id_token_hint is no ID token that this origin signed. Send the one from the code exchange, unchanged.',
    )
  }
  if (clientId !== undefined && clientId !== hint.clientId) {
    throw refused(
      'client_id is not the aud of the id_token_hint. Send the ID token of this client.',
    )
  }
  return hint
}

async function loadClient(db: SchoolDb, clientId: string): Promise<Client> {
  const client = await findClient(db, clientId)
  if (client === undefined || client.disabled) {
    throw refused('No application with this client_id is known at this school.')
  }
  return client
}

function checkRedirectUri(client: Client | undefined, presented: string | undefined): void {
  if (presented === undefined) return
  if (client === undefined) {
    throw refused('post_logout_redirect_uri needs an id_token_hint, or at least a client_id.')
  }
  const { postLogoutRedirectUris = [] } = client
  if (findPostLogoutRedirectUri(postLogoutRedirectUris, presented) === undefined) {
    throw refused(
      'post_logout_redirect_uri is not registered for this application. It must be the very same string, the port included; an operator of the school registers it.',
    )
  }
}

const refused = (why: string) => new OAuthError('invalid_request', why, { redirectable: false })

/** Who asked, and where the person continues. */
export interface SignOutTarget {
  readonly clientName: string
  readonly url: string | undefined
}

/** Read again when it is needed: an operator may have changed the client while a page was open. */
export async function findSignOutTarget(
  db: SchoolDb,
  { clientId, redirectUri, state }: SignOutRequest,
): Promise<SignOutTarget | undefined> {
  const client = clientId === undefined ? undefined : await findClient(db, clientId)
  if (client === undefined || client.disabled) return undefined
  const { postLogoutRedirectUris = [] } = client
  const uri = findPostLogoutRedirectUri(postLogoutRedirectUris, redirectUri ?? '')
  return {
    clientName: client.name,
    url: uri === undefined ? undefined : postLogoutUrl(uri, state),
  }
}

const schema = z.object({
  clientId: z.string().optional(),
  redirectUri: z.string().optional(),
  state: z.string().optional(),
  userId: z.string().optional(),
})

const PURPOSE = 'sign-out-request'
/** How long the page that asks may stay open. */
const LIFETIME_MS = 30 * 60 * 1000

/** A checked request on its way through the browser, to the page that asks or to a GET. */
export function sealSignOut(keyring: Keyring, schoolId: string, request: SignOutRequest): string {
  return sealMessage(keyring, PURPOSE, schoolId, request, Date.now() + LIFETIME_MS)
}

/** Undefined if it is forged, another school's, or too old. */
export function openSignOut(
  keyring: Keyring,
  schoolId: string,
  sealed: string | undefined,
): SignOutRequest | undefined {
  return schema.safeParse(openMessage(keyring, PURPOSE, schoolId, sealed, Date.now())).data
}

/** What an ID token of this school says about the client and the person it was issued for. */
export interface IdTokenHint {
  readonly clientId: string
  readonly userId: string
}

/**
 * Reads an ID token that a client kept since its sign-in. Its lifetime is not checked, and keys
 * that were retired long ago count, because a session outlives both. Undefined if this school did
 * not issue it.
 *
 * @see OpenID Connect RP-Initiated Logout 1.0 §2
 */
async function verifyIdTokenHint(
  db: SchoolDb,
  school: School,
  text: string,
): Promise<IdTokenHint | undefined> {
  const token = parseEs256(text)
  if (token === undefined) return undefined
  const key = await db
    .from('signing_keys')
    .select('public_jwk')
    .where('kid', '=', token.kid)
    .executeTakeFirst()
  if (key === undefined) return undefined
  const claims = token.claimsIfSignedBy(key.public_jwk as PublicJwk)
  if (claims === undefined || claims.iss !== school.origin) return undefined
  const { aud: clientId, sub: userId } = claims
  if (typeof clientId !== 'string' || typeof userId !== 'string') return undefined
  return { clientId, userId }
}
