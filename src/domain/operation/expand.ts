import { z } from 'zod'
import type { ExpansionName, Resource } from './resource.ts'

function expandField<N extends string>(names: readonly N[]) {
  return z
    .array(z.enum(names))
    .max(10)
    .optional()
    .meta({ description: 'Related objects to include; each also needs its read scope.' })
}

/** The input member `expand`, for resources that have expansions. */
export type ExpandShape<S extends z.ZodObject> = [ExpansionName<S>] extends [never]
  ? Record<never, never>
  : { readonly expand: ReturnType<typeof expandField<ExpansionName<S>>> }

export function expandFields<S extends z.ZodObject>(resource: Resource<S>): ExpandShape<S> {
  const names = Object.keys(resource.expansions ?? {})
  return (names.length === 0 ? {} : { expand: expandField(names) }) as ExpandShape<S>
}

export function expansionScopes(
  { expansions }: Resource,
  names: readonly string[] = [],
): readonly string[] {
  return names.flatMap((name) => expansions?.[name]?.scopes ?? [])
}
