import SchemaBuilder, { type ObjectRef } from '@pothos/core'
import {
  defaultFieldResolver,
  type GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLSchema,
} from 'graphql/index.js'
import type { Caller } from '../../domain/grants/caller.ts'
import type { SyllabusReader } from '../../domain/learning/syllabus.ts'
import type { Person } from '../../domain/people/person.ts'
import type { School } from '../../domain/schools/school.ts'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import type { Meter } from './documents/meter.ts'
import { refusal } from './graphql-refusal.ts'

interface MemberTypes {
  Context: MemberContext
  DefaultFieldNullability: false
  Scalars: {
    ID: { Input: string; Output: string }
    UnixTime: { Input: number; Output: Date }
    MinorUnits: { Input: never; Output: number }
  }
}

type Types = PothosSchemaTypes.ExtendDefaultTypes<MemberTypes>
export type Builder = PothosSchemaTypes.SchemaBuilder<Types>
export type Ref<T> = ObjectRef<Types, T>

export function createBuilder(): Builder {
  return new SchemaBuilder<MemberTypes>({ defaultFieldNullability: false })
}

/** What resolvers get: the member who asks, the school of the request, and its rows. */
export interface MemberContext {
  readonly caller: Caller
  readonly school: School
  readonly schoolDb: SchoolDb
  /** For the one query that crosses schools: where else the viewer holds a role. */
  readonly db: Db
  /** One for the request, so that aliases of a list share what is read. */
  readonly syllabuses: () => SyllabusReader
  /** Name, email and picture of the viewer; read when a query selects them. */
  readonly profile: () => Promise<Person>
  /** Counts what the query costs, and stops it at the limit. */
  readonly meter: Meter
}

export type Viewer = Caller['person']

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
