import type { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor.ts'
import { loadObject, type Resource } from './resource.ts'
import { checkRow, type RowRules } from './row-rules.ts'

type Given<T> = { readonly [K in keyof T]?: T[K] | undefined }

/** Judges an object as it would be after a change. Undefined columns stay unchanged. */
export async function checkChange<S extends z.ZodObject>(
  tx: SchoolTx,
  caller: Pick<Actor, 'origin'>,
  resource: Resource<S>,
  rules: RowRules<z.output<S>>,
  { id, ...columns }: Given<z.output<S>> & { readonly id: string },
): Promise<void> {
  const before = await loadObject(tx, caller, resource, id)
  const given = Object.entries(columns).filter(([, value]) => value !== undefined)
  checkRow(rules, { ...before, ...Object.fromEntries(given) }, before)
}
