import type { Deviation } from './deviations.ts'

/** A module of the OpenID conformance suite (v5.2.3) that one of our tests mirrors by name. */
export interface ConformanceModule {
  readonly name: string
  /** What the module wants to see, in our words. */
  readonly asserts: string
  /** The differences under which our test runs the same check. */
  readonly adaptation?: readonly Deviation[]
  /** What happens here instead, if we do not do what the module expects. */
  readonly deviation?: string
}

/** Each flow carries what this service asks of every client. */
const flow = ['pkce-always', 'resource-required'] as const
const signedFlow = [...flow, 'es256-only'] as const

/** oidcc-basic-certification-test-plan. */
const basicOp = [
  {
    name: 'oidcc-server',
    asserts:
      'The plain flow works; nonce, aud and iss are right, codes are long and random, expires_in is given.',
    adaptation: [...signedFlow, 'no-basic', 'identity-claims-in-both'],
  },
  {
    name: 'oidcc-server-client-secret-post',
    asserts: 'The plain flow works for a client that posts its secret.',
    adaptation: signedFlow,
  },
  {
    name: 'oidcc-response-type-missing',
    asserts: 'A request without response_type gets an error, by redirect or on a page.',
    adaptation: flow,
  },
  {
    name: 'oidcc-idtoken-signature',
    asserts: 'The ID token names its key, and that key of the JWKS verifies it.',
    adaptation: signedFlow,
  },
  {
    name: 'oidcc-idtoken-unsigned',
    asserts: 'Unsigned ID tokens are for clients registered for them; here there are none.',
    adaptation: flow,
  },
  {
    name: 'oidcc-userinfo-get',
    asserts: 'UserInfo works by GET with the token in the header.',
    adaptation: flow,
  },
  {
    name: 'oidcc-userinfo-post-header',
    asserts: 'UserInfo works by POST with the token in the header.',
    adaptation: flow,
  },
  {
    name: 'oidcc-userinfo-post-body',
    asserts: 'A token in the UserInfo body is accepted or refused with a proper error.',
    adaptation: flow,
  },
  {
    name: 'oidcc-ensure-request-without-nonce-succeeds-for-code-flow',
    asserts: 'The code flow needs no nonce.',
    adaptation: flow,
  },
  {
    name: 'oidcc-scope-profile',
    asserts: 'Scope profile adds the profile claims to UserInfo.',
    adaptation: [...flow, 'identity-claims-in-both'],
  },
  {
    name: 'oidcc-scope-email',
    asserts: 'Scope email adds the address to UserInfo.',
    adaptation: [...flow, 'identity-claims-in-both'],
  },
  {
    name: 'oidcc-scope-address',
    asserts: 'Scope address adds a postal address to UserInfo, if it is supported.',
    deviation:
      'There is no such scope: discovery does not list it and asking for it is invalid_scope.',
  },
  {
    name: 'oidcc-scope-phone',
    asserts: 'Scope phone adds a number to UserInfo, if it is supported.',
    deviation: 'No phone number is kept: the scope is unlisted and refused with invalid_scope.',
  },
  {
    name: 'oidcc-scope-all',
    asserts: 'All supported identity scopes together give all their claims.',
    adaptation: [...flow, 'identity-claims-in-both'],
  },
  {
    name: 'oidcc-alternate-happy-flow',
    asserts: 'Scopes and parameters in another order change nothing.',
    adaptation: signedFlow,
  },
  { name: 'oidcc-display-page', asserts: 'display=page causes no error.', adaptation: flow },
  { name: 'oidcc-display-popup', asserts: 'display=popup causes no error.', adaptation: flow },
  {
    name: 'oidcc-prompt-login',
    asserts: 'prompt=login makes a signed-in person sign in again, and auth_time changes.',
    adaptation: signedFlow,
  },
  {
    name: 'oidcc-prompt-none-not-logged-in',
    asserts: 'prompt=none without a session sends login_required or a similar error to the client.',
    adaptation: flow,
  },
  {
    name: 'oidcc-prompt-none-logged-in',
    asserts: 'prompt=none with a session succeeds silently as the same person.',
    adaptation: ['consent-every-time'],
    deviation: 'The client gets consent_required, because every authorization has a consent page.',
  },
  {
    name: 'oidcc-max-age-1',
    asserts: 'A session older than max_age=1 signs in again, and auth_time is the new time.',
    adaptation: signedFlow,
  },
  {
    name: 'oidcc-max-age-10000',
    asserts: 'A session younger than max_age=10000 is not asked again, and auth_time stays.',
    adaptation: signedFlow,
  },
  {
    name: 'oidcc-ensure-request-with-unknown-parameter-succeeds',
    asserts: 'An unknown parameter is ignored.',
    adaptation: flow,
  },
  {
    name: 'oidcc-id-token-hint',
    asserts: 'id_token_hint of the signed-in person is used or ignored.',
    adaptation: flow,
  },
  { name: 'oidcc-login-hint', asserts: 'login_hint is used or ignored.', adaptation: flow },
  { name: 'oidcc-ui-locales', asserts: 'ui_locales is used or ignored.', adaptation: flow },
  {
    name: 'oidcc-claims-locales',
    asserts: 'claims_locales is used or ignored.',
    adaptation: flow,
  },
  {
    name: 'oidcc-ensure-request-with-acr-values-succeeds',
    asserts: 'acr_values does not make a request fail.',
    adaptation: flow,
  },
  {
    name: 'oidcc-codereuse',
    asserts: 'The second exchange of a code is invalid_grant.',
    adaptation: flow,
  },
  {
    name: 'oidcc-codereuse-30seconds',
    asserts:
      'Half a minute later a used code fails as well, and the first access token is revoked.',
    adaptation: flow,
  },
  {
    name: 'oidcc-ensure-registered-redirect-uri',
    asserts: 'An unregistered redirect URI gets an error page and no redirect.',
    adaptation: flow,
  },
  {
    name: 'oidcc-ensure-post-request-succeeds',
    asserts: 'The authorization request may be a POST.',
    adaptation: signedFlow,
  },
  {
    name: 'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported',
    asserts: 'request_uri is processed, or refused as request_uri_not_supported.',
    adaptation: flow,
  },
  {
    name: 'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
    asserts:
      'An unsigned request object is processed or refused with its own error code, never ignored.',
    adaptation: flow,
  },
  {
    name: 'oidcc-ensure-request-object-with-redirect-uri',
    asserts: 'A redirect URI inside a request object is used, or the request is an error.',
    adaptation: flow,
  },
  {
    name: 'oidcc-claims-essential',
    asserts: 'A claims parameter with an essential name does not fail.',
    adaptation: flow,
  },
  {
    name: 'oidcc-refresh-token',
    asserts:
      'A refresh works for the client of the token and no other; a new ID token has the same claims.',
    adaptation: flow,
  },
  {
    name: 'oidcc-ensure-request-with-valid-pkce-succeeds',
    asserts: 'A correct PKCE pair is accepted.',
    adaptation: ['resource-required'],
  },
] as const satisfies readonly ConformanceModule[]

