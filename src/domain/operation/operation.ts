import type { z } from 'zod'
import { inLane, type SchoolDb, type SchoolTx } from '../../foundation/db/school-db.ts'
import { retryCollision } from '../../foundation/db/unavailable.ts'
import type { Actor } from '../actor/actor.ts'
import {
  type AuditedChange,
  changeEntry,
  nameForAudit,
  record,
  recordChange,
  whatChanged,
} from '../audit/audit.ts'
import { refusalFromDatabase } from './database-refusal.ts'
import { judgeInput, OperationRefused, type Refusal } from './refusal.ts'
import { toldError, writeAnswer } from './write-answer.ts'

export interface OperationExample {
  readonly title: string
  readonly input: Readonly<Record<string, unknown>>
}

interface Described<I extends z.ZodObject, O extends z.ZodObject> {
  /** `courses.publish`: the resource, a dot, and what is done to it. */
  readonly name: string
  readonly title: string
  readonly summary: string
  /**
   * A token needs all of them; a write scope does not include the right to read. Without any, no
   * app can perform the operation: only the admin area and the command line can.
   */
  readonly scopes: readonly string[]
  /** Any operator token may ask: the rows that it sees, and may change, follow from its scopes. */
  readonly judgesScopes?: true | undefined
  /** Wire types only, no transforms, because it is also published as JSON Schema. */
  readonly input: I
  readonly output: O
  readonly examples: readonly OperationExample[]
  /** The path of the answered object in the REST API, with `{id}` for its id. */
  readonly restPath?: string | undefined
  /** The scopes that an input needs besides `scopes`, for example to expand related objects. */
  extraScopes?(input: z.output<I>): readonly string[]
  /**
   * Whether a person in a browser must have proved shortly before who they are. The input is not
   * checked yet.
   */
  needsProof?(input: Readonly<Record<string, unknown>>): boolean
}

export interface ReadOperation<
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodObject = z.ZodObject,
> extends Described<I, O> {
  readonly kind: 'read'
  /**
   * Whether this input can take long. Such a read uses connections of its own, and ends when its
   * caller is gone.
   */
  isHeavy?(input: z.output<I>): boolean
  /** Throws OperationRefused if it cannot be done. */
  run(db: SchoolDb, caller: Actor, input: z.output<I>): Promise<z.output<O>>
}

type Before = Readonly<Record<string, unknown>>

export interface WriteOperation<
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodObject = z.ZodObject,
> extends Described<I, O> {
  readonly kind: 'create' | 'change' | 'remove'
  /**
   * Members of the answer that the call itself makes, such as the URL of an upload. A client sees
   * them also without the read scope.
   */
  readonly creates?: readonly (keyof z.output<O> & string)[]
  /**
   * Whether it queues a mail. A page sends it at once; otherwise a server finds it within a minute.
   */
  readonly queuesMail?: 'maybe' | 'always' | undefined
  /**
   * Whether it changes what every request knows of its school. The next page of the admin area
   * must show it, so the process forgets the school that it has cached; everywhere else the notice
   * of the database is enough.
   */
  readonly changesSchool?: true
  /** Throws OperationRefused if it cannot be done; the transaction is then rolled back. */
  run(tx: SchoolTx, caller: Actor, input: z.output<I>): Promise<z.output<O>>
  /**
   * The object before the write, so that the audit entry can say what changed. `run` must check
   * `if_version` before it writes.
   */
  before?(tx: SchoolTx, caller: Actor, input: z.output<I>): Promise<Before>
  /**
   * The audit entries of this write. Without this function there is one entry, `operation.done`. An
   * empty list means that nothing changed, or that `run` wrote the entries.
   */
  audit?(output: z.output<O>, input: z.output<I>): readonly AuditedChange[]
  /**
   * Why it cannot be done with this object as things are now; undefined if it can. Pages do not
   * offer it then. `run` asks the same rule.
   */
  whyNot?(db: SchoolDb, caller: Actor, id: string): Promise<string | undefined>
}

/**
 * Something that can be done at a school, described once for all surfaces: the REST API adds a
 * method and a path, the tool endpoint selects and groups operations, the admin area builds lists
 * and forms.
 */
export type Operation<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> =
  | ReadOperation<I, O>
  | WriteOperation<I, O>

