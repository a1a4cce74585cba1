import {
  type ASTVisitor,
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  GraphQLInt,
  type GraphQLSchema,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  type TypeNode,
  type ValidationContext,
  type ValidationRule,
  VariablesInAllowedPositionRule,
  validate,
} from 'graphql/index.js'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import { LruCache } from '../../../foundation/cache/lru-cache.ts'
import type { MemberContext } from '../builder.ts'
import { recoded, refusal } from '../graphql-refusal.ts'
import { UNIX_TIME } from '../graphql-types/scalars.ts'
import type { Variables } from './count-objects.ts'
import { type DocumentLimits, overLimit } from './limits.ts'
import { type Measure, measureOperations } from './measure.ts'
import { priceOfCompiling, priceOfDocument } from './prices.ts'

/** The rules of GraphQL, except that a variable declared `Int` may be used as a `UnixTime`. */
const VALIDATION_RULES: readonly ValidationRule[] = specifiedRules.map((rule) =>
  rule === VariablesInAllowedPositionRule ? variablesInAllowedPosition : rule,
)

/**
 * The time bounds of the meeting filter were `Int` in the first release, and documents in use
 * declare their variables so. GraphQL's own rule checks all other uses of variables.
 */
function variablesInAllowedPosition(context: ValidationContext): ASTVisitor {
  const usages: ValidationContext['getRecursiveVariableUsages'] = (operation) => {
    const ints = intVariablesOf(operation)
    return context
      .getRecursiveVariableUsages(operation)
      .filter(({ type, node }) => String(type) !== UNIX_TIME || !ints.has(node.name.value))
  }
  return VariablesInAllowedPositionRule(
    Object.create(context, { getRecursiveVariableUsages: { value: usages } }),
  )
}

function intVariablesOf({ variableDefinitions = [] }: OperationDefinitionNode): Set<string> {
  const ints = variableDefinitions.filter(({ type }) => nameOf(type) === GraphQLInt.name)
  return new Set(ints.map(({ variable }) => variable.name.value))
}

/** The name of a type that is no list. */
function nameOf(type: TypeNode): string | undefined {
  if (type.kind === 'NonNullType') return nameOf(type.type)
  return type.kind === 'NamedType' ? type.name.value : undefined
}

/** The most bytes that the documents of one schema may take, as estimated by `weightOf`. */
const CACHED_BYTES = 64_000_000
/** Compiling time grows with the fields; larger documents are interpreted. */
const COMPILED_FIELDS = 500
const MAX_VALIDATION_ERRORS = 10

/** A document that is refused before execution. */
export class DocumentRefused extends Error {
  readonly errors: readonly GraphQLError[]

  constructor(errors: readonly GraphQLError[]) {
    super('document refused')
    this.errors = errors
  }
}

type Execute = (
  context: MemberContext,
  variables: Variables,
) => ExecutionResult | Promise<ExecutionResult>
type Pay = (units: number) => void

/** An operation of a document that was parsed, measured and validated. */
export interface Operation {
  readonly definition: OperationDefinitionNode
  readonly measure: Measure
  /**
   * Executes. The second execution compiles first, and pays for it; for a document sent once that
   * would not pay off.
   */
  readonly run: (context: MemberContext, variables: Variables, pay: Pay) => ReturnType<Execute>
}

/** The documents of one schema. Each is parsed and validated once while it stays in the cache. */
export class DocumentStore {
  readonly schema: GraphQLSchema
  readonly #limits: DocumentLimits
  readonly #documents = new LruCache<readonly Operation[]>(CACHED_BYTES)

  constructor(schema: GraphQLSchema, limits: DocumentLimits) {
    this.schema = schema
    this.#limits = limits
  }

  /**
   * The operation of a request, or a refusal. `tenant` is the school that sends the document. `pay`
   * gets the price of what is done with a document that is not known yet, also if it is refused.
   */
  load(source: string, operationName: string | undefined, tenant: string, pay: Pay): Operation {
    const operations = this.#documents.get(source) ?? this.#prepare(source, tenant, pay)
    return chooseOperation(operations, operationName)
  }

