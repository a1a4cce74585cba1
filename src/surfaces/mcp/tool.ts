import { z } from 'zod'
import type { Caller, KnownCaller } from '../../domain/grants/caller.ts'
import { type ActivityKind, noteActivity } from '../../domain/grants/count-activity.ts'
import type { OutlineCache } from '../../domain/learning/outline.ts'
import { judgeInput } from '../../domain/operation/refusal.ts'
import type { School } from '../../domain/schools/school.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { ErrorCode } from '../../foundation/errors/catalogue.ts'
import type { ResourcePath, ToolEndpoint } from '../../foundation/protocol/resource-names.ts'
import { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import type { LongAnswer } from './long-answer.ts'
import { type ToolAnnotations, type ToolDescription, type WireTool, wireTool } from './wire-tool.ts'

/** Who calls a tool, and where. */
export interface ToolCall {
  readonly school: School
  readonly db: SchoolDb
  /** The name under which the endpoint was called, and the same as it was spelled. */
  readonly endpoint: ToolEndpoint
  readonly path: ResourcePath
  /** Undefined without a token. */
  readonly caller: KnownCaller | undefined
  /** Of this process, shared by all calls. */
  readonly outlines: OutlineCache
  readonly requestId: string
}

declare const admitted: unique symbol

/**
 * A call whose caller holds every scope that it needs. Only `signedIn` makes one, so a tool with
 * scopes cannot run unless they were checked.
 */
export interface SignedInCall extends ToolCall {
  readonly caller: KnownCaller
  readonly [admitted]: true
}

/** Undefined if the caller lacks a scope. */
export function signedIn(call: ToolCall, needed: ScopeSet): SignedInCall | undefined {
  const { caller } = call
  if (caller === undefined || !needed.isSubsetOf(caller.scopes)) return undefined
  return { ...call, caller } as SignedInCall
}

/**
 * A call whose arguments were parsed. Arguments that do not fit are told by `run`, and so only to a
 * caller who may call the tool.
 */
export type ParsedCall =
  | { readonly needs?: never; readonly run: (call: ToolCall) => Promise<object> }
  | {
      /** Every scope that this call needs; empty means that any token will do. */
      readonly needs: ScopeSet
      readonly run: (call: SignedInCall) => Promise<object>
    }

export const READS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** Sets a state that a second call would find set. */
export const SETS: ToolAnnotations = { ...READS, readOnlyHint: false }

export interface Tool {
  readonly name: string
  /** Depends on the school's variant only: older origins lack some tools. */
  readonly existsAt: (school: School) => boolean
  /** All that some use of it needs; empty if it needs no token. */
  readonly scopes: ScopeSet
  /** The tools that change what this one shows. */
  readonly changedBy: readonly string[]
  /** As `tools/list` shows it to this caller, by their scopes; undefined if it does not. */
  readonly wireFor: (caller: Caller | undefined, endpoint: ToolEndpoint) => WireTool | undefined
  readonly parse: (given: unknown, caller: Caller | undefined) => ParsedCall
}

/** Told to the model: what went wrong and what to do next. */
export class ToolProblem extends Error {
  override readonly name = 'ToolProblem'
  readonly code: ErrorCode

  constructor(message: string, code: ErrorCode = 'invalid_input') {
    super(message)
    this.code = code
  }
}

type Answer<O extends z.ZodObject> = Promise<z.input<O> | LongAnswer<z.input<O>>>

/** A tool for every caller, signed in or not. */
export function publicTool<I extends z.ZodObject, O extends z.ZodObject>(
  tool: ToolDescription<I, O> & {
    readonly run: (call: ToolCall, input: z.output<I>) => Answer<O>
  },
): Tool {
  const wire = wireTool(tool)
  return {
    name: tool.name,
    existsAt: everywhere,
    scopes: ScopeSet.empty,
    changedBy: [],
    wireFor: () => wire,
    parse: (given) => {
      const input = tryParse(() => parseInput(tool.input, given))
      return { run: async (call) => await tool.run(call, inputOf(input)) }
    },
  }
}

/** A tool for callers whose token holds its scopes. */
export function scopedTool<I extends z.ZodObject, O extends z.ZodObject>(
  tool: ToolDescription<I, O> & {
    readonly scopes: readonly string[]
    /** What it reads or changes, which the page of connected apps tells. */
    readonly about: ActivityKind
    readonly changedBy?: readonly string[]
    readonly existsAt?: (school: School) => boolean
    readonly run: (call: SignedInCall, input: z.output<I>) => Answer<O>
  },
): Tool {
  const needs = ScopeSet.of(tool.scopes)
  const access = tool.annotations.readOnlyHint ? 'read' : 'change'
  const wire = wireTool(tool, needs)
  return {
    name: tool.name,
    existsAt: tool.existsAt ?? everywhere,
    scopes: needs,
    changedBy: tool.changedBy ?? [],
    wireFor: (caller) => (caller && needs.isSubsetOf(caller.scopes) ? wire : undefined),
    parse: (given) => {
      const input = tryParse(() => parseInput(tool.input, given))
      return {
        needs,
        run: async (call) => {
          const answer = await tool.run(call, inputOf(input))
          noteActivity(call.db, call.caller, tool.about, access)
          return answer
        },
      }
    },
  }
}

export const everywhere = (): boolean => true

export const onNewerOrigins = (school: School): boolean => school.variant === 'newer'

/** Arguments that fit, or what is wrong with them. */
export type ParsedInput<T> =
  | { readonly value: T; readonly problem?: never }
  | { readonly value?: never; readonly problem: ToolProblem }

export function tryParse<T>(parse: () => T): ParsedInput<T> {
  try {
    return { value: parse() }
  } catch (error) {
    if (error instanceof ToolProblem) return { problem: error }
    throw error
  }
}

export function inputOf<T>(parsed: ParsedInput<T>): T {
  if (parsed.problem !== undefined) throw parsed.problem
  return parsed.value
}

export function parseInput<I extends z.ZodObject>(schema: I, given: unknown): z.output<I> {
  const judged = judgeInput(schema, given ?? {})
  if (judged.problems === undefined) return judged.data
  const problems = judged.problems.map(
    ({ pointer, detail }) => `${pointer.slice(1).replaceAll('/', '.')}: ${detail}`,
  )
  throw new ToolProblem(
    `The arguments do not fit.\n${problems.join('\n')}\nRead the tool's input schema and call it again.`,
  )
}

/** PostgreSQL cannot store or compare text with a null character. */
export const words = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\0]*$/, 'remove the null character')

