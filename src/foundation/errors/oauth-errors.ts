import { explain } from './explained.ts'

/** Codes of the OAuth endpoints and of the token checks at every API. */
export const OAUTH_ERRORS = {
  invalid_request: explain(
    'A parameter is missing, repeated, or has a value that is not allowed; or the request itself cannot be read.',
    'Read `error_description`, correct the request, and send it again. The same request fails again.',
  ),
  invalid_client: explain(
    'The `client_id` is not known or is switched off at this school, or the `client_secret` is missing, wrong, or sent by a public application.',
    'Check `client_id` and `client_secret` with the operator who made the application. A new authorization alone does not help.',
  ),
  invalid_grant: explain(
    'The code or refresh token is used up, expired, revoked, or belongs to another client, redirect URI or verifier.',
    'Send the person through a new authorization. After a lost answer to a refresh, first try the refresh token that you still have.',
  ),
  unauthorized_client: explain(
    'This client may not do this: for example, a confidential application revoked a token without its secret.',
    'Send `client_secret` in the form body, or use an application that is allowed to do this.',
  ),
  unsupported_grant_type: explain(
    '`grant_type` is neither `authorization_code` nor `refresh_token`.',
    'Use the authorization-code flow with PKCE; there is no other way to get a token.',
  ),
  unsupported_response_type: explain(
    '`response_type` is not `code`.',
    'Send `response_type=code`. Tokens are never returned by redirect.',
  ),
  invalid_scope: explain(
    'No scope is named, one is unknown or not held by this client, or belongs to the other audience: account scopes are for member applications; `openid`, `profile` and `email` for all; the others for operator clients.',
    'Ask only for scopes that your client holds, or ask an owner or admin of the school to add the scope. `offline_access` is not needed: every authorization has a refresh token.',
  ),
  access_denied: explain(
    'The person said no, or may not authorize this client: operator clients need an owner or admin.',
    'Tell the person that nothing was connected, and let them start again.',
  ),
  server_error: explain(
    'Something failed on the side of the server.',
    'Try again in a moment. If it keeps failing, report the request id to the administrator of this server.',
  ),
  temporarily_unavailable: explain(
    'The server or its database cannot answer now, or gets too many requests. It says nothing about your token.',
    'Keep your tokens, wait for `Retry-After`, and send the same request again.',
  ),
  interaction_required: explain(
    'The request has `prompt=none`, but the person must do something.',
    'Send the person through the authorization without `prompt=none`.',
  ),
  login_required: explain(
    'The request has `prompt=none`, but the person is not signed in.',
    'Send the person through the authorization without `prompt=none`.',
  ),
  account_selection_required: explain(
    'The request has `prompt=none`, but the person must choose an account.',
    'Send the person through the authorization without `prompt=none`.',
  ),
  consent_required: explain(
    'The request has `prompt=none`, but consent is asked for at every authorization.',
    'Send the person through the authorization without `prompt=none`; to stay signed in, use the refresh token.',
  ),
  request_not_supported: explain(
    'The request came as a request object, in the parameter `request`.',
    'Send the parameters in the query.',
  ),
  request_uri_not_supported: explain(
    'The request names a `request_uri`.',
    'Send the parameters in the query.',
  ),
  registration_not_supported: explain(
    'The request has the parameter `registration`.',
    'Leave it out: the `client_id` must be known before the authorization.',
  ),
  invalid_target: explain(
    '`resource` is not this school.',
    'Send `resource` with the value from the protected-resource metadata, the same at authorization, exchange and refresh.',
  ),
  unsupported_token_type: explain(
    'The endpoint cannot revoke a token of this type.',
    'Send an access token or a refresh token.',
  ),
  invalid_redirect_uri: explain(
    'A redirect URI of the registration is not allowed.',
    'Leave `redirect_uris` out: a known platform has its own.',
  ),
  invalid_client_metadata: explain(
    '`client_name` is not the name of a platform that this server knows. No other field changes this.',
    'Use a name that `error_description` lists, a tool of the school, or your own client metadata document.',
  ),
  invalid_token: explain(
    'The access token is missing, malformed, expired, revoked, issued for another origin, or not bound to a person of this school.',
    'Refresh once. If that fails too, send the person through a new authorization at this origin.',
  ),
  insufficient_scope: explain(
    'The token is good, but lacks a scope that the request needs.',
    'Send the person through a new authorization with the scopes that `WWW-Authenticate` or `requiredScope` names. A refresh never adds one.',
  ),
} as const
