import { z } from 'zod'
import { isSchemaNoise } from '../../foundation/json/json-walk.ts'
import type { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import { MAX_CHARACTERS } from './long-answer.ts'

/**
 * All four hints, because the protocol's own defaults call every tool destructive and open-ended.
 */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

export interface ToolDescription<
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodObject = z.ZodObject,
> {
  readonly name: string
  readonly title: string
  /** For the model that chooses: what it gives, and what it changes. */
  readonly description: string
  readonly annotations: ToolAnnotations
  readonly input: I
  readonly output: O
}

type ObjectSchema = { readonly type: 'object'; readonly [key: string]: unknown }

/** A tool as `tools/list` shows it. */
export interface WireTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
  readonly annotations: ToolAnnotations & { readonly title: string }
  /**
   * By which some clients decide when to offer a login; the protocol itself has no word for it.
   * Some read the top level, others `_meta`.
   */
  readonly securitySchemes: readonly SecurityScheme[]
  readonly _meta: {
    readonly securitySchemes: readonly SecurityScheme[]
    /**
     * Without it Claude Code moves answers of more than 50,000 characters out of the conversation,
     * into a file.
     */
    readonly 'anthropic/maxResultSizeChars'?: number
  }
}

type SecurityScheme =
  | { readonly type: 'noauth' }
  | { readonly type: 'oauth2'; readonly scopes: readonly string[] }

/** Converting schemas costs more than the rest of a request, so callers keep the result. */
export function wireTool(tool: ToolDescription, needed?: ScopeSet): WireTool {
  const securitySchemes: readonly SecurityScheme[] = [
    needed === undefined ? { type: 'noauth' } : { type: 'oauth2', scopes: needed.toArray() },
  ]
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: jsonSchema(tool.input, 'input'),
    outputSchema: jsonSchema(tool.output, 'output'),
    annotations: { title: tool.title, ...tool.annotations },
    securitySchemes,
    _meta: { securitySchemes, ...(isLong(tool) ? LONG : {}) },
  }
}

const LONG = { 'anthropic/maxResultSizeChars': MAX_CHARACTERS }

/**
 * Whether it reads as much as its caller allows. The answer of a change is short, and the list of
 * tools must stay so.
 */
const isLong = ({ input, annotations }: ToolDescription): boolean =>
  annotations.readOnlyHint && 'max_characters' in input.shape

/** In the protocol's default dialect, JSON Schema 2020-12, without what only costs the reader. */
function jsonSchema(schema: z.ZodObject, io: 'input' | 'output'): ObjectSchema {
  const { $schema, ...whole } = z.toJSONSchema(schema, { target: 'draft-2020-12', io })
  return { ...(tidy(whole) as object), type: 'object' }
}

function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name, member]) => !isNoise(name, member, value))
  return Object.fromEntries(kept.map(([name, member]) => [name, tidy(member)]))
}

function isNoise(name: string, member: unknown, schema: object): boolean {
  // What refuses control characters and empty lines: many in each list, and no model sends them.
  if (name === 'allOf' && Array.isArray(member)) return member.every(isPattern)
  return isSchemaNoise(name, member, schema)
}

const isPattern = (schema: object): boolean => Object.keys(schema).join() === 'pattern'
