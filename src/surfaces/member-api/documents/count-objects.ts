import {
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
} from 'graphql/index.js'
import { type MemberContext, scopeOf } from '../builder.ts'
import type { PageSizes } from '../connections/define-connection.ts'
import type { Meter } from './meter.ts'
import { priceOfText, STATEMENT } from './prices.ts'

type Resolver = GraphQLFieldResolver<unknown, MemberContext>

/** How many objects a list field will have, if that can be known before they are made. */
type LengthOf = (source: unknown) => number | Promise<number>

/**
 * Makes every field count what it returns, before the fields below it are resolved. It works in the
 * resolvers, because graphql-js and compiled queries have nothing else in common. An object that is
 * read without a resolver is counted as fields of its parent.
 */
export function countObjects(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) {
      const counting = countingResolver(field)
      if (counting !== undefined) field.resolve = counting
    }
  }
}

function countingResolver(field: GraphQLField<unknown, MemberContext>): Resolver | undefined {
  const { resolve, extensions, name } = field
  const price = ownPrice(field)
  if (isLeafType(getNamedType(field.type))) {
    if (extensions.isLongText === true) return countingText(resolve ?? plainField(name))
    return resolve === undefined || price === 0 ? undefined : paying(price, resolve)
  }
  if (resolve === undefined) return undefined
  if (price > 0) return paying(price, resolve)
  const lengthOf = extensions.lengthOf as LengthOf | undefined
  return lengthOf === undefined ? countingAfter(resolve) : countingBefore(lengthOf, resolve)
}

function plainField(name: string): Resolver {
  return (source) => (source as Readonly<Record<string, unknown>>)[name]
}

function paying(price: number, resolve: Resolver): Resolver {
  return (source, args, context, info) => {
    context.meter.spend(price)
    return resolve(source, args, context, info)
  }
}

function countingBefore(lengthOf: LengthOf, resolve: Resolver): Resolver {
  return (source, args, context, info) => {
    const each = context.meter.priceOf(info.fieldNodes)
    const length = lengthOf(source)
    const go = (known: number): unknown => {
      context.meter.spend(known * each)
      return resolve(source, args, context, info)
    }
    return typeof length === 'number' ? go(length) : length.then(go)
  }
}

function countingAfter(resolve: Resolver): Resolver {
  return (source, args, context, info) => {
    const { meter } = context
    meter.spend(0)
    const each = meter.priceOf(info.fieldNodes)
    const result = resolve(source, args, context, info)
    return result instanceof Promise
      ? result.then((value) => counted(meter, each, value))
      : counted(meter, each, result)
  }
}

function counted(meter: Meter, each: number, value: unknown): unknown {
  if (Array.isArray(value)) meter.spend(value.length * each)
  else if (value !== null && value !== undefined) meter.spend(each)
  return value
}

function countingText(resolve: Resolver): Resolver {
  return (source, args, context, info) => {
    const text = resolve(source, args, context, info)
    if (typeof text === 'string') context.meter.spend(priceOfText(text.length))
    return text
  }
}

/** Values of variables, with defaults filled in. */
export type Variables = Readonly<Record<string, unknown>>

/** A cost that is known from the document, or only with the values of its variables. */
export type Cost = number | ((variables: Variables) => number)

export function costWith(cost: Cost, variables: Variables): number {
  return typeof cost === 'number' ? cost : cost(variables)
}

export function plus(a: Cost, b: Cost): Cost {
  if (typeof a === 'number' && typeof b === 'number') return a + b
  if (a === 0) return b
  if (b === 0) return a
  return (variables) => costWith(a, variables) + costWith(b, variables)
}

export function times(a: Cost, b: Cost): Cost {
  if (typeof a === 'number' && typeof b === 'number') return a * b
  if (a === 0 || b === 0) return 0
  return (variables) => costWith(a, variables) * costWith(b, variables)
}

type Declared = Pick<GraphQLField<unknown, unknown>, 'extensions'>

export function pageSizesOf({ extensions }: Declared): PageSizes | undefined {
  return extensions.pageSizes as PageSizes | undefined
}

/** What a field costs besides its objects: the statement of a connection, a count or a mutation. */
export function ownPrice(field: Declared): number {
  const { cost } = field.extensions
  const own = typeof cost === 'number' ? cost : 0
  return takesStatement(field) ? STATEMENT + own : own
}

/** Connections and mutations cost their statement instead of an object. */
export function takesStatement(field: Declared): boolean {
  return pageSizesOf(field) !== undefined || scopeOf(field) === 'account:write'
}
