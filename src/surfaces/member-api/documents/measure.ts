import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql/index.js'
import { type AccountScope, scopeOf } from '../builder.ts'
import type { PageSizes } from '../connections/define-connection.ts'
import { refusal } from '../graphql-refusal.ts'
import {
  type Cost,
  costWith,
  ownPrice,
  pageSizesOf,
  plus,
  takesStatement,
  times,
  type Variables,
} from './count-objects.ts'
import { IntrospectionCosts } from './introspection-cost.ts'
import { type DocumentLimits, overLimit } from './limits.ts'
import { priceOfObject, priceOfReading, type Sizes } from './prices.ts'

/** The size of an operation with its fragments expanded. */
export interface Measure {
  readonly fields: number
  /** Without introspection. */
  readonly cost: Cost
  /** It is known exactly, and is not counted while the operation is executed. */
  readonly introspection: Cost
  readonly sizes: Sizes
  /** The scopes that its root fields declare. */
  readonly scopes: ReadonlySet<AccountScope>
  /** Whether it contains `@skip` or `@include`. */
  readonly isConditional: boolean
}

const USUAL_LENGTH = 10
const INTROSPECTION: ReadonlySet<string> = new Set(['__schema', '__type'])

/**
 * Measures every operation of a parsed document, and refuses the document as soon as one exceeds a
 * limit. It runs before validation and compilation, where fragments nested in fragments make a few
 * hundred bytes take seconds. So it must handle invalid documents, and also measure fragments that
 * no operation spreads, because validation checks them. `pay` gets the price of reading the schema,
 * also if the document is refused.
 */
export function measureOperations(
  schema: GraphQLSchema,
  document: DocumentNode,
  limits: DocumentLimits,
  pay: (units: number) => void,
): ReadonlyMap<OperationDefinitionNode, Measure> {
  const walker = new Walker(schema, document, limits)
  const measures = new Map<OperationDefinitionNode, Measure>()
  try {
    for (const definition of document.definitions) {
      if (definition.kind === 'OperationDefinition') {
        measures.set(definition, walker.measure(definition))
      }
    }
    walker.measureUnspread()
  } finally {
    pay(priceOfReading(walker.introspection.total))
  }
  return measures
}

interface Place {
  readonly parent: GraphQLNamedType | undefined
  readonly depth: number
  /** Nodes per page, for fields directly below a connection. */
  readonly pageSize?: Cost | undefined
  readonly names: Names
}

/**
 * How often each name is selected at one place of the answer, and at the places below it. Fields of
 * one name are merged, so their selections are one place: `a { b b } a { b b }` has four `b` at one
 * place, and validation compares each with each.
 */
type Names = Map<string, Seen>
type Seen = { times: number; readonly below: Names }

/** Fragments are counted under a name that no field can have. */
const SPREAD = '...'

function countAt(names: Names, name: string): Seen {
  const seen = names.get(name) ?? { times: 0, below: new Map() }
  names.set(name, seen)
  seen.times += 1
  return seen
}

/**
 * What selections cost, and how many of them each object of the parent answers without a resolver.
 */
interface Selected {
  readonly cost: Cost
  readonly size: number
}

const NOTHING: Selected = { cost: 0, size: 0 }

class Walker {
  readonly #schema: GraphQLSchema
  readonly #limits: DocumentLimits
  readonly #fragments = new Map<string, FragmentDefinitionNode>()
  readonly #entered = new Set<string>()
  readonly #spread = new Set<string>()
  #fields = 0
  #aliases = 0
  #scopes = new Set<AccountScope>()
  #isConditional = false
  #introspected: FieldNode[] = []
  /** For all operations: a fragment that several spread has the same fields in each. */
  readonly #sizes = new Map<FieldNode, number>()
  readonly introspection: IntrospectionCosts

  constructor(schema: GraphQLSchema, document: DocumentNode, limits: DocumentLimits) {
    this.#schema = schema
    this.#limits = limits
    for (const definition of document.definitions) {
      if (definition.kind === 'FragmentDefinition') {
        this.#fragments.set(definition.name.value, definition)
      }
    }
    this.introspection = new IntrospectionCosts(schema, this.#fragments, limits.cost)
  }

  measure(operation: OperationDefinitionNode): Measure {
    const before = this.#fields
    this.#scopes = new Set()
    this.#isConditional = false
    this.#introspected = []
    const parent = this.#schema.getRootType(operation.operation)
    // Validation accepts a kind of operation that the schema does not have.
    if (parent === undefined || parent === null) {
      throw refusal(
        'graphql_validation_failed',
        `The Member API has no ${operation.operation} operations: send a query or a mutation.`,
      )
    }
    const { cost } = this.#selections(operation.selectionSet, {
      parent,
      depth: 1,
      names: new Map(),
    })
    return {
      fields: this.#fields - before,
      cost,
      introspection: this.introspection.costOf(this.#introspected),
      sizes: this.#sizes,
      scopes: this.#scopes,
      isConditional: this.#isConditional,
    }
  }

