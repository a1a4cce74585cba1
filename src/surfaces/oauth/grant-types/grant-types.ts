import { authorizationCodeGrant } from './authorization-code.ts'
import type { GrantType } from './grant-type.ts'
import { refreshTokenGrant } from './refresh-token.ts'

/** Everything the token endpoint can do; discovery lists exactly these. */
export const grantTypes: ReadonlyMap<string, GrantType> = new Map(
  [authorizationCodeGrant, refreshTokenGrant].map((grant) => [grant.name, grant]),
)
