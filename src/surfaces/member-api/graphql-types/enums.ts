import type { Builder } from '../builder.ts'

/** An enum of which every value is explained; the values are spelt as they are stored. */
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
