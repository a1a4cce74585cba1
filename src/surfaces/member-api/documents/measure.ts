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
  type SelectionSetNode,
} from 'graphql/index.js'
import type { PageSizes } from '../connections/define-connection.ts'
import { refusal } from '../refusal.ts'
import { type AccountScope, scopeOf } from '../scopes.ts'
import { type Cost, plus, times } from './cost.ts'
import { type DocumentLimits, overLimit } from './limits.ts'
import { pageSizeOf } from './page-size.ts'

/** The size of an operation with its fragments expanded. */
export interface Measure {
  readonly fields: number
  readonly cost: Cost
  /** The scopes that its root fields declare. */
  readonly scopes: ReadonlySet<AccountScope>
  /** Whether it contains `@skip` or `@include`. */
  readonly isConditional: boolean
}

/** The cost of one SQL statement, in objects. */
const STATEMENT = 10
const USUAL_LENGTH = 10
/** Introspection needs no statement, but its answer is long: few are allowed in one document. */
const INTROSPECTION: Readonly<Record<string, number>> = { __schema: 15_000, __type: 1_500 }

/**
 * Measures every operation of a parsed document, and refuses the document as soon as one exceeds a
 * limit. It runs before validation and compilation, where fragments nested in fragments make a few
 * hundred bytes take seconds. So it must handle invalid documents, and also measure fragments that
 * no operation spreads, because validation checks them.
 */
export function measureOperations(
  schema: GraphQLSchema,
  document: DocumentNode,
  limits: DocumentLimits,
): ReadonlyMap<OperationDefinitionNode, Measure> {
  const walker = new Walker(schema, document, limits)
  const measures = new Map<OperationDefinitionNode, Measure>()
  for (const definition of document.definitions) {
    if (definition.kind === 'OperationDefinition') {
      measures.set(definition, walker.measure(definition))
    }
  }
  walker.measureUnspread()
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
type Names = Map<string, { times: number; readonly below: Names }>

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

  constructor(schema: GraphQLSchema, document: DocumentNode, limits: DocumentLimits) {
    this.#schema = schema
    this.#limits = limits
    for (const definition of document.definitions) {
      if (definition.kind === 'FragmentDefinition') {
        this.#fragments.set(definition.name.value, definition)
      }
    }
  }

  measure(operation: OperationDefinitionNode): Measure {
    const before = this.#fields
    this.#scopes = new Set()
    this.#isConditional = false
    const parent = this.#schema.getRootType(operation.operation)
    // Validation accepts a kind of operation that the schema does not have.
    if (parent === undefined || parent === null) {
      throw refusal(
        'graphql_validation_failed',
        `The Member API has no ${operation.operation} operations: send a query or a mutation.`,
      )
    }
    const cost = this.#selections(operation.selectionSet, { parent, depth: 1, names: new Map() })
    return {
      fields: this.#fields - before,
      cost,
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

  #selections(selectionSet: SelectionSetNode, place: Place): Cost {
    let total: Cost = 0
    for (const selection of selectionSet.selections) {
      if (++this.#fields > this.#limits.fields) {
        throw overLimit('fields', this.#limits.fields, 'Select less, or spread fewer fragments.')
      }
      if ((selection.directives?.length ?? 0) > 0) this.#isConditional = true
      if (selection.kind === 'Field') {
        total = plus(total, this.#field(selection, place))
      } else if (selection.kind === 'InlineFragment') {
        total = plus(total, this.#selections(selection.selectionSet, place))
      } else {
        total = plus(total, this.#expand(selection.name.value, place))
      }
    }
    return total
  }

  /**
   * Validation reports a fragment that spreads itself. An unknown fragment is reported here, because
   * no limit counts unknown fragments, and validation compares those of one place pairwise.
   */
  #expand(name: string, place: Place): Cost {
    const fragment = this.#fragments.get(name)
    if (fragment === undefined) {
      throw refusal('graphql_validation_failed', `Unknown fragment "${name.slice(0, 100)}".`)
    }
    if (this.#entered.has(name)) return 0
    this.#spread.add(name)
    this.#entered.add(name)
    const cost = this.#selections(fragment.selectionSet, place)
    this.#entered.delete(name)
    return cost
  }

  #field(node: FieldNode, place: Place): Cost {
    const names = this.#checkPlace(node, place)
    const field = isObjectType(place.parent) ? place.parent.getFields()[node.name.value] : undefined
    if (place.depth === 1 && field !== undefined) {
      const scope = scopeOf(field)
      if (scope !== undefined) this.#scopes.add(scope)
    }
    const below =
      node.selectionSet &&
      this.#below(node.selectionSet, node, field, {
        depth: place.depth + 1,
        names,
      })
    const introspection = INTROSPECTION[node.name.value]
    if (introspection !== undefined) return introspection
    return field === undefined ? 0 : fieldCost(field, below ?? 0, place.pageSize)
  }

  #below(
    selectionSet: SelectionSetNode,
    node: FieldNode,
    field: GraphQLField<unknown, unknown> | undefined,
    place: Pick<Place, 'depth' | 'names'>,
  ): Cost {
    const sizes = field && pageSizesOf(field)
    return this.#selections(selectionSet, {
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
    const seen = names.get(name) ?? { times: 0, below: new Map() }
    names.set(name, seen)
    if (++seen.times > limits.repeats) {
      throw overLimit('repeats', limits.repeats, `Select ${name.slice(0, 50)} once in each place.`)
    }
    return seen.below
  }
}

function pageSizesOf(field: GraphQLField<unknown, unknown>): PageSizes | undefined {
  return field.extensions.pageSizes as PageSizes | undefined
}

/** A scalar costs nothing, an object one, a list its usual length. */
function fieldCost(
  field: GraphQLField<unknown, unknown>,
  below: Cost,
  pageSize: Cost | undefined,
): Cost {
  const { cost, usualLength } = field.extensions
  const own = typeof cost === 'number' ? cost : 0
  if (isLeafType(getNamedType(field.type))) return own
  if (pageSizesOf(field) !== undefined || scopeOf(field) === 'account:write') {
    return plus(STATEMENT + own, below)
  }
  const each = plus(1, below)
  if (!isListType(getNullableType(field.type))) return plus(own, each)
  const length = typeof usualLength === 'number' ? usualLength : (pageSize ?? USUAL_LENGTH)
  return plus(own, times(length, each))
}
