import type { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import { type Person, pictureUrl } from '../people/person.ts'
import type { School } from '../schools/school.ts'

/** The claims about a person at a school, in UserInfo and in the ID token. */
export interface IdentityClaims {
  readonly sub: string
  readonly org_id: string
  readonly roles: readonly string[]
  readonly name?: string
  readonly picture?: string
  readonly email?: string
}

/**
 * `account:read` gives name, picture and email like the identity scopes, because the Member API
 * gives them with this scope too. No claim ever names the resource that a token is bound to.
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

/** Whether they say more than an id and roles. */
export function namesPerson({ name, email }: IdentityClaims): boolean {
  return name !== undefined || email !== undefined
}
