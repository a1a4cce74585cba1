import type { GraphQLField } from 'graphql/index.js'
import type { PageSizes } from '../connections/define-connection.ts'
import { scopeOf } from '../scopes.ts'
import { STATEMENT } from './prices.ts'

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
