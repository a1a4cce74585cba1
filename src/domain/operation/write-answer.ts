import type { z } from 'zod'
import type { ReasonCode } from '../../foundation/errors/catalogue.ts'
import type { Actor } from '../actor/actor.ts'
import { refusalFromDatabase } from './database-refusal.ts'
import { OperationRefused, type Refusal } from './refusal.ts'

/** What this rule needs to know about a write. */
interface Write {
  /** All of them end in `:write`. */
  readonly scopes: readonly string[]
}

interface AnsweredWrite extends Write {
  readonly output: z.ZodObject
  readonly creates?: readonly string[] | undefined
}

/** Which object it is, and nothing about its content. */
const NAMING: readonly string[] = ['object', 'id', 'version', 'deleted']

/** Conflicts that say only that what was sent is there already. */
const ABOUT_THE_INPUT: ReadonlySet<ReasonCode> = new Set([
  'already_enrolled',
  'already_registered',
  'taken',
])

/**
 * Whether the actor may read what they write. A token needs the read scope besides the write scope;
 * in the admin area and on the command line there is no token, and a person who may write may read.
 */
export function mayReadWritten(
  { scopes }: Write,
  { scopes: held }: Pick<Actor, 'scopes'>,
): boolean {
  return held === undefined || readScopesOf(scopes).every((scope) => held.has(scope))
}

/** The read scopes that belong to write scopes. */
export function readScopesOf(scopes: readonly string[]): string[] {
  return scopes.map((scope) => scope.replace(/:write$/, ':read'))
}

/**
 * The answer to a write. For a token without the read scope, only what the client knows already:
 * which object it wrote, the values it sent (those of the object may differ, for example if roles
 * were added), and what the call itself made. Members that are left out are missing, although the
 * type has them.
 */
export function writeAnswer<O extends Record<string, unknown>>(
  write: AnsweredWrite,
  actor: Pick<Actor, 'scopes'>,
  sent: Readonly<Record<string, unknown>>,
  output: O,
): O {
  if (mayReadWritten(write, actor)) return output
  const own = new Set([...NAMING, ...(write.creates ?? [])])
  const shown = Object.keys(write.output.shape).map((name) => [
    name,
    own.has(name) ? output[name] : sent[name],
  ])
  return Object.fromEntries(shown.filter(([, value]) => value !== undefined)) as O
}

/**
 * A refusal as the actor is told it: without the read scope it does not say in which state the
 * object is, nor that the object is one which this actor may not change.
 */
export function toldRefusal(write: Write, actor: Pick<Actor, 'scopes'>, refusal: Refusal): Refusal {
  if (refusal.kind !== 'conflict' && refusal.kind !== 'forbidden') return refusal
  if (mayReadWritten(write, actor)) return refusal
  if (ABOUT_THE_INPUT.has(refusal.code)) return refusal
  const needed = readScopesOf(write.scopes).join(' and ')
  const detail = `The current state does not allow this. A token that also has ${needed} is told why.`
  return { kind: 'conflict', code: 'state', detail }
}

/**
 * An error that a write threw, as the caller may be told it; one that stands for no refusal is
 * unchanged.
 */
export function toldError(write: Write, actor: Pick<Actor, 'scopes'>, error: unknown): unknown {
  const refusal = error instanceof OperationRefused ? error.refusal : refusalFromDatabase(error)
  if (refusal === undefined) return error
  const told = toldRefusal(write, actor, refusal)
  return told === refusal ? error : new OperationRefused(told)
}
