import type { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import { type Person, pictureUrl } from '../people/person.ts'
import type { School } from '../schools/school.ts'

/** Who a person is at a school, as UserInfo and the ID token both tell it. */
export interface IdentityClaims {
  readonly sub: string
  readonly org_id: string
  readonly roles: readonly string[]
  readonly name?: string
  readonly picture?: string
  readonly email?: string
}

/**
 * `account:read` shows name, picture and email like the identity scopes do, since the Member API
 * gives them to it anyway. No claim ever names the resource that a token is bound to.
 *
 * @see OpenID Connect Core 1.0 §5.4
 */
export function identityClaims(
  school: School,
  person: Person,
  roles: readonly string[],
  scopes: ScopeSet,
): IdentityClaims {
  const account = scopes.has('account:read')
  const picture = pictureUrl(person.avatarUrl, school.origin)
  return {
    sub: person.id,
    org_id: school.id,
    roles,
    ...(account || scopes.has('profile')
      ? { name: person.name, ...(picture === undefined ? {} : { picture }) }
      : {}),
    ...(account || scopes.has('email') ? { email: person.email } : {}),
  }
}