/** The description of an operation, without the function that performs it. */
export type DescribedOperation = Omit<ReadOperation, 'run'> | Omit<WriteOperation, 'run'>

export type Outcome<T = Record<string, unknown>> =
  | { readonly kind: 'done'; readonly output: T }
  | Refusal

declare const checked: unique symbol

/** An input that passed the check of its operation; only `checkInput` makes one. */
export type CheckedInput<I extends z.ZodObject = z.ZodObject> = z.output<I> & {
  readonly [checked]: true
}

/**
 * Checks the input and runs the operation, a write in its own transaction. Returns refusals instead
 * of throwing.
 */
export async function performOperation<I extends z.ZodObject, O extends z.ZodObject>(
  operation: Operation<I, O>,
  db: SchoolDb,
  caller: Actor,
  input: unknown,
): Promise<Outcome<z.output<O>>> {
  try {
    return await performChecked(operation, db, caller, checkInput(operation, input))
  } catch (error) {
    return refusalFrom(error)
  }
}

/** Performs an operation whose input is already checked. */
export async function performChecked<I extends z.ZodObject, O extends z.ZodObject>(
  operation: Operation<I, O>,
  db: SchoolDb,
  caller: Actor,
  input: CheckedInput<I>,
): Promise<Outcome<z.output<O>>> {
  try {
    const output =
      operation.kind === 'read'
        ? await runRead(operation, db, caller, input)
        : await retryCollision(() => db.transaction((tx) => runWrite(operation, tx, caller, input)))
    return { kind: 'done', output }
  } catch (error) {
    return refusalFrom(error)
  }
}

async function runRead<I extends z.ZodObject, O extends z.ZodObject>(
  operation: ReadOperation<I, O>,
  db: SchoolDb,
  caller: Actor,
  input: CheckedInput<I>,
): Promise<z.output<O>> {
  const isHeavy = operation.isHeavy?.(input) === true
  return await operation.run(isHeavy ? inLane(db, 'batch') : db, caller, input)
}

/**
 * Runs a write and records its audit entries in the caller's transaction. Throws errors that
 * `refusalFrom` reads. A token without the read scope gets an answer and refusals that tell it
 * nothing.
 */
export async function runWrite<I extends z.ZodObject, O extends z.ZodObject>(
  operation: WriteOperation<I, O>,
  tx: SchoolTx,
  caller: Actor,
  input: CheckedInput<I>,
): Promise<z.output<O>> {
  const told = (error: unknown) => {
    throw toldError(operation, caller, error)
  }
  const { before, output } = await runFromBefore(operation, tx, caller, input).catch(told)
  const own = operation.audit?.(output, input)
  if (own === undefined) {
    const about = before === undefined ? {} : toldOf(operation, before, output)
    await recordDone(tx, caller, output.id, { operation: operation.name, ...about })
  } else for (const change of own) await recordChange(tx, caller, change)
  return writeAnswer(operation, caller, input, output)
}

/** What changed; of an object that is gone, what it was called. */
function toldOf({ kind }: Pick<WriteOperation, 'kind'>, before: Before, output: Before) {
  if (kind !== 'remove') return whatChanged(before, output)
  const name = nameForAudit(before)
  return name === undefined ? {} : { name }
}

/**
 * Reads the object without a lock and lets the write check, under the lock that it takes anyway,
 * that the version is still the one that was read. So the audit entry has the true old values
 * without another statement. If another write came between, the check has locked the row before it
 * refused, so the second attempt cannot be refused.
 */
async function runFromBefore<I extends z.ZodObject, O extends z.ZodObject>(
  operation: WriteOperation<I, O>,
  tx: SchoolTx,
  caller: Actor,
  input: CheckedInput<I>,
): Promise<{ before?: Before; output: z.output<O> }> {
  const { before: read } = operation
  if (read === undefined) return { output: await operation.run(tx, caller, input) }
  const before = await read(tx, caller, input)
  const ownVersion = typeof before.version === 'number' && input.if_version === undefined
  const from = ownVersion ? { ...input, if_version: before.version } : input
  try {
    return { before, output: await operation.run(tx, caller, from) }
  } catch (error) {
    const isStale = error instanceof OperationRefused && error.refusal.kind === 'stale'
    if (!ownVersion || !isStale) throw error
    const locked = await read(tx, caller, input)
    return { before: locked, output: await operation.run(tx, caller, input) }
  }
}

