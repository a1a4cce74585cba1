import { z } from 'zod'
import type { Caller, KnownCaller } from '../../domain/access/caller.ts'
import type { OutlineCache } from '../../domain/learning/outline-cache.ts'
import type { School } from '../../domain/schools/school.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import { type ToolAnnotations, type ToolDescription, type WireTool, wireTool } from './wire-tool.ts'

/** Who calls a tool, and where; undefined is somebody without a token. */
export interface ToolCall {
  readonly school: School
  readonly at: SchoolDb
  readonly caller: KnownCaller | undefined
  /** Of this process, shared by all calls. */
  readonly outlines: OutlineCache
  readonly requestId: string
}

/** The same once it is certain that the caller holds what the tool needs. */
export interface SignedInCall extends ToolCall {
  readonly caller: KnownCaller
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
  /** By the school's variant alone: older origins lack some tools altogether. */
  readonly existsAt: (school: School) => boolean
  /** As this caller sees it, by their scopes alone; undefined if they do not. */
  readonly wireFor: (caller: Caller | undefined) => WireTool | undefined
  /** Every scope that this call needs of this caller, or undefined if nobody has to be signed in. */
  readonly needs: (given: unknown, caller: Caller | undefined) => ScopeSet | undefined
  readonly run: (call: ToolCall, given: unknown) => Promise<object>
}

/** Told to the model, which may then do better: what went wrong and what to do next. */
export class ToolProblem extends Error {
  override readonly name = 'ToolProblem'
}

/** A tool for everybody, signed in or not. */
export function publicTool<I extends z.ZodObject, O extends z.ZodObject>(
  tool: ToolDescription<I, O> & {
    readonly run: (call: ToolCall, input: z.output<I>) => Promise<z.input<O>>
  },
): Tool {
  const wire = wireTool(tool)
  return {
    name: tool.name,
    existsAt: everywhere,
    wireFor: () => wire,
    needs: () => undefined,
    run: async (call, given) => await tool.run(call, parseInput(tool.input, given)),
  }
}

/** A tool for whoever holds its scopes; checked here once more, whatever was checked before. */
export function scopedTool<I extends z.ZodObject, O extends z.ZodObject>(
  tool: ToolDescription<I, O> & {
    readonly scopes: readonly string[]
    readonly existsAt?: (school: School) => boolean
    readonly run: (call: SignedInCall, input: z.output<I>) => Promise<z.input<O>>
  },
): Tool {
  const needed = ScopeSet.of(tool.scopes)
  const wire = wireTool(tool, needed)
  return {
    name: tool.name,
    existsAt: tool.existsAt ?? everywhere,
    wireFor: (caller) => (caller && needed.isSubsetOf(caller.scopes) ? wire : undefined),
    needs: () => needed,
    run: async (call, given) => {
      const held = signedIn(call, needed)
      return await tool.run(held, parseInput(tool.input, given))
    },
  }
}

export const everywhere = (): boolean => true

export const onNewerOrigins = (school: School): boolean => school.variant === 'newer'

export function signedIn(call: ToolCall, needed: ScopeSet): SignedInCall {
  const { caller } = call
  if (caller === undefined || !needed.isSubsetOf(caller.scopes)) {
    throw new OAuthError('insufficient_scope', `This tool needs the scopes ${needed}.`, {
      scope: needed.toString(),
    })
  }
  return { ...call, caller }
}

export function parseInput<I extends z.ZodObject>(schema: I, given: unknown): z.output<I> {
  const parsed = schema.safeParse(given ?? {})
  if (parsed.success) return parsed.data
  throw new ToolProblem(
    `The arguments do not fit: ${z.prettifyError(parsed.error)}\nRead the tool's input schema and call it again.`,
  )
}
