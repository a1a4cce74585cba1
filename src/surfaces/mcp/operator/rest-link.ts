import { type Operation, restUrl } from '../../../domain/operation/operation.ts'
import type { School } from '../../../domain/schools/school.ts'

/** Where the REST API has the object that an operation answered; null for lists and figures. */
export function restUrlOf(
  { origin }: School,
  { restPath }: Operation,
  { id }: Record<string, unknown>,
): string | null {
  return restPath === undefined ? null : restUrl(origin, restPath, String(id))
}
