import { type RawBuilder, sql } from 'kysely'
import { sha256 } from '../../foundation/crypto/digest.ts'
import type { Placeholders } from '../../foundation/db/prepared.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import { bindResource, missingResource } from '../../foundation/protocol/resource-names.ts'
import { mayHoldInSql } from '../actor/actor.ts'
import {
  CLIENT_IS_ON,
  clientNotProven,
  clientSwitchedOff,
  secretMatchesInSql,
} from '../clients/client.ts'
import type {
  ParameterRule,
  StoredRowRule,
  TokenRequest,
  TokenRequestValues,
} from './grant-rule.ts'

/**
 * The rules that code exchange and refresh share. Their SQL knows the client that the request names
 * as `c`, the code or authorization as `g`, and the person behind it as `u`, with their roles in
 * `m`.
 */
type SharedRowRule = StoredRowRule<TokenRequest, TokenRequestValues, unknown>

export function tokenRequestValues(db: SchoolDb, request: TokenRequest): TokenRequestValues {
  const { clientId, clientSecret, resource } = request
  return {
    schoolId: db.schoolId,
    clientId,
    secretHash: clientSecret === undefined ? null : sha256(clientSecret),
    resourceSent: resource.length > 0,
  }
}

/** Starts from one empty row, so that a request of an unknown client has a row too. */
export const requestAndClient = (
  given: Placeholders<TokenRequestValues>,
): RawBuilder<unknown> => sql`
  (select) request
    left join clients c on c.school_id = ${given.schoolId} and c.client_id = ${given.clientId}`

export const personAndRoles: RawBuilder<unknown> = sql`
    left join school_members m on m.school_id = g.school_id and m.user_id = g.user_id
    left join users u on u.id = g.user_id`

export const clientIsKnown: SharedRowRule = {
  name: 'the client is known here',
  section: 'RFC 6749 §3.2.1',
  holds: () => sql`c.client_id is not null and c.deleted_at is null`,
  refusal: clientNotProven,
  audit: 'nothing',
}

/** A public client that sends a secret is refused too: it is configured as another client. */
export const secretMatches: SharedRowRule = {
  name: 'the secret is the one that the client has, or both have none',
  section: 'RFC 6749 §2.3.1',
  holds: ({ secretHash }) => secretMatchesInSql(secretHash),
  refusal: clientNotProven,
  audit: 'nothing',
}

/** After the secret: a caller with a wrong one must not hear this. */
export const clientIsOn: SharedRowRule = {
  name: 'the client is switched on',
  section: 'RFC 6749 §3.2.1',
  holds: () => CLIENT_IS_ON,
  refusal: clientSwitchedOff,
  audit: 'client',
}

export function parameterIsSent<Request>(
  name: string,
  read: (request: Request) => string | undefined,
  section: string,
): ParameterRule<Request> {
  return {
    name: `${name} is sent`,
    section,
    refuse: (request) =>
      read(request) === undefined
        ? new OAuthError('invalid_request', `${name} is missing.`)
        : undefined,
    audit: 'client',
  }
}

export const resourceIsSent: SharedRowRule = {
  name: "a member's grant repeats its resource",
  section: 'RFC 8707 §2.2',
  holds: ({ resourceSent }) => sql`g.audience = 'operator' or ${resourceSent}`,
  refusal: ({ school }) => missingResource(school.origin),
  audit: 'client and person',
}

export const resourceIsThisOrigin: ParameterRule<TokenRequest> = {
  name: 'every resource names this origin',
  section: 'RFC 8707 §2.2',
  refuse: ({ resource, school }) =>
    refusalOf(() => bindResource(resource, school.origin, { required: false })),
  audit: 'client and person',
}

/** An operator may have narrowed the application since the person agreed. */
export const applicationHoldsSome: SharedRowRule = {
  name: 'the application still holds a scope of what was authorized',
  section: 'RFC 6749 §5.2',
  holds: () => sql`g.scopes && c.scopes`,
  refusal: () =>
    new OAuthError(
      'invalid_grant',
      'The school took every scope of this authorization away from the application. An operator of the school chooses its scopes; then send the person through the authorization-code flow again.',
    ),
  audit: 'client and person',
}

/**
 * Those of the wanted scopes that the application `c` still holds, in the same order. Usually all
 * of them, so the function is called for a narrowed application only.
 */
export function stillHeld(wanted: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when ${wanted} <@ c.scopes then ${wanted}
    else held_scopes(${wanted}, c.scopes) end`
}

export const personHoldsRole: SharedRowRule = {
  name: 'the person exists and holds the role that the grant needs',
  section: 'RFC 6749 §5.2',
  holds: () => sql`u.id is not null and u.deleted_at is null
    and ${mayHoldInSql(sql`g.audience`, sql`m.roles`)}`,
  refusal: () =>
    new OAuthError(
      'invalid_grant',
      'The person who authorized this no longer holds the role it needs at this school.',
    ),
  audit: 'client and person',
}

/** The refusal that a check throws, as a value. */
export function refusalOf(check: () => void): OAuthError | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof OAuthError) return error
    throw error
  }
}
