import { z } from 'zod'
import { isSchemaNoise } from '../../foundation/json/json-walk.ts'

export type JsonSchema = Record<string, unknown>

/** Schemas by the names that `$ref` uses. */
export type Components = Map<string, JsonSchema>

/**
 * Converts a Zod schema for OpenAPI. Named parts move into `components`, and `$ref` points to them.
 *
 * @see OpenAPI 3.1 §4.8.24
 */
export function jsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  components: Components,
): JsonSchema {
  const { $defs = {}, ...rest } = z.toJSONSchema(schema, { io, reused: 'inline' }) as JsonSchema
  for (const [name, part] of Object.entries($defs as Record<string, JsonSchema>)) {
    components.set(name, tidy(part) as JsonSchema)
  }
  const named = schema.meta()?.id
  if (named === undefined) return tidy(rest) as JsonSchema
  // A named schema that refers to itself is already among its own definitions.
  if (!components.has(named)) components.set(named, tidy(rest) as JsonSchema)
  return { $ref: `#/components/schemas/${named}` }
}

function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name, member]) => !isNoise(name, member, value))
  return Object.fromEntries(
    kept.map(([name, member]) =>
      name === '$ref' ? [name, componentOf(String(member))] : [name, tidy(member)],
    ),
  )
}

function isNoise(name: string, member: unknown, schema: object): boolean {
  if (name === '$schema' || name === 'id') return typeof member === 'string'
  return isSchemaNoise(name, member, schema)
}

function componentOf(reference: string): string {
  return reference.replace('#/$defs/', '#/components/schemas/')
}