/** Models read dates better than counted seconds. */
export const time = z.string().describe('RFC 3339, UTC')
export const maybeTime = z.string().nullable().describe('RFC 3339, UTC; null if there is none')

export const amount = z
  .number()
  .int()
  .describe('in the minor unit of the currency: 1999 with USD is 19.99')
export const currency = z.string().describe('ISO 4217')

/** What a value of an answer can be made from: a time may be a `Date`, an object may have more. */
type Source<T> = T extends string
  ? T | Date
  : T extends readonly (infer E)[]
    ? readonly Source<E>[]
    : T extends object
      ? { readonly [K in keyof T]: Source<T[K]> }
      : T

/** The members that the schema of an answer names, with times as texts. */
export function inShape<S extends z.ZodType>(schema: S, source: Source<z.input<S>>): z.input<S> {
  return shaped(schema, source) as z.input<S>
}

function shaped(schema: unknown, source: unknown): unknown {
  if (source instanceof Date) return source.toISOString()
  if (source === null || typeof source !== 'object') return source
  if (schema instanceof z.ZodNullable) return shaped(schema.unwrap(), source)
  if (schema instanceof z.ZodArray && Array.isArray(source)) {
    return source.map((one) => shaped(schema.element, one))
  }
  if (!(schema instanceof z.ZodObject)) return source
  const members = source as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(schema.shape).map(([name, part]) => [name, shaped(part, members[name])]),
  )
}

/** The beginning of a long text; `fetch` gives the whole. */
export function excerpt(text: string, length = 300): string {
  // Cut first: a list shows fifty texts of up to 64 KiB.
  const plain = text
    .slice(0, length * 8)
    .replace(/\s+/g, ' ')
    .trim()
  return plain.length <= length ? plain : `${plain.slice(0, length - 1).trimEnd()}…`
}
