import type { Choice, Row } from '../resource.ts'
import { textOf } from '../resource.ts'

/** The ways to pay, as people call them. */
export const METHODS: readonly Choice[] = [
  ['credit_card', 'Credit card'],
  ['atm', 'ATM'],
  ['convenience_store', 'Convenience store'],
  ['free', 'Free'],
]

/** How it was paid; undefined while nobody chose. */
export function methodOf(payment: Row): string | undefined {
  return METHODS.find(([value]) => value === textOf(payment, 'payment_type'))?.[1]
}
