import { chapter } from '../chapter.ts'

export const authorize = [
  chapter('oauth', 'Authorization request', {
    'authorize.response-type.required': 'response_type is required.',
    'authorize.response-type.code': 'The one response type offered is code.',
    'authorize.client-id.required': 'An authorization request without client_id is refused.',
    'authorize.redirect-uri.required':
      'redirect_uri must be present even when the client has registered just one.',
    'authorize.scope.required': 'An authorization request must name the scopes it wants.',
    'authorize.scope.space-separated': 'Several scopes are separated by (encoded) spaces.',
    'authorize.scope.from-table': 'Only scopes of the published table can be asked for.',
    'authorize.resource.member-required':
      'Member clients must say with resource for which origin they want tokens (RFC 8707).',
    'authorize.resource.as-advertised':
      'The accepted resource value is the one in the protected-resource document.',
    'authorize.challenge.required': 'A request without code_challenge is refused.',
    'authorize.challenge-method.required':
      'Leaving out code_challenge_method means plain, and is therefore refused.',
    'authorize.challenge-method.s256': 'Any challenge method besides S256 is refused.',
    'authorize.state.echoed': 'state comes back on the redirect exactly as it was sent.',
    'authorize.state.optional':
      'A request without state works, and its redirect has no state either.',
    'authorize.nonce.echoed': 'The nonce of the request reappears in the ID token.',
    'authorize.nonce.optional': 'A nonce is optional.',
    'authorize.approval.redirect':
      'Approval sends the browser to the redirect URI with code, state and iss.',
    'authorize.consent.every-time':
      'The consent page is shown on each authorization, whatever was granted before.',
  }),

  chapter('oauth', 'product decision', {
    'authorize.resource.missing':
      'A member request without resource is answered with invalid_request.',
    'authorize.resource.other-origin':
      'A resource that is not this origin is answered with invalid_target.',
    'authorize.resource.operator-optional':
      'Operator clients may leave resource out; if they send it, it is checked.',
    'authorize.resource.other-names':
      'The origin with a slash, {origin}/mcp and {origin}/mcp/member are accepted as other names of the origin.',
    'authorize.unproven.error-page':
      'Before client and redirect URI are verified, an error is an HTML page and never a redirect.',
    'authorize.proven.error-redirect':
      'After both are verified, each error is sent to the client with error, description, state and iss.',
    'authorize.redirect-uri.exact':
      'A redirect URI must equal a registered one character for character.',
    'authorize.redirect-uri.loopback-port': 'On loopback addresses only the port may differ.',
    'authorize.redirect-uri.schemes':
      'A redirect URI off loopback is https, or a private-use scheme of a native public client.',
    'authorize.scope.beyond-client': 'A scope that the client does not hold is invalid_scope.',
    'authorize.scope.unknown': 'An unknown scope is invalid_scope.',
    'scope.offline-access':
      'offline_access is dropped at authorization and refresh; alone it is invalid_scope, and no answer or page shows it.',
    'authorize.scope.account-from-operator':
      'account:read and account:write are refused to operator clients with invalid_scope.',
    'authorize.whole-before-sign-in':
      'A request that cannot succeed is refused before the person is asked to sign in.',
    'authorize.get-and-post': 'The request may come by GET or by POST.',
    'authorize.prompt.none': 'prompt=none gives login_required or consent_required, never a code.',
    'authorize.prompt.login':
      'prompt=login asks for the password although a session exists, also if the browser had none when the request came.',
    'authorize.max-age':
      'A person whose sign-in is older than max_age, counted from the request, must sign in again, whether or not the browser had a session then.',
    'authorize.login-hint': 'login_hint fills in the email on the sign-in page.',
    'authorize.request-object.refused':
      'The request parameter is answered with request_not_supported.',
    'authorize.request-uri.refused': 'A request_uri is answered with request_uri_not_supported.',
    'authorize.repeated-parameter': 'A parameter that occurs twice makes the request invalid.',
    'authorize.unknown-parameter': 'Parameters we do not know are ignored.',
    'authorize.denied': 'Pressing Deny returns access_denied to the client.',
    'authorize.code.lifetime': 'A code can be exchanged for five minutes.',
    'authorize.time.database': 'Lifetimes are measured with the clock of the database.',
    'authorize.bad-input':
      'Null bytes, broken percent-encoding and huge fields get a 4xx with an explanation, never a 500.',
  }),
] as const
