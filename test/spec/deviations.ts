/**
 * Where we deviate from a conformance module or from RFC 9700 on purpose, and why.
 * `docs/conformance.md` and `docs/rfc9700.md` print these beside the rows that they concern.
 */
export const deviations = {
  'pkce-always': {
    label: 'PKCE always',
    why: 'Every request needs an S256 challenge: a stolen code is not acceptable for any client, and one rule is easier to check than two.',
  },
  'es256-only': {
    label: 'ES256 instead of RS256',
    why: 'ID tokens are signed only with ES256: keys and signatures are small and fast, and every current client library verifies them.',
  },
  'consent-every-time': {
    label: 'consent every time',
    why: 'A person agrees to each authorization, so there is no silent one and prompt=none never gives a code.',
  },
  'resource-required': {
    label: '`resource` required for members',
    why: 'A member token is bound to one origin; the client must name it (RFC 8707), or a token could be used at an origin that it was not meant for.',
  },
  'no-basic': {
    label: 'no HTTP Basic',
    why: 'Secrets are sent only in the form body: one place to read, without the encoding ambiguities of RFC 6749 §2.3.1.',
  },
  'http-in-the-demo': {
    label: 'http origins in the demo',
    why: 'The demo world is on localhost, where browsers trust http; all other origins are https.',
  },
  'replay-spares-the-authorization': {
    label: 'refresh replay does not end the authorization by default',
    why: 'A client that lost a response, and two processes that share a stored token, look exactly like a replay; ending the authorization would sign honest people out. The replay is refused and audited, and a school can choose to end the authorization.',
  },
  'identity-claims-in-both': {
    label: 'identity claims in the ID token too',
    why: 'The ID token repeats the claims of UserInfo, with the school and the roles, so that a client needs no second request to know who signed in.',
  },
  'no-pushed-requests': {
    label: 'no pushed authorization requests',
    why: 'The module pushes its request first; our requests are plain query parameters, and the test checks the same rule there.',
  },
  'bearer-tokens': {
    label: 'bearer tokens',
    why: 'Neither DPoP nor mutual TLS is offered: the clients of this service do not support them. Two hours of lifetime, one origin per token and rotation limit the use of a stolen token.',
  },
  'shared-secrets': {
    label: 'shared secrets, no private_key_jwt',
    why: 'School operators set up confidential clients by hand and can copy a secret; it is random, long and stored as a hash.',
  },
  'constant-challenges-undetected': {
    label: 'constant challenges are not detected',
    why: 'To detect them, the server would have to store every challenge and nonce. A constant challenge is a bug of one client; its codes are still bound to that client and its redirect URI, and live five minutes.',
  },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly why: string }>>

export type Deviation = keyof typeof deviations
