import { chapter } from '../chapter.ts'

export const revoke = [
  chapter('oauth', 'Revocation request', {
    'revoke.token.required': 'A revocation without token is invalid_request.',
    'revoke.token.either': 'The token posted may be an access or a refresh token.',
    'revoke.client-id.required': 'A revocation has to name its client_id.',
    'revoke.public.no-secret': 'Public clients revoke without any secret.',
  }),

  chapter('oauth', 'Deployment variants', {
    'older.revoke.two-fields':
      'On an older origin token and client_id are all that a revocation needs.',
  }),

  chapter('oauth', 'Errors', {
    'revoke.confidential.secret-missing':
      'A confidential client that revokes without its secret gets 403 unauthorized_client.',
    'revoke.cannot-act': 'A token that cannot be revoked is answered with 200.',
  }),

  chapter('oauth', 'product decision', {
    'revoke.newer.wrong-secret':
      'On newer origins a wrong secret is treated like a missing one, 403 unauthorized_client.',
    'revoke.older.secret-optional':
      'Older origins do not require the secret, but a secret that is sent must be correct.',
    'revoke.basic':
      'Credentials by HTTP Basic count as no secret: 403 unauthorized_client, without a challenge.',
    'revoke.own-only': 'A client can revoke only its own pairs.',
    'revoke.foreign-token':
      'A malformed token, or one of another client or school, is answered with 200, and nothing changes.',
    'revoke.hint.ignored': 'A wrong token_type_hint is ignored.',
  }),
] as const
