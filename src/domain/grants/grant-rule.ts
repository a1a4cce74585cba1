import { type RawBuilder, sql } from 'kysely'
import type { Placeholders } from '../../foundation/db/prepared.ts'
import type { AtSchool, SchoolDb } from '../../foundation/db/school-db.ts'
import type { OAuthError } from '../../foundation/protocol/errors.ts'
import type { School } from '../schools/school.ts'

/** What both grant types of the token endpoint send, as it was sent. */
export interface TokenRequest {
  readonly school: School
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly resource: readonly string[]
  readonly requestId: string
}

/** Values that the statements of code exchange and refresh both take. */
export interface TokenRequestValues extends AtSchool {
  readonly clientId: string
  readonly secretHash: Buffer | null
  readonly resourceSent: boolean
}

/** Read together with the rules, for the text of a refusal and its audit entry. */
export interface GrantFacts {
  readonly userId: string | null
  readonly authorizationId?: string | null
}

interface NamedRule {
  readonly name: string
  readonly section: string
  /**
   * What a refusal leaves in the audit: nothing, the client if it sent its secret, or client and
   * person. A public client's client_id is no proof: a stranger could fill the table with refusals.
   */
  readonly audit: 'nothing' | 'client' | 'client and person'
}

/** A rule about the parameters alone. */
export interface ParameterRule<Request> extends NamedRule {
  readonly refuse: (request: Request) => OAuthError | undefined
}

/** A rule about stored rows. */
export interface StoredRowRule<Request, Values, Facts> extends NamedRule {
  /**
   * SQL over the aliases of the rulebook's `rows`. Any of those rows may be missing, and null means
   * that the rule does not hold.
   */
  readonly holds: (given: Placeholders<Values>) => RawBuilder<unknown>
  readonly refusal: (request: Request, facts: Facts) => OAuthError
  /** Committed before the refusal is answered. */
  readonly alarm?: (at: SchoolDb, request: Request, facts: Facts) => Promise<void>
}

export type GrantRule<Request, Values, Facts> =
  | ParameterRule<Request>
  | StoredRowRule<Request, Values, Facts>

/**
 * All rules of one grant type, in the order in which a refusal names the first broken one. The
 * statement that mints takes its WHERE from this list, and the statement that explains a refusal takes
 * its columns from it, so neither can know a rule that the other does not know.
 */
export interface Rulebook<Request, Values, Facts> {
  readonly rules: readonly GrantRule<Request, Values, Facts>[]
  /** The FROM clause: one row for each request, whatever is missing. */
  readonly rows: (given: Placeholders<Values>) => RawBuilder<unknown>
  /** The columns of `Facts`. */
  readonly facts: RawBuilder<unknown>
}

/** The WHERE clause of the statement that mints. */
export function allHold<Request, Values, Facts>(
  { rules }: Rulebook<Request, Values, Facts>,
  given: Placeholders<Values>,
): RawBuilder<unknown> {
  return sql.join(
    rowRules(rules).map((rule) => sql`(${rule.holds(given)})`),
    sql` and `,
  )
}

export function rowRules<Request, Values, Facts>(
  rules: readonly GrantRule<Request, Values, Facts>[],
): readonly StoredRowRule<Request, Values, Facts>[] {
  return rules.filter((rule) => 'holds' in rule)
}
