import {
  defaultFieldResolver,
  type GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLSchema,
} from 'graphql/index.js'
import type { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import type { MemberContext } from './member-context.ts'
import { refusal } from './refusal.ts'

export const ACCOUNT_SCOPES = ['account:read', 'account:write'] as const
export type AccountScope = (typeof ACCOUNT_SCOPES)[number]

/** Declares the scope of a root field, in its extensions. */
export function needsScope(scope: AccountScope): { readonly scope: AccountScope } {
  return { scope }
}

export function scopeOf(
  field: Pick<GraphQLField<unknown, unknown>, 'extensions'>,
): AccountScope | undefined {
  return ACCOUNT_SCOPES.find((scope) => scope === field.extensions.scope)
}

/**
 * Adds a scope check to every root field. Throws for a root field that declares no scope, so that a
 * new field cannot be served without one.
 */
export function guardRootFields(schema: GraphQLSchema): void {
  for (const root of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(root?.getFields() ?? {})) {
      const scope = scopeOf(field)
      if (scope === undefined) {
        throw new Error(`${root?.name}.${field.name} declares no scope: give it needsScope(...).`)
      }
      field.resolve = guarded(scope, field.resolve ?? defaultFieldResolver)
    }
  }
}

type Resolver = GraphQLFieldResolver<unknown, MemberContext>

function guarded(scope: AccountScope, resolve: Resolver): Resolver {
  return (root, args, context, info) => {
    checkScope(context.caller.scopes, scope)
    return resolve(root, args, context, info)
  }
}

function checkScope(held: ScopeSet, required: AccountScope): void {
  if (!held.has(required)) throw scopeRefusal(required)
}

function scopeRefusal(required: AccountScope): GraphQLError {
  return refusal(
    'insufficient_scope',
    `Insufficient scope: this field requires ${required}, which the access token does not hold. Send the person through the authorization-code flow again with ${required} among the scopes.`,
    { requiredScope: required },
  )
}
