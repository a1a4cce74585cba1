import {
  __Schema,
  __Type,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql/index.js'
import type { Cost } from './cost.ts'

/** The whole schema, as developer tools ask for it, then costs less than a third of the limit. */
const CHARACTERS_PER_UNIT = 10
/** Quotation marks, colon and comma of a member; brackets and comma of an object. */
const MEMBER_MARKS = 4
const OBJECT_MARKS = 3

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/**
 * What `__schema` or `__type` costs: the length of its answer, which the schema alone decides. Counted on the
 * real schema, and no further than to the limit.
 */
export function introspectionCost(
  schema: GraphQLSchema,
  node: FieldNode,
  fragments: Fragments,
  limit: number,
): Cost {
  const selections = node.selectionSet
  if (selections === undefined) return 0
  const measure = (type: GraphQLObjectType, root: unknown): number => {
    if (root === undefined || root === null) return 0
    const reader = new IntrospectionReader(schema, fragments, limit * CHARACTERS_PER_UNIT)
    reader.read(selections, type, root)
    return Math.ceil(reader.length / CHARACTERS_PER_UNIT)
  }
  if (node.name.value === '__schema') return measure(__Schema, schema)
  const name = node.arguments?.find((argument) => argument.name.value === 'name')?.value
  if (name?.kind === 'StringValue') return measure(__Type, schema.getType(name.value))
  if (name?.kind !== 'Variable') return 0
  const variable = name.name.value
  return (variables) => measure(__Type, schema.getType(String(variables[variable])))
}

class IntrospectionReader {
  readonly #schema: GraphQLSchema
  readonly #fragments: Fragments
  readonly #most: number
  readonly #entered = new Set<string>()
  length = 0

  constructor(schema: GraphQLSchema, fragments: Fragments, most: number) {
    this.#schema = schema
    this.#fragments = fragments
    this.#most = most
  }

  read({ selections }: SelectionSetNode, type: GraphQLObjectType, source: unknown): void {
    for (const selection of selections) {
      if (this.length > this.#most) return
      if (selection.kind === 'Field') this.#field(selection, type, source)
      else if (selection.kind === 'InlineFragment') this.read(selection.selectionSet, type, source)
      else this.#spread(selection.name.value, type, source)
    }
  }

  #spread(name: string, type: GraphQLObjectType, source: unknown): void {
    const fragment = this.#fragments.get(name)
    if (fragment === undefined || this.#entered.has(name)) return
    this.#entered.add(name)
    this.read(fragment.selectionSet, type, source)
    this.#entered.delete(name)
  }

  #field(node: FieldNode, type: GraphQLObjectType, source: unknown): void {
    const name = node.name.value
    this.length += (node.alias ?? node.name).value.length + MEMBER_MARKS
    const field = type.getFields()[name]
    if (field === undefined) {
      // Validation refuses it, unless it is __typename.
      this.length += type.name.length
      return
    }
    const value = this.#valueOf(field, source)
    const below = getNamedType(field.type)
    const objects = isObjectType(below) && node.selectionSet !== undefined ? below : undefined
    for (const one of Array.isArray(value) ? value : [value]) {
      if (this.length > this.#most) return
      this.length += OBJECT_MARKS
      if (one === null || one === undefined) continue
      if (objects === undefined) this.length += String(one).length
      else if (node.selectionSet !== undefined) this.read(node.selectionSet, objects, one)
    }
  }

  /** Deprecated members are counted whether they are asked for or not. */
  #valueOf(field: GraphQLField<unknown, unknown>, source: unknown): unknown {
    const args = { includeDeprecated: true }
    return field.resolve?.(source, args, undefined, { schema: this.#schema } as never)
  }
}
