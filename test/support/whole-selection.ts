import { type GraphQLField, type GraphQLSchema, getNamedType, isObjectType } from 'graphql/index.js'

type Field = GraphQLField<unknown, unknown>

/** The fields of a type of the schema, by name. */
export function fieldsOf(schema: GraphQLSchema, type: string): readonly Field[] {
  const found = schema.getType(type)
  if (!isObjectType(found)) throw new Error(`${type} has no fields`)
  return Object.values(found.getFields())
}

/** A selection of all fields below a field, without `edges`, which repeat `nodes`. */
export function wholeSelection({ type }: Field): string {
  const named = getNamedType(type)
  if (!isObjectType(named)) return ''
  const below = Object.values(named.getFields()).filter(({ name }) => name !== 'edges')
  return `{ ${below.map((field) => `${field.name} ${wholeSelection(field)}`).join(' ')} }`
}

export function isConnection({ args }: Field): boolean {
  return args.some(({ name }) => name === 'after')
}
