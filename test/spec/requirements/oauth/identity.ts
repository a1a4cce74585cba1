import { chapter } from '../chapter.ts'

export const identity = [
  chapter('oauth', 'UserInfo', {
    'userinfo.bearer-header': 'UserInfo reads the access token from the Authorization header.',
    'userinfo.claims': 'UserInfo answers sub, email, name, picture, org_id and roles.',
    'userinfo.sub.user-id': 'sub is the id of the user.',
  }),

  chapter('oauth', 'ID token claims', {
    'id-token.claims':
      'ID tokens state iss, aud, exp and nonce; sub, email, name and picture; org_id and roles.',
    'id-token.same-as-userinfo':
      'Identity claims in the ID token equal what UserInfo says about the same token.',
    'id-token.kid': 'The header of an ID token names the signing key by kid.',
  }),

  chapter('oauth', 'Authentication', {
    'id-token.iss': 'iss in the ID token is the called origin.',
    'id-token.aud': 'aud is only the client_id of the client.',
    'id-token.exp': 'exp is in the future when the token is issued.',
    'id-token.nonce': 'nonce in the ID token is what the authorization request sent.',
    'id-token.signature':
      'The key that kid names is in the JWKS of the same origin and verifies the ID token.',
    'id-token.jwks-before-signing':
      'A school may publish its JWKS before it signs; jwks_uri is then listed and no ID token issued.',
    'id-token.userinfo-instead':
      'If a discovery field for signing is missing, UserInfo still gives the identity.',
    'binding.not-readable': 'Neither ID token nor UserInfo has a resource claim.',
  }),

  chapter('oauth', 'product decision', {
    'claims.always': 'sub, org_id and roles are always among the claims.',
    'claims.org-id': 'org_id is the id of the school.',
    'claims.profile': 'name and picture need profile or account:read.',
    'claims.email': 'email needs the scope of that name, or account:read.',
    'userinfo.openid-not-required': 'UserInfo answers tokens without openid.',
    'userinfo.get-and-post': 'UserInfo answers POST as it answers GET.',
    'keys.per-school': 'Each school signs with keys of its own.',
    'keys.sealed': 'Private keys are encrypted in the database.',
    'keys.publish-then-activate':
      'A new key is in the JWKS long enough for every cache before it signs anything.',
    'keys.retired-stay': 'A retired key stays published while tokens it signed are valid.',
  }),
] as const