  measureUnspread(): void {
    for (const [name, { typeCondition }] of this.#fragments) {
      if (this.#spread.has(name)) continue
      const parent = this.#schema.getType(typeCondition.name.value)
      this.#expand(name, { parent, depth: 1, names: new Map() })
    }
  }

  #selections(selectionSet: SelectionSetNode, place: Place): Selected {
    let cost: Cost = 0
    let size = 0
    for (const selection of selectionSet.selections) {
      if (++this.#fields > this.#limits.fields) {
        throw overLimit('fields', this.#limits.fields, 'Select less, or spread fewer fragments.')
      }
      if ((selection.directives?.length ?? 0) > 0) this.#isConditional = true
      const selected = this.#selection(selection, place)
      cost = plus(cost, selected.cost)
      size += selected.size
    }
    return { cost, size }
  }

  #selection(selection: SelectionNode, place: Place): Selected {
    if (selection.kind === 'Field') return this.#field(selection, place)
    if (selection.kind === 'InlineFragment') return this.#selections(selection.selectionSet, place)
    return this.#expand(selection.name.value, place)
  }

  /**
   * Validation reports a fragment that spreads itself. An unknown fragment is reported here,
   * because no limit counts unknown fragments, and validation compares those of one place pairwise.
   */
  #expand(name: string, place: Place): Selected {
    const fragment = this.#fragments.get(name)
    if (fragment === undefined) {
      throw refusal('graphql_validation_failed', `Unknown fragment "${name.slice(0, 100)}".`)
    }
    if (this.#entered.has(name)) return NOTHING
    if (countAt(place.names, SPREAD).times > this.#limits.spreads) {
      throw overLimit('spreads', this.#limits.spreads, 'Spread fewer fragments in one place.')
    }
    this.#spread.add(name)
    this.#entered.add(name)
    const selected = this.#selections(fragment.selectionSet, place)
    this.#entered.delete(name)
    return selected
  }

  #field(node: FieldNode, place: Place): Selected {
    const names = this.#checkPlace(node, place)
    const field = isObjectType(place.parent) ? place.parent.getFields()[node.name.value] : undefined
    if (place.depth === 1 && field !== undefined) {
      const scope = scopeOf(field)
      if (scope !== undefined) this.#scopes.add(scope)
    }
    const below = this.#below(node, field, { depth: place.depth + 1, names })
    // Anywhere but at the root it is no field, and validation says so.
    if (place.depth === 1 && INTROSPECTION.has(node.name.value)) this.#introspected.push(node)
    if (field === undefined) return { cost: 0, size: 1 }
    this.#sizes.set(node, below.size)
    return {
      cost: fieldCost(field, below, place.pageSize),
      size: field.resolve === undefined ? 1 + below.size : sizeOfResolved(field),
    }
  }

  #below(
    node: FieldNode,
    field: GraphQLField<unknown, unknown> | undefined,
    place: Pick<Place, 'depth' | 'names'>,
  ): Selected {
    if (node.selectionSet === undefined) return NOTHING
    const sizes = field && pageSizesOf(field)
    return this.#selections(node.selectionSet, {
      ...place,
      parent: field && getNamedType(field.type),
      pageSize: sizes && pageSizeOf(node, sizes),
    })
  }

  /** The names at the place below the field; throws if a limit is exceeded. */
  #checkPlace(node: FieldNode, { depth, names }: Place): Names {
    const limits = this.#limits
    if (depth > limits.depth) {
      throw overLimit('depth', limits.depth, 'Nest fewer fields in each other.')
    }
    if (node.alias !== undefined && ++this.#aliases > limits.aliases) {
      throw overLimit('aliases', limits.aliases, 'Send several documents instead.')
    }
    const name = node.alias?.value ?? node.name.value
    const seen = countAt(names, name)
    if (seen.times > limits.repeats) {
      throw overLimit('repeats', limits.repeats, `Select ${name.slice(0, 50)} once in each place.`)
    }
    return seen.below
  }
}

/** Objects with a resolver are counted by themselves. */
function sizeOfResolved(field: GraphQLField<unknown, unknown>): number {
  return isLeafType(getNamedType(field.type)) ? 1 : 0
}

/** A scalar costs nothing, an object one or more by its fields, a list its usual length. */
function fieldCost(
  field: GraphQLField<unknown, unknown>,
  below: Selected,
  pageSize: Cost | undefined,
): Cost {
  const own = ownPrice(field)
  if (isLeafType(getNamedType(field.type))) return own
  if (takesStatement(field)) return plus(own, below.cost)
  const { usualLength } = field.extensions
  const each = plus(priceOfObject(below.size), below.cost)
  if (!isListType(getNullableType(field.type))) return plus(own, each)
  const length = typeof usualLength === 'number' ? usualLength : (pageSize ?? USUAL_LENGTH)
  return plus(own, times(length, each))
}

/** The number of nodes that a connection field asks for. */
function pageSizeOf(node: FieldNode, sizes: PageSizes): Cost {
  const asked = (node.arguments ?? []).flatMap(({ name, value }) =>
    name.value === 'first' || name.value === 'last' ? [askedSize(value)] : [],
  )
  const choose = (variables: Variables): number => {
    const given = asked.map((size) => costWith(size, variables)).filter(Number.isFinite)
    const size = given.length === 0 ? sizes.default : Math.min(...given)
    return Math.min(Math.max(size, 0), sizes.maximum)
  }
  return asked.every((size) => typeof size === 'number') ? choose({}) : choose
}

/** Infinity if the argument was left out. */
function askedSize(value: ValueNode): Cost {
  if (value.kind === 'IntValue') return Number(value.value)
  if (value.kind !== 'Variable') return Number.POSITIVE_INFINITY
  const name = value.name.value
  return (variables) => {
    const given = variables[name]
    return typeof given === 'number' ? given : Number.POSITIVE_INFINITY
  }
}
