import { chapter } from '../chapter.ts'

export const token = [
  chapter('oauth', 'Token request', {
    'token.grant-type.required': 'A token request must say which grant type it uses.',
    'token.grant-type.two':
      'authorization_code and refresh_token are served; every other type is unsupported_grant_type.',
    'token.code.required': 'The code grant needs a code.',
    'token.redirect-uri.required': 'The code grant must repeat the redirect_uri.',
    'token.redirect-uri.same':
      'The redirect_uri of an exchange has to be the one its code was sent to.',
    'token.client-id.required': 'A token request without client_id is refused.',
    'token.verifier.required': 'No code is exchanged without its code_verifier.',
    'token.verifier.matches': 'A verifier that does not hash to the challenge is invalid_grant.',
    'token.resource.repeated':
      'A member exchange must repeat resource, with the value of the authorization.',
    'token.resource.on-refresh': 'Member refreshes must repeat resource as well.',
    'token.secret.confidential': 'A confidential client gets nothing without client_secret.',
    'token.refresh-token.required': 'The refresh grant needs a refresh_token.',
  }),

  chapter('oauth', 'Token response', {
    'token.response.standard-fields':
      'Both grants answer access_token, token_type, expires_in, refresh_token and scope (RFC 6749 §5.1).',
    'token.response.id-token.code-only':
      'An ID token is part of the code exchange and never of a refresh.',
    'token.response.id-token.openid': 'Without the scope openid there is no ID token.',
    'token.response.id-token.both-fields':
      'ID tokens are issued only where discovery lists jwks_uri as well as the signing algorithms.',
    'token.response.id-token.es256': 'The signature of an ID token is ES256.',
    'token.response.school-id':
      'Member responses name, as school_id, the school they are bound to.',
    'token.response.school-id.is-the-checked-one':
      'The school_id in the response is the value that the Member API checks.',
    'token.response.school-id.copied':
      'A refresh carries the school_id of the old record over, an empty one included.',
    'token.response.school-subdomain': 'Member responses carry school_subdomain.',
    'token.response.created-at':
      'Member responses carry created_at, the moment of issue in whole Unix seconds.',
    'token.response.operator-without':
      'Responses to operator clients have none of school_id, school_subdomain and created_at.',
    'token.response.member-fields-stable':
      'The three member fields keep their names and types from grant to grant and refresh to refresh.',
  }),

  chapter('oauth', 'product decision', {
    'token.resource.other-names':
      'At the token endpoint every name of the origin means the same binding.',
    'token.resource.missing': 'A member token request without resource is invalid_request.',
    'token.resource.other': 'Another resource than the bound one is invalid_target.',
    'token.resource.in-url':
      'resource may be in the query of the token URL instead of the body; metadata names the plain URL.',
    'token.resource.in-both':
      'resource in URL and body must name the same origin, and the URL has it once; else invalid_request.',
    'token.url.only-resource':
      'Any other OAuth parameter in the token URL is invalid_request, is not logged, and changes nothing.',
    'token.refused-keeps-code': 'A refused exchange does not use up the code.',
    'token.code.single-use':
      'A code works once: of many simultaneous exchanges exactly one succeeds.',
    'token.code.replay-ends-authorization':
      'Presenting a used code later than ten seconds after its exchange ends the authorization that it made, though the request itself fails.',
    'token.code.bound-to-client': 'A code cannot be exchanged by any client but its own.',
    'token.code.other-school': 'A code of one school is refused at the origin of another.',
    'token.code.expired': 'A code past its lifetime is invalid_grant.',
    'token.refresh.narrow-scope':
      'A refresh may ask for fewer scopes than were granted, for this one new access token.',
    'token.refresh.never-wider':
      'A refresh that asks for more scopes than were granted is invalid_scope.',
    'token.narrowed.refresh':
      'A refresh gives what was authorized and the application still holds, and scope says what that is.',
    'token.narrowed.exchange':
      'A code of an application that was narrowed meanwhile gives the part that it still holds.',
    'token.narrowed.nothing-left':
      'If the application holds nothing of what was authorized, exchange and refresh are invalid_grant.',
    'token.narrowed.asked-for-lost':
      'A refresh that asks for lost scopes gives the others that it asks for; if there are none, it is invalid_scope.',
    'token.narrowed.widened-again':
      'After the application is widened, a refresh gives again all that was authorized, and no more.',
    'token.narrowed.access-token-stays':
      'Narrowing an application leaves its access tokens as they are until they expire.',
    'token.refresh.bound-to-client': 'A refresh token cannot be used by other clients.',
    'token.repeated-parameter': 'A token request that repeats a parameter is invalid_request.',
    'token.no-store': 'Token answers must not be cached.',
    'token.member-left':
      'For a person who no longer has any role at the school, a refresh is invalid_grant.',
    'token.rate-limit':
      'More than a hundred requests a second of one client from one address get 429 with Retry-After.',
    'token.rate-limit.refreshes':
      'Too many refreshes of one authorization in an hour get 429 with Retry-After; nothing but its own refreshes counts.',
    'token.body-limit': 'An OAuth body of more than 64 KiB is refused with a 4xx.',
    'token.content-type': 'A token request that is not a form is refused with invalid_request.',
    'token.database-away':
      'If the database cannot be reached, the answer is 503 with Retry-After, never a refusal of the credential.',
    'token.database-silent':
      'A database that vanishes without closing its connections is noticed within seconds; a refresh that met a dead connection is repeated on another one.',
  }),
] as const
