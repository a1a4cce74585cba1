import type { z } from 'zod'
import type { SchoolTx, TenantTable } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor.ts'
import { loadObject, type Resource } from './resource.ts'
import { checkRow, type RowRules } from './row-rules.ts'
import { checkVersion, type Target } from './writing.ts'

type Given<T> = { readonly [K in keyof T]?: T[K] | undefined }

/**
 * Checks the version of an object, locks it, and judges it as it would be after a change. Undefined
 * columns stay unchanged.
 */
export async function checkChange<S extends z.ZodObject>(
  tx: SchoolTx,
  caller: Pick<Actor, 'origin'>,
  resource: Resource<S>,
  rules: RowRules<z.output<S>>,
  [table, target]: readonly [TenantTable, Target & { readonly key: { readonly id: string } }],
  columns: Given<z.output<S>>,
): Promise<void> {
  await checkVersion(tx, table, target)
  const before = await loadObject(tx, caller, resource, target.key.id)
  const given = Object.entries(columns).filter(([, value]) => value !== undefined)
  checkRow(rules, { ...before, ...Object.fromEntries(given) }, before)
}
