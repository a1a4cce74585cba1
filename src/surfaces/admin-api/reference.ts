import type { z } from 'zod'
import { API_ROOT } from '../../domain/operation/operation.ts'
import { type JsonSchema, jsonSchema } from './json-schema.ts'
import { RESOURCE_NOTES } from './resource-notes.ts'
import { type DescribedRoute, planOf, resourceOf } from './route.ts'

/** Describes routes for the pages of the reference. */

export interface DescribedField {
  readonly name: string
  readonly place: 'path' | 'query' | 'body'
  readonly type: string
  readonly note: string
  readonly required: boolean
}

export function sortedResources(
  routes: readonly DescribedRoute[],
): readonly { name: string; title: string; note: string; count: number }[] {
  const names = [...new Set(routes.map(resourceOf))].sort()
  return names.map((name) => ({
    name,
    title: `${name[0]?.toUpperCase() ?? ''}${name.slice(1).replaceAll('_', ' ')}`,
    note: RESOURCE_NOTES[name] ?? '',
    count: routes.filter((route) => resourceOf(route) === name).length,
  }))
}

export function describeInput(route: DescribedRoute): readonly DescribedField[] {
  const plan = planOf(route)
  const places = [
    ...plan.path.map((name) => ({ name, place: 'path' as const })),
    ...Object.keys(plan.query).map((name) => ({ name, place: 'query' as const })),
    ...plan.body.map((name) => ({ name, place: 'body' as const })),
  ]
  return places.map(({ name, place }) => {
    const field = route.operation.input.shape[name] as z.ZodType
    const schema = jsonSchema(field, 'input', new Map())
    return {
      name,
      place,
      type: typeOf(schema),
      note: typeof schema.description === 'string' ? schema.description.replaceAll('`', '') : '',
      required: !field.safeParse(undefined).success,
    }
  })
}

function typeOf(schema: JsonSchema): string {
  if (Array.isArray(schema.enum)) return schema.enum.join(' or ')
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.type === 'array') return `list of ${typeOf((schema.items ?? {}) as JsonSchema)}`
  if (schema.type === 'string' && schema.format !== undefined) return String(schema.format)
  return String(schema.type ?? 'object')
}

/** The operation's first example as a command line. */
export function exampleCall(route: DescribedRoute, origin: string): string {
  const example = route.operation.examples[0]?.input ?? {}
  const plan = planOf(route)
  const path = route.path.replace(/\{([a-z_]+)\}/g, (_match, name) => String(example[name] ?? ''))
  const query = new URLSearchParams(
    Object.keys(plan.query)
      .filter((name) => example[name] !== undefined)
      .map((name) => [name, String(example[name])]),
  )
  const address = `${origin}${API_ROOT}${path}${query.size === 0 ? '' : `?${query}`}`
  const body = Object.fromEntries(
    Object.entries(example).filter(([name]) => plan.body.includes(name)),
  )
  const parts = [
    `curl ${route.method === 'GET' ? '' : `-X ${route.method} `}'${address}'`,
    `  -H "Authorization: Bearer $ACCESS_TOKEN"`,
    ...(route.fileWith === undefined ? [] : sentFile(route, example)),
    ...(route.rows !== undefined && route.method === 'GET' ? [`  -o ${route.rows.file}`] : []),
    ...(Object.keys(body).length === 0
      ? []
      : [`  -H 'Content-Type: application/json'`, `  -d '${JSON.stringify(body)}'`]),
  ]
  return parts.join(' \\\n')
}

function sentFile(
  { rows }: DescribedRoute,
  example: Readonly<Record<string, unknown>>,
): readonly string[] {
  if (rows === undefined) return [`  --data-binary @${example.name}`]
  return [`  -H 'Content-Type: text/csv'`, `  --data-binary @${rows.file}`]
}
