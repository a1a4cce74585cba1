import SchemaBuilder, { type ObjectRef } from '@pothos/core'
import type { MemberContext } from './member-context.ts'

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