/** oidcc-config-certification-test-plan. */
const configOp = [
  {
    name: 'oidcc-discovery-endpoint-verification',
    asserts:
      'Discovery is valid JSON at the issuer URL, with every required member well-formed and all keys usable.',
    adaptation: ['es256-only', 'http-in-the-demo'],
  },
] as const satisfies readonly ConformanceModule[]

/** The modules of the Dynamic OP plan that do not need open registration. */
const dynamicOp = [
  {
    name: 'oidcc-server-rotate-keys',
    asserts: 'After rotation the JWKS has the new key and still the old.',
    adaptation: ['es256-only'],
  },
  {
    name: 'oidcc-redirect-uri-query-OK',
    asserts: 'A registered redirect URI keeps its query when parameters are added.',
    adaptation: flow,
  },
  {
    name: 'oidcc-redirect-uri-query-mismatch',
    asserts: 'A query that differs from the registered one is refused on a page.',
    adaptation: flow,
  },
  {
    name: 'oidcc-redirect-uri-query-added',
    asserts: 'A query added to a registered redirect URI is refused on a page.',
    adaptation: flow,
  },
  {
    name: 'oidcc-redirect-uri-regfrag',
    asserts: 'A redirect URI with a fragment cannot be registered.',
  },
  {
    name: 'oidcc-ensure-redirect-uri-in-authorization-request',
    asserts: 'A request without redirect_uri gets an error page.',
    adaptation: flow,
  },
] as const satisfies readonly ConformanceModule[]

