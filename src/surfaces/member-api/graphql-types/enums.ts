import type { Builder } from '../builder.ts'

/** An enum with a description for each value. The values are those of the database. */
export function defineEnum<const V extends string>(
  builder: Builder,
  name: string,
  description: string,
  values: Readonly<Record<V, string>>,
) {
  const described = Object.entries<string>(values).map(([value, meaning]) => [
    value,
    { value, description: meaning },
  ])
  return builder.enumType(name, {
    description,
    values: Object.fromEntries(described) as Record<V, { value: V; description: string }>,
  })
}
