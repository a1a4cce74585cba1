import { sql } from 'kysely'
import type { Placeholders } from '../../foundation/db/prepared.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import { recordOnceAnHour } from '../audit/repeated-entries.ts'
import {
  type GrantFacts,
  type GrantRule,
  type Rulebook,
  rowRules,
  type TokenRequest,
} from './grant-rule.ts'

export type GrantOutcome<Granted> =
  | { readonly kind: 'granted'; readonly granted: Granted }
  | {
      readonly kind: 'refused'
      readonly error: OAuthError
      /** False if the request proves nothing: any caller who knows the client_id could have sent it. */
      readonly clientAuthenticated: boolean
    }

/**
 * Mints if every rule holds, otherwise refuses by the first rule that does not. `mint` is one statement
 * that checks the rules about rows itself and returns undefined if one is broken. If all rules hold when
 * they are read again, another request changed a row in between, and `mint` is tried once more.
 */
export async function mintOrRefuse<
  Request extends TokenRequest,
  Values,
  Facts extends GrantFacts,
  Granted,
>(
  rulebook: Rulebook<Request, Values, Facts>,
  at: SchoolDb,
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
    const broken = await findBrokenRule(rulebook, at, request, values)
    if (broken !== undefined) return await refuse(at, request, broken)
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
  at: SchoolDb,
  request: Request,
  values: Values,
): Promise<BrokenRule<Request, Values, Facts> | undefined> {
  const given = placeholdersOf(values)
  const columns = rowRules(rulebook.rules).map((rule) => sql`(${rule.holds(given)}) is true`)
  const { rows } = await at.run(sql<Facts & { held: readonly boolean[] }>`
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
  at: SchoolDb,
  request: Request,
  { rule, facts, error }: BrokenRule<Request, Values, Facts>,
): Promise<GrantOutcome<never>> {
  if ('alarm' in rule) await rule.alarm?.(at, request, facts)
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
    await recordOnceAnHour(at, entry, rule.name)
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
