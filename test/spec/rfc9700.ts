import type { Deviation } from './deviations.ts'

/**
 * A recommendation of RFC 9700 (BCP 240) that concerns an authorization server for code with PKCE.
 */
export interface Rfc9700Row {
  readonly id: `rfc9700.${string}`
  readonly section: string
  readonly level: string
  /** The recommendation, in our words. */
  readonly asserts: string
  /** Set if we do not follow it, or not completely. */
  readonly deviation?: Deviation
}

export const rfc9700 = [
  {
    id: 'rfc9700.redirect-uri.exact',
    section: '2.1, 4.1',
    level: 'MUST',
    asserts: 'Redirect URIs are compared as exact strings; only a loopback port may differ.',
  },
  {
    id: 'rfc9700.no-open-redirector',
    section: '2.1, 4.11',
    level: 'MUST NOT',
    asserts: 'No error path redirects before client and redirect URI are verified.',
  },
  {
    id: 'rfc9700.untrusted-redirect',
    section: '4.11.2',
    level: 'SHOULD',
    asserts:
      'The browser is redirected without a page only to redirect URIs that the server trusts: an unreviewed client gets a page with a link, unless it waits on the computer of the person.',
  },
  {
    id: 'rfc9700.redirect-uri.no-http',
    section: '2.6',
    level: 'MUST NOT',
    asserts: 'Plain http redirect URIs are allowed only on loopback, for native clients.',
  },
  {
    id: 'rfc9700.no-307',
    section: '2.1, 4.12',
    level: 'MUST',
    asserts: 'Sign-in and consent redirect with 303, which drops the posted credentials.',
  },
  {
    id: 'rfc9700.iss',
    section: '2.1, 4.4',
    level: 'SHOULD',
    asserts: 'iss is in successful and failed authorization responses, and metadata says so.',
  },
  {
    id: 'rfc9700.pkce.enforced',
    section: '2.1.1',
    level: 'MUST',
    asserts: 'PKCE is supported, and a request with a challenge needs the verifier.',
  },
  {
    id: 'rfc9700.pkce.downgrade',
    section: '2.1.1, 4.8',
    level: 'MUST',
    asserts: 'An attacker gains nothing by removing the challenge from the request.',
  },
  {
    id: 'rfc9700.pkce.detectable',
    section: '2.1.1',
    level: 'MUST',
    asserts: 'Clients can see in the metadata that S256 is supported.',
  },
  {
    id: 'rfc9700.pkce.constant-values',
    section: '2.1.1',
    level: 'SHOULD',
    asserts: 'The server tries to detect clients that always send the same challenge or nonce.',
    deviation: 'constant-challenges-undetected',
  },
  {
    id: 'rfc9700.no-implicit',
    section: '2.1.2',
    level: 'SHOULD NOT',
    asserts: 'No response type puts an access token into the redirect.',
  },
  {
    id: 'rfc9700.no-password-grant',
    section: '2.4',
    level: 'MUST NOT',
    asserts: 'The password grant does not exist.',
  },
  {
    id: 'rfc9700.sender-constrained',
    section: '2.2.1',
    level: 'SHOULD',
    asserts: 'Access tokens are tied to a key of the client.',
    deviation: 'bearer-tokens',
  },
  {
    id: 'rfc9700.refresh.rotation',
    section: '2.2.2, 4.14',
    level: 'MUST',
    asserts:
      'Refresh tokens of public clients are replaced with each use, and a replay is detected.',
  },
  {
    id: 'rfc9700.refresh.bound',
    section: '4.14',
    level: 'MUST',
    asserts: 'A refresh stays within the scope and the resource that the person agreed to.',
  },
  {
    id: 'rfc9700.refresh.replay-ends-all',
    section: '4.14',
    level: 'SHOULD',
    asserts: 'A replay ends the active refresh token as well.',
    deviation: 'replay-spares-the-authorization',
  },
  {
    id: 'rfc9700.refresh.idle-expiry',
    section: '4.14',
    level: 'SHOULD',
    asserts: 'Unused refresh tokens expire.',
  },
  {
    id: 'rfc9700.audience',
    section: '2.3',
    level: 'SHOULD',
    asserts: 'A token carries few rights and one audience, and every other resource rejects it.',
  },
  {
    id: 'rfc9700.client-authentication',
    section: '2.5',
    level: 'SHOULD',
    asserts:
      'Clients that can keep a credential are authenticated, preferably with asymmetric keys.',
    deviation: 'shared-secrets',
  },
  {
    id: 'rfc9700.metadata',
    section: '2.6',
    level: 'RECOMMENDED',
    asserts: 'RFC 8414 metadata is published.',
  },
  {
    id: 'rfc9700.cors',
    section: '2.6',
    level: 'MUST NOT',
    asserts: 'The authorization endpoint does not allow cross-origin scripts.',
  },
  {
    id: 'rfc9700.client-id-is-no-user',
    section: '2.6, 4.15',
    level: 'SHOULD NOT',
    asserts: 'A client cannot choose an id that could be mistaken for the id of a person.',
  },
  {
    id: 'rfc9700.referrer',
    section: '4.2',
    level: 'SHOULD',
    asserts: 'Sign-in and consent pages leak no referrer and load nothing from third parties.',
  },
  {
    id: 'rfc9700.history',
    section: '4.3',
    level: 'advice',
    asserts: 'Codes are short-lived and single-use, and secrets stay out of history and caches.',
  },
  {
    id: 'rfc9700.code-injection',
    section: '4.5',
    level: 'MUST',
    asserts: 'A code is bound to client, redirect URI and challenge, and its reuse revokes tokens.',
  },
  {
    id: 'rfc9700.csrf',
    section: '4.7',
    level: 'MUST',
    asserts: 'Sign-in, consent and admin forms cannot be posted by another site.',
  },
  {
    id: 'rfc9700.reverse-proxy',
    section: '4.13',
    level: 'MUST',
    asserts: 'Forwarded headers count only from a trusted proxy.',
  },
  {
    id: 'rfc9700.clickjacking',
    section: '4.16',
    level: 'MUST',
    asserts: 'Pages cannot be framed.',
  },
  {
    id: 'rfc9700.post-message',
    section: '4.17',
    level: 'MUST',
    asserts: 'In-browser messages check sender and receiver; no such response mode exists here.',
  },
] as const satisfies readonly Rfc9700Row[]

export type Rfc9700Id = (typeof rfc9700)[number]['id']
