import { z } from 'zod'
import { parseUrl } from '../../foundation/net/parse-url.ts'
import { isLoopback, redirectUriProblems } from '../../foundation/protocol/redirect-uri.ts'
import { isDeceptiveName } from '../../foundation/text/visible-text.ts'
import type { ClientIdUrl } from './client-id-url.ts'

export interface ClientMetadata {
  readonly clientId: string
  readonly name: string
  /** The host that published the document: what consent shows besides the name the client chose. */
  readonly host: string
  readonly redirectUris: readonly string[]
  /**
   * All redirect URIs are on the person's own machine, so no host proves who gets the code; consent
   * warns.
   */
  readonly loopbackOnly: boolean
  /**
   * Links of the document to its own host; others are left out, because a document could borrow a
   * good name.
   */
  readonly websiteUrl?: string | undefined
  readonly privacyUrl?: string | undefined
}

export type DocumentRefusal =
  | 'malformed'
  | 'client_id_mismatch'
  | 'secret_inside'
  | 'auth_method_unsupported'
  | 'grant_unsupported'
  | 'redirect_uri_refused'
  | 'name_refused'

export type DocumentVerdict =
  | { readonly ok: true; readonly document: ClientMetadata }
  | { readonly ok: false; readonly reason: DocumentRefusal; readonly description: string }

/** Also the limit of applications that a school makes. */
export const MAX_REDIRECT_URIS = 50
export const MAX_CLIENT_NAME_LENGTH = 100

const stringList = (member: string) => {
  const error = `"${member}" must be a list of strings.`
  return z.array(z.string(error), error)
}

/**
 * The members that this server uses. All others are ignored: this server decides about scopes and
 * grants, and no URL inside a document (logo, keys, policy) is ever fetched.
 */
const documentSchema = z.object(
  {
    client_id: z.string('"client_id" must be there, and be the URL of the document.'),
    redirect_uris: stringList('redirect_uris')
      .min(1, '"redirect_uris" must have at least one entry.')
      .max(MAX_REDIRECT_URIS, `"redirect_uris" may have ${MAX_REDIRECT_URIS} entries at most.`),
    client_name: z.string('"client_name" must be a string.').nullish(),
    token_endpoint_auth_method: z
      .string('"token_endpoint_auth_method" must be a string.')
      .nullish(),
    token_endpoint_auth_methods_supported: stringList(
      'token_endpoint_auth_methods_supported',
    ).nullish(),
    grant_types: stringList('grant_types').nullish(),
    response_types: stringList('response_types').nullish(),
    client_uri: z.unknown().optional(),
    policy_uri: z.unknown().optional(),
    client_secret: z.unknown().optional(),
    client_secret_expires_at: z.unknown().optional(),
    jwks: z.unknown().optional(),
  },
  'The document must be a JSON object.',
)

type DocumentMembers = z.infer<typeof documentSchema>
type Refused = Extract<DocumentVerdict, { ok: false }>

/**
 * Decides whether a fetched document may act as a client here. The descriptions name members and
 * rules, never values of the document, so that an attacker's text cannot appear on our pages.
 *
 * @see draft-ietf-oauth-client-id-metadata-document §4
 */
export function judgeDocument(url: ClientIdUrl, json: unknown): DocumentVerdict {
  const parsed = documentSchema.safeParse(json)
  if (!parsed.success) {
    return refuse('malformed', parsed.error.issues[0]?.message ?? 'The document is malformed.')
  }
  const members = parsed.data
  const refused =
    findForeignIdentity(members, url) ??
    findSecrets(members) ??
    findUnusableAuthMethod(members) ??
    findMissingGrant(members) ??
    findUnfitName(members) ??
    findForeignRedirectUri(members, url)
  if (refused !== undefined) return refused
  return {
    ok: true,
    document: {
      clientId: url.href,
      name: members.client_name?.trim() || url.host,
      host: url.host,
      redirectUris: [...new Set(members.redirect_uris)],
      loopbackOnly: members.redirect_uris.every(isLoopback),
      ...linkMember('websiteUrl', members.client_uri, url),
      ...linkMember('privacyUrl', members.policy_uri, url),
    },
  }
}

function linkMember(
  name: 'websiteUrl' | 'privacyUrl',
  link: unknown,
  { host }: ClientIdUrl,
): Partial<ClientMetadata> {
  const url = typeof link === 'string' && link.length <= 500 ? parseUrl(link) : undefined
  const isOwn = url?.protocol === 'https:' && url.host === host && url.username === ''
  return isOwn ? { [name]: url.href } : {}
}

function findForeignIdentity(
  { client_id }: DocumentMembers,
  { href }: ClientIdUrl,
): Refused | undefined {
  // Otherwise a site that accepts uploads could publish a document for any client.
  if (client_id === href) return undefined
  return refuse(
    'client_id_mismatch',
    '"client_id" must equal the URL under which the document was asked for, character by character.',
  )
}