/** The negative modules of FAPI 2 Security Profile Final that fit a code flow with PKCE. */
const fapi2 = [
  {
    name: 'fapi2-security-profile-final-par-plain-pkce-rejected',
    asserts: 'The plain challenge method is refused.',
    adaptation: ['no-pushed-requests', 'resource-required'],
  },
  {
    name: 'fapi2-security-profile-final-ensure-pkce-code-verifier-required',
    asserts: 'A code cannot be exchanged when the verifier is left out.',
    adaptation: ['resource-required'],
  },
  {
    name: 'fapi2-security-profile-final-incorrect-pkce-code-verifier-rejected',
    asserts: 'A wrong verifier is refused.',
    adaptation: ['resource-required'],
  },
  {
    name: 'fapi2-security-profile-final-ensure-authorization-code-is-bound-to-client',
    asserts: 'A second client fails with the code of the first.',
    adaptation: ['resource-required'],
  },
  {
    name: 'fapi2-security-profile-final-attempt-reuse-authorization-code-after-one-second',
    asserts: 'One second later a used code is refused.',
    adaptation: ['resource-required'],
  },
  {
    name: 'fapi2-security-profile-final-ensure-token-endpoint-fails-with-expired-auth-code',
    asserts: 'An expired code is refused.',
    adaptation: ['resource-required'],
  },
  {
    name: 'fapi2-security-profile-final-ensure-response-type-token-fails',
    asserts: 'response_type=token is refused.',
    adaptation: ['no-pushed-requests', 'resource-required'],
  },
  {
    name: 'fapi2-security-profile-final-ensure-response-type-code-idtoken-fails',
    asserts: 'The hybrid response type code id_token is refused.',
    adaptation: ['no-pushed-requests', 'resource-required'],
  },
  {
    name: 'fapi2-security-profile-final-ensure-authorization-request-with-long-nonce',
    asserts: 'A long nonce is in the ID token unchanged, or is refused.',
    adaptation: signedFlow,
  },
  {
    name: 'fapi2-security-profile-final-ensure-authorization-request-with-long-state',
    asserts: 'A long state is returned unchanged, or is refused.',
    adaptation: ['resource-required'],
  },
  {
    name: 'fapi2-security-profile-final-ensure-authorization-request-without-state-success',
    asserts: 'Without state the flow succeeds, and the answer has none.',
    adaptation: ['resource-required'],
  },
  {
    name: 'fapi2-security-profile-final-par-without-duplicate-parameters',
    asserts: 'Parameters given once each are enough; nothing has to be repeated elsewhere.',
    adaptation: ['no-pushed-requests', 'resource-required'],
  },
  {
    name: 'fapi2-security-profile-final-user-rejects-authentication',
    asserts: 'If the person refuses, the client gets access_denied.',
    adaptation: ['resource-required'],
  },
  {
    name: 'fapi2-security-profile-final-refresh-token',
    asserts: 'A refresh token works for its client, and another client cannot use it.',
    adaptation: ['resource-required', 'bearer-tokens'],
  },
] as const satisfies readonly ConformanceModule[]

/** oidcc-rp-initiated-logout-certification-test-plan. */
const rpInitiatedLogout = [
  {
    name: 'oidcc-rp-initiated-logout-discovery-endpoint-verification',
    asserts: 'Discovery names a well-formed end_session_endpoint.',
    adaptation: ['http-in-the-demo'],
  },
  {
    name: 'oidcc-rp-initiated-logout',
    asserts: 'With an ID token and a registered URI the person is signed out and sent there.',
    adaptation: signedFlow,
  },
  {
    name: 'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri',
    asserts: 'A URI that is not registered gets an error page and no redirect.',
    adaptation: signedFlow,
  },
  {
    name: 'oidcc-rp-initiated-logout-modified-id-token-hint',
    asserts: 'An ID token with a changed signature causes no redirect.',
    adaptation: signedFlow,
  },
  {
    name: 'oidcc-rp-initiated-logout-no-id-token-hint',
    asserts: 'Without an ID token there is a page, and no redirect without a question.',
    adaptation: signedFlow,
  },
  {
    name: 'oidcc-rp-initiated-logout-no-params',
    asserts: 'Without parameters the person may sign out and stays at the server.',
    adaptation: signedFlow,
  },
  {
    name: 'oidcc-rp-initiated-logout-no-post-logout-redirect-uri',
    asserts: 'Without a URI the person is signed out and stays at the server.',
    adaptation: signedFlow,
  },
  {
    name: 'oidcc-rp-initiated-logout-no-state',
    asserts: 'Without a state the redirect has none.',
    adaptation: signedFlow,
  },
  {
    name: 'oidcc-rp-initiated-logout-only-state',
    asserts: 'A state alone changes nothing: the server asks, and shows its own page at the end.',
    adaptation: signedFlow,
  },
  {
    name: 'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri',
    asserts: 'A registered URI with a query added to it is like any other unknown one.',
    adaptation: signedFlow,
  },
  {
    name: 'oidcc-rp-initiated-logout-bad-id-token-hint',
    asserts: 'An ID token that another server signed causes no redirect.',
    adaptation: signedFlow,
  },
] as const satisfies readonly ConformanceModule[]

export const conformancePlans = [
  { plan: 'Basic OP', modules: basicOp },
  { plan: 'Config OP', modules: configOp },
  { plan: 'Dynamic OP, the applicable part', modules: dynamicOp },
  { plan: 'RP-Initiated Logout OP', modules: rpInitiatedLogout },
  { plan: 'FAPI 2 Security Profile Final, the applicable part', modules: fapi2 },
] as const satisfies readonly { plan: string; modules: readonly ConformanceModule[] }[]

export type ConformanceId = (typeof conformancePlans)[number]['modules'][number]['name']