async function recordDone(
  tx: SchoolTx,
  actor: Actor,
  id: unknown,
  detail: Readonly<Record<string, unknown>>,
) {
  await record(tx, {
    ...changeEntry(actor, { action: 'operation.done', detail }),
    subject: typeof id === 'string' ? id : undefined,
    clientId: actor.clientId,
    authorizationId: actor.authorizationId,
  })
}

export function checkInput<I extends z.ZodObject>(
  operation: Described<I, z.ZodObject>,
  input: unknown,
): CheckedInput<I> {
  const judged = judgeInput(operation.input, input)
  if (judged.problems !== undefined) {
    throw new OperationRefused({ kind: 'invalid', problems: judged.problems })
  }
  return judged.data as CheckedInput<I>
}

/** The refusal that an error stands for; any other error is thrown again. */
export function refusalFrom(error: unknown): Refusal {
  if (error instanceof OperationRefused) return error.refusal
  const refusal = refusalFromDatabase(error)
  if (refusal === undefined) throw error
  return refusal
}

/**
 * Every scope that this input needs, for the check and for the challenge. Throws for an operation
 * without scopes that does not judge them itself: on a surface for apps, any token could perform
 * it.
 */
export function neededScopes(
  operation: DescribedOperation,
  input?: Record<string, unknown>,
): readonly string[] {
  if (operation.scopes.length === 0 && operation.judgesScopes !== true) {
    throw new Error(`${operation.name} has no scope, so no app may perform it`)
  }
  const extra = input === undefined ? [] : (operation.extraScopes?.(input) ?? [])
  return [...new Set([...operation.scopes, ...extra])]
}

/** The root of the REST API on every origin. Tool answers link to it too. */
export const API_ROOT = '/api/v1'

/** The URL of an object. `path` is the `restPath` of its resource or operation. */
export function restUrl(origin: string, path: string, id: string): string {
  return `${origin}${API_ROOT}${path.replace('{id}', id)}`
}

/** The REST path of a resource, or of an operation's answer; throws if there is none. */
export function restPathOf({ restPath }: { readonly restPath?: string | undefined }): string {
  if (restPath === undefined) throw new Error('this resource has no path in the REST API')
  return restPath
}

/** The ids that examples use, so that one example can build on another. */
export const EXAMPLE = {
  course: '01981c5e-7c00-7000-8000-00000000c001',
  draftCourse: '01981c5e-7c00-7000-8000-00000000c002',
  section: '01981c5e-7c00-7000-8000-00000000c101',
  secondSection: '01981c5e-7c00-7000-8000-00000000c102',
  lecture: '01981c5e-7c00-7000-8000-00000000c201',
  secondLecture: '01981c5e-7c00-7000-8000-00000000c202',
  student: '01981c5e-7c00-7000-8000-00000000a001',
  lecturer: '01981c5e-7c00-7000-8000-00000000a002',
  newcomer: '01981c5e-7c00-7000-8000-00000000a003',
  enrollment: '01981c5e-7c00-7000-8000-00000000e001',
  coupon: '01981c5e-7c00-7000-8000-00000000d001',
  unusedCoupon: '01981c5e-7c00-7000-8000-00000000d002',
  plan: '01981c5e-7c00-7000-8000-00000000d101',
  subscription: '01981c5e-7c00-7000-8000-00000000d201',
  product: '01981c5e-7c00-7000-8000-00000000d301',
  unownedProduct: '01981c5e-7c00-7000-8000-00000000d302',
  order: '01981c5e-7c00-7000-8000-00000000d401',
  event: '01981c5e-7c00-7000-8000-00000000b001',
  emptyEvent: '01981c5e-7c00-7000-8000-00000000b002',
  registration: '01981c5e-7c00-7000-8000-00000000b101',
  post: '01981c5e-7c00-7000-8000-00000000f001',
  page: '01981c5e-7c00-7000-8000-00000000f101',
  form: '01981c5e-7c00-7000-8000-00000000f201',
  submission: '01981c5e-7c00-7000-8000-00000000f301',
  file: '01981c5e-7c00-7000-8000-00000000f401',
  comment: '01981c5e-7c00-7000-8000-00000000f501',
} as const