function findSecrets(members: DocumentMembers): Refused | undefined {
  if (members.client_secret !== undefined || members.client_secret_expires_at !== undefined) {
    return refuse(
      'secret_inside',
      'The document is public, so it must not have "client_secret" or "client_secret_expires_at". Remove them, and treat that secret as known to everyone.',
    )
  }
  if (revealsPrivateKey(members.jwks)) {
    return refuse(
      'secret_inside',
      'A key in "jwks" is private or symmetric. Publish only public keys, and replace that key: it is no longer secret.',
    )
  }
  return undefined
}

/**
 * Clients of documents are public here. A document that prefers keys but also offers `none` (as
 * ChatGPT's does) is served; one that names no method at all is taken to mean `none`, since RFC
 * 7591's default of a shared secret is impossible for a document.
 */
function findUnusableAuthMethod(members: DocumentMembers): Refused | undefined {
  const method = members.token_endpoint_auth_method ?? undefined
  const offered = members.token_endpoint_auth_methods_supported ?? undefined
  if (method?.startsWith('client_secret_') === true) {
    return refuse(
      'auth_method_unsupported',
      '"token_endpoint_auth_method" must not rely on a shared secret, as a document cannot have one. Use "none" with PKCE.',
    )
  }
  const unstated = method === undefined && offered === undefined
  if (unstated || method === 'none' || offered?.includes('none') === true) return undefined
  return refuse(
    'auth_method_unsupported',
    'This server knows clients of metadata documents as public clients. Set "token_endpoint_auth_method" to "none", or list "none" in "token_endpoint_auth_methods_supported".',
  )
}

/** Further grants are ignored: a document lists what its client uses anywhere, not only here. */
function findMissingGrant({ grant_types, response_types }: DocumentMembers): Refused | undefined {
  if (grant_types != null && !grant_types.includes('authorization_code')) {
    return refuse('grant_unsupported', '"grant_types" must include "authorization_code".')
  }
  if (response_types != null && !response_types.includes('code')) {
    return refuse('grant_unsupported', '"response_types" must include "code".')
  }
  return undefined
}

function findUnfitName({ client_name }: DocumentMembers): Refused | undefined {
  if (client_name == null) return undefined
  if (client_name.length > MAX_CLIENT_NAME_LENGTH) {
    return refuse(
      'name_refused',
      `"client_name" may have ${MAX_CLIENT_NAME_LENGTH} characters at most.`,
    )
  }
  if (isDeceptiveName(client_name)) {
    return refuse(
      'name_refused',
      '"client_name" must not have control, text-direction or invisible characters.',
    )
  }
  return undefined
}

function findForeignRedirectUri(
  { redirect_uris }: DocumentMembers,
  { host }: ClientIdUrl,
): Refused | undefined {
  for (const [index, uri] of redirect_uris.entries()) {
    const problem = findRedirectUriProblem(uri, host)
    if (problem !== undefined) {
      return refuse('redirect_uri_refused', `"redirect_uris", entry ${index + 1}: ${problem}`)
    }
  }
  return undefined
}

function refuse(reason: DocumentRefusal, description: string): Refused {
  return { ok: false, reason, description }
}

/**
 * Members of a JWK that only its owner may know (RFC 7518 §6.2.2, §6.3.2, §6.4.1; `priv` of AKP).
 */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']

/**
 * True if a published key set contains a private or symmetric key. Every reader of such a document
 * can act as its client, so the client is refused.
 *
 * @see draft-ietf-oauth-client-id-metadata-document §4.1
 */
function revealsPrivateKey(jwks: unknown): boolean {
  if (!isRecord(jwks) || !Array.isArray(jwks.keys)) return false
  return jwks.keys.some(
    (key: unknown) => isRecord(key) && privateMembers.some((member) => Object.hasOwn(key, member)),
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/**
 * Describes what is wrong with one redirect URI of a document. Only the host that published the
 * document or the person's own machine may receive its codes. A private-use scheme is refused: any
 * program on that machine can claim it.
 *
 * @see draft-ietf-oauth-client-id-metadata-document §8.1
 * @see RFC 8252 §8.4
 */
function findRedirectUriProblem(uri: string, documentHost: string): string | undefined {
  const [problem] = redirectUriProblems(uri, { confidential: false })
  if (problem !== undefined || isLoopback(uri)) return problem
  const { protocol, hostname } = new URL(uri)
  if (protocol === 'https:' && hostname === documentHost) return undefined
  return `Use an https address on ${documentHost}, or one on the person's own computer such as http://127.0.0.1/callback (any port). Other hosts and private-use schemes are refused.`
}
