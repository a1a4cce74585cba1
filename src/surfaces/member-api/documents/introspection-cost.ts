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
  type ValueNode,
} from 'graphql/index.js'
import type { Cost, Variables } from './count-objects.ts'
import { overLimit } from './limits.ts'

/** The whole schema, as developer tools ask for it, then costs less than a third of the limit. */
const CHARACTERS_PER_UNIT = 10
/** Quotation marks, colon and comma of a member; brackets and comma of an object. */
const MEMBER_MARKS = 4
const OBJECT_MARKS = 3
/** A fragment adds nothing to the answer, but takes as long as a short member. */
const SPREAD = 10

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/**
 * What the `__schema` and `__type` fields of a document cost: the length of their answers, which
 * the schema alone decides. Counted on the real schema, before validation, so all of them together
 * have one allowance: the document is refused as soon as they exceed the limit.
 */
export class IntrospectionCosts {
  readonly #schema: GraphQLSchema
  readonly #fragments: Fragments
  readonly #limit: number
  readonly #counted: IntrospectionReader

  constructor(schema: GraphQLSchema, fragments: Fragments, limit: number) {
    this.#schema = schema
    this.#fragments = fragments
    this.#limit = limit
    this.#counted = this.#reader()
  }

  /** The cost of everything that was counted so far. */
  get total(): number {
    return Math.ceil(this.#counted.length / CHARACTERS_PER_UNIT)
  }

  /** The cost of the introspection fields of an operation, once its variables name the types. */
  costOf(nodes: readonly FieldNode[]): Cost {
    const before = this.#counted.length
    for (const node of nodes) {
      if (variableOf(node) === undefined) this.#read(this.#counted, node, {})
    }
    const known = this.#counted.length - before
    const open = nodes.filter((node) => variableOf(node) !== undefined)
    if (open.length === 0) return Math.ceil(known / CHARACTERS_PER_UNIT)
    return (variables) => {
      const reader = this.#reader()
      for (const node of open) this.#read(reader, node, variables)
      return Math.ceil((known + reader.length) / CHARACTERS_PER_UNIT)
    }
  }

  #reader(): IntrospectionReader {
    return new IntrospectionReader(this.#schema, this.#fragments, this.#limit)
  }

  #read(reader: IntrospectionReader, node: FieldNode, variables: Variables): void {
    if (node.selectionSet === undefined) return
    if (node.name.value === '__schema') reader.read(node.selectionSet, __Schema, this.#schema)
    const type = this.#schema.getType(typeNameOf(node, variables))
    if (type !== undefined) reader.read(node.selectionSet, __Type, type)
  }
}

function nameArgument(node: FieldNode): ValueNode | undefined {
  return node.arguments?.find((argument) => argument.name.value === 'name')?.value
}

function variableOf(node: FieldNode): string | undefined {
  const name = nameArgument(node)
  return name?.kind === 'Variable' ? name.name.value : undefined
}

function typeNameOf(node: FieldNode, variables: Variables): string {
  const name = nameArgument(node)
  if (name?.kind === 'StringValue') return name.value
  return name?.kind === 'Variable' ? String(variables[name.name.value]) : ''
}

class IntrospectionReader {
  readonly #schema: GraphQLSchema
  readonly #fragments: Fragments
  readonly #limit: number
  readonly #entered = new Set<string>()
  length = 0

  constructor(schema: GraphQLSchema, fragments: Fragments, limit: number) {
    this.#schema = schema
    this.#fragments = fragments
    this.#limit = limit
  }

  read({ selections }: SelectionSetNode, type: GraphQLObjectType, source: unknown): void {
    for (const selection of selections) {
      if (selection.kind === 'Field') {
        this.#field(selection, type, source)
        continue
      }
      this.#count(SPREAD)
      if (selection.kind === 'InlineFragment') this.read(selection.selectionSet, type, source)
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
    this.#count((node.alias ?? node.name).value.length + MEMBER_MARKS)
    const field = type.getFields()[name]
    if (field === undefined) {
      // Validation refuses it, unless it is __typename.
      this.#count(type.name.length)
      return
    }
    const value = this.#valueOf(field, source)
    const below = getNamedType(field.type)
    const objects = isObjectType(below) && node.selectionSet !== undefined ? below : undefined
    for (const one of Array.isArray(value) ? value : [value]) {
      this.#count(OBJECT_MARKS)
      if (one === null || one === undefined) continue
      if (objects === undefined) this.#count(String(one).length)
      else if (node.selectionSet !== undefined) this.read(node.selectionSet, objects, one)
    }
  }

  #count(characters: number): void {
    this.length += characters
    if (this.length <= this.#limit * CHARACTERS_PER_UNIT) return
    throw overLimit('cost', this.#limit, 'Ask for less of the schema, or under fewer aliases.')
  }

  /** Deprecated members are counted whether they are asked for or not. */
  #valueOf(field: GraphQLField<unknown, unknown>, source: unknown): unknown {
    const args = { includeDeprecated: true }
    return field.resolve?.(source, args, undefined, { schema: this.#schema } as never)
  }
}
