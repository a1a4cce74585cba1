/**
 * Where we knowingly do other than a conformance module or RFC 9700 expects, and why.
 * `docs/conformance.md` and `docs/rfc9700.md` print these beside the rows they touch.
 */
export const deviations = {
  'pkce-always': {
    label: 'PKCE always',
    why: 'Every request carries an S256 challenge: there is no client for which a stolen code is acceptable, and one rule is easier to trust than two.',
  },
  'es256-only': {
    label: 'ES256 instead of RS256',
    why: 'ID tokens are signed with ES256 alone: keys and signatures are small and fast, and every current client library verifies them.',
  },
  'consent-every-time': {
    label: 'consent every time',
    why: 'A person agrees to each authorization, so a silent one cannot exist and prompt=none never yields a code.',
  },
  'resource-required': {
    label: '`resource` required for members',
    why: 'A member token is bound to one origin; the client has to say which (RFC 8707), or a token could be taken to a place it was not meant for.',
  },
  'no-basic': {
    label: 'no HTTP Basic',
    why: 'Secrets travel in the form body only: one place to look, and none of the encoding ambiguities of RFC 6749 §2.3.1.',
  },
  'http-in-the-demo': {
    label: 'http origins in the demo',
    why: 'The demo world lives on localhost, where browsers treat http as trustworthy; every origin outside it is https.',
  },
  'replay-spares-the-authorization': {
    label: 'refresh replay does not end the authorization by default',
    why: 'A client that lost a response, or two processes sharing a stored token, look exactly like a replay; ending everything would sign honest people out. The replay is refused and audited, and a school may choose the strict answer.',
  },
  'identity-claims-in-both': {
    label: 'identity claims in the ID token too',
    why: 'The ID token repeats what UserInfo says, with the school and the roles, so that a client needs no second request to know who came.',
  },
  'no-pushed-requests': {
    label: 'no pushed authorization requests',
    why: 'The module pushes its request first; ours are plain query parameters, and the same rule is tried there.',
  },
  'bearer-tokens': {
    label: 'bearer tokens',
    why: 'Neither DPoP nor mutual TLS is offered: the clients this service is for do not speak them. Two-hour tokens, one origin each and rotation limit what a stolen one is worth.',
  },
  'shared-secrets': {
    label: 'shared secrets, no private_key_jwt',
    why: 'Confidential clients are set up by hand by school operators, who can copy a secret; it is random, long and stored as a hash.',
  },
  'constant-challenges-undetected': {
    label: 'constant challenges are not detected',
    why: 'Seeing it would mean remembering every challenge and nonce ever sent. A constant challenge is a bug of one client; codes are still bound to that client, its redirect URI and five minutes.',
  },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly why: string }>>

export type Deviation = keyof typeof deviations
