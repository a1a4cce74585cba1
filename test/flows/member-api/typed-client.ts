import { initGraphQLTada, type ResultOf, type TadaDocumentNode, type VariablesOf } from 'gql.tada'
import { type DocumentNode, print } from 'graphql/index.js'
import { read } from '../../support/member-api.ts'
import type { TestSchool, World } from '../../support/world.ts'
import type { introspection } from './introspection.generated.ts'

/** Builds documents typed by the schema: an unknown field does not compile. */
export const graphql = initGraphQLTada<{
  introspection: typeof introspection
  scalars: { UnixTime: number; MinorUnits: number }
}>()

// biome-ignore lint/suspicious/noExplicitAny: any result, any variables; ResultOf and VariablesOf tell which
type AnyDocument = TadaDocumentNode<any, any>

/** A minimal client of an integrator. */
export function typedClient(world: World, school: TestSchool, token: string) {
  return <D extends AnyDocument>(document: D, variables: VariablesOf<D>): Promise<ResultOf<D>> =>
    read(world, school, token, print(document as unknown as DocumentNode), variables)
}
