import type { Choice } from '../field.ts'

/** The ways to pay. */
export const METHODS: readonly Choice[] = [
  ['credit_card', 'Credit card'],
  ['atm', 'ATM'],
  ['convenience_store', 'Convenience store'],
  ['free', 'Free'],
]

/** How it was paid; undefined before the member chose. */
export function methodOf({ payment_type }: { readonly payment_type: string | null }) {
  return METHODS.find(([value]) => value === payment_type)?.[1]
}

/** A field of the actions that write to the inbox of the buyer. */
export const MESSAGE = {
  name: 'message',
  label: 'Message to the member',
  hint: 'Added to the notification. May be empty.',
  kind: 'text',
} as const