  #prepare(source: string, tenant: string, pay: Pay): readonly Operation[] {
    if (source.length > this.#limits.length) {
      throw new DocumentRefused([overLimit('length', this.#limits.length, 'Send a shorter one.')])
    }
    const document = parseDocument(source, this.#limits.tokens, pay)
    const measures = refusing(() => measureOperations(this.schema, document, this.#limits, pay))
    const errors = validate(this.schema, document, VALIDATION_RULES, {
      maxErrors: MAX_VALIDATION_ERRORS,
    })
    if (errors.length > 0) {
      throw new DocumentRefused(errors.map((error) => recoded(error, 'graphql_validation_failed')))
    }
    const operations = [...measures].map(([definition, measure]) => ({
      definition,
      measure,
      run: runner(this.schema, document, definition, measure),
    }))
    this.#documents.set(source, operations, weightOf(source, document, operations), tenant)
    return operations
  }
}

/**
 * An estimate of the memory that a document takes, in bytes. Short words parse and compile to a
 * hundred times the length of the text, and a client that sends many such documents must not fill
 * the memory.
 */
function weightOf(
  source: string,
  { tokenCount = source.length }: DocumentNode,
  operations: readonly Operation[],
): number {
  const fields = operations.reduce((sum, { measure }) => sum + measure.fields, 0)
  return 2 * source.length + 400 * tokenCount + 500 * fields
}

function parseDocument(source: string, maxTokens: number, pay: Pay): DocumentNode {
  // Until it is parsed: no token is shorter than a character.
  let tokens = Math.min(source.length, maxTokens)
  try {
    const document = parse(source, { maxTokens })
    tokens = document.tokenCount ?? tokens
    return document
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    if (error.message.includes('tokens. Parsing aborted')) {
      throw new DocumentRefused([overLimit('tokens', maxTokens, 'Send a shorter one.')])
    }
    throw new DocumentRefused([recoded(error, 'graphql_parse_failed')])
  } finally {
    pay(priceOfDocument(tokens, source.length))
  }
}

/** Turns an error for the caller into a refusal of the document. */
export function refusing<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof GraphQLError) throw new DocumentRefused([error])
    throw error
  }
}

function chooseOperation(operations: readonly Operation[], name: string | undefined): Operation {
  const [only] = operations
  if (name === undefined) {
    if (only !== undefined && operations.length === 1) return only
    throw new DocumentRefused([
      refusal(
        'bad_request',
        operations.length === 0
          ? 'The document has no operation: write a query or a mutation.'
          : 'The document has several operations: say which one with operationName.',
      ),
    ])
  }
  const named = operations.find(({ definition }) => definition.name?.value === name)
  if (named !== undefined) return named
  throw new DocumentRefused([
    refusal('bad_request', `The document has no operation called ${name.slice(0, 100)}.`),
  ])
}

function runner(
  schema: GraphQLSchema,
  document: DocumentNode,
  definition: OperationDefinitionNode,
  measure: Measure,
): Operation['run'] {
  const operationName = definition.name?.value
  const interpret: Execute = (contextValue, variableValues) =>
    execute({ schema, document, contextValue, variableValues, operationName })
  let execution = interpret
  let sightings = 0
  return (context, variables, pay) => {
    if (++sightings === 2 && isWorthCompiling(measure)) {
      pay(priceOfCompiling(measure.fields))
      execution = compile(schema, document, operationName) ?? interpret
    }
    return execution(context, variables)
  }
}

/**
 * Documents with conditions are interpreted: graphql-jit loses fields of a fragment that is spread
 * twice under different conditions.
 */
function isWorthCompiling({ fields, isConditional }: Measure): boolean {
  return fields <= COMPILED_FIELDS && !isConditional
}

function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): Execute | undefined {
  const compiled = compileQuery(schema, document, operationName)
  if (!isCompiledQuery(compiled)) return undefined
  return (context, variables) => compiled.query({}, context, variables) as ReturnType<Execute>
}
