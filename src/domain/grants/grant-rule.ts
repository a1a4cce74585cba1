import { type RawBuilder, sql } from 'kysely'
import type { Placeholders } from '../../foundation/db/prepared.ts'
import type { AtSchool, SchoolDb } from '../../foundation/db/school-db.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import { recordOnceAnHour } from '../audit/repeated-entries.ts'
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
  readonly alarm?: (db: SchoolDb, request: Request, facts: Facts) => Promise<void>
}

type GrantRule<Request, Values, Facts> =
  | ParameterRule<Request>
  | StoredRowRule<Request, Values, Facts>

/**
 * All rules of one grant type, in the order in which a refusal names the first broken one. The
 * statement that mints takes its WHERE from this list, and the statement that explains a refusal
 * takes its columns from it, so neither can know a rule that the other does not know.
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

function rowRules<Request, Values, Facts>(
  rules: readonly GrantRule<Request, Values, Facts>[],
): readonly StoredRowRule<Request, Values, Facts>[] {
  return rules.filter((rule) => 'holds' in rule)
}

export type GrantOutcome<Granted> =
  | { readonly kind: 'granted'; readonly granted: Granted }
  | {
      readonly kind: 'refused'
      readonly error: OAuthError
      /**
       * False if the request proves nothing: any caller who knows the client_id could have sent it.
       */
      readonly clientAuthenticated: boolean
    }

/**
 * Mints if every rule holds, otherwise refuses by the first rule that does not. `mint` is one
 * statement that checks the rules about rows itself and returns undefined if one is broken. If all
 * rules hold when they are read again, another request changed a row in between, and `mint` is
 * tried once more.
 */
export async function mintOrRefuse<
  Request extends TokenRequest,
  Values,
  Facts extends GrantFacts,
  Granted,
>(
  rulebook: Rulebook<Request, Values, Facts>,
  db: SchoolDb,
  request: Request,
  values: Values,
  mint: () => Promise<Granted | undefined>,
): Promise<GrantOutcome<Granted>> {
  const complete = rulebook.rules.every(
    (rule) => 'holds' in rule || rule.refuse(request) === undefined,
  )
  for (let attempt = 0; attempt < 2; attempt++) {
    const granted = complete ? await mint() : undefined
    if (granted !== undefined) return { kind: 'granted', granted }
    const broken = await findBrokenRule(rulebook, db, request, values)
    if (broken !== undefined) return await refuse(db, request, broken)
  }
  return { kind: 'refused', error: changedMeanwhile(), clientAuthenticated: true }
}

interface BrokenRule<Request, Values, Facts> {
  readonly rule: GrantRule<Request, Values, Facts>
  readonly facts: Facts
  readonly error: OAuthError
}

/** The first rule that does not hold; one statement reads whether each of them does. */
export async function findBrokenRule<Request, Values, Facts>(
  rulebook: Rulebook<Request, Values, Facts>,
  db: SchoolDb,
  request: Request,
  values: Values,
): Promise<BrokenRule<Request, Values, Facts> | undefined> {
  const given = placeholdersOf(values)
  const columns = rowRules(rulebook.rules).map((rule) => sql`(${rule.holds(given)}) is true`)
  const { rows } = await db.run(sql<Facts & { held: readonly boolean[] }>`
    select ${rulebook.facts}, array[${sql.join(columns)}] as held
    from ${rulebook.rows(given)}`)
  const [facts] = rows
  if (facts === undefined) throw new Error('a rulebook gave no row')
  const held = facts.held.values()
  for (const rule of rulebook.rules) {
    if ('refuse' in rule) {
      const error = rule.refuse(request)
      if (error !== undefined) return { rule, facts, error }
    } else if (held.next().value !== true) {
      return { rule, facts, error: rule.refusal(request, facts) }
    }
  }
  return undefined
}

function placeholdersOf<Values>(values: Values): Placeholders<Values> {
  const entries = Object.entries(values as object).map(([name, value]) => [name, sql.val(value)])
  return Object.fromEntries(entries) as Placeholders<Values>
}

async function refuse<Request extends TokenRequest, Values, Facts extends GrantFacts>(
  db: SchoolDb,
  request: Request,
  { rule, facts, error }: BrokenRule<Request, Values, Facts>,
): Promise<GrantOutcome<never>> {
  if ('alarm' in rule) await rule.alarm?.(db, request, facts)
  const named = rule.audit === 'client and person'
  if (named || (rule.audit === 'client' && request.clientSecret !== undefined)) {
    const entry = {
      action: 'token.refused',
      outcome: error.code,
      clientId: request.clientId,
      actorUserId: named ? (facts.userId ?? undefined) : undefined,
      authorizationId: named ? (facts.authorizationId ?? undefined) : undefined,
      detail: { description: error.description },
      requestId: request.requestId,
    } as const
    await recordOnceAnHour(db, entry, rule.name)
  }
  return { kind: 'refused', error, clientAuthenticated: rule.audit !== 'nothing' }
}

function changedMeanwhile(): OAuthError {
  return new OAuthError(
    'temporarily_unavailable',
    'Another request changed this grant at the same time. Send the same request again.',
    { retryAfter: 1 },
  )
}
