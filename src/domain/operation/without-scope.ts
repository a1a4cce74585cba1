import type { z } from 'zod'
import type { WriteOperation } from '../operation.ts'

/**
 * For operations without scopes: people perform them in the admin area and on the command line. Apps
 * cannot, so the reference needs no examples.
 */
export const WITHOUT_SCOPE = { scopes: [], examples: [] } as const

/** A write without scopes. */
export function unscopedWrite<I extends z.ZodObject, O extends z.ZodObject>(
  details: Omit<WriteOperation<I, O>, 'scopes' | 'examples'>,
): WriteOperation<I, O> {
  return { ...WITHOUT_SCOPE, ...details }
}
