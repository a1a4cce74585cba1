import type { SchoolVariant } from '../../../domain/schools/school.ts'

/**
 * What descriptions say differently on older origins: they send nobody to fields that the schema does
 * not have.
 */
export interface Signposts {
  /** What an entitlement does not carry. */
  readonly billing: string
  /** What a list of entitlements is not. */
  readonly entitlements: string
  /** Follows "my bookings". */
  readonly bookings: string
  /** What happens to whoever lacks the scope of `viewer`. */
  readonly withoutScope: string
}

const SIGNPOSTS: Readonly<Record<SchoolVariant, Signposts>> = {
  newer: {
    billing: 'It carries no order, coupon, refund or invoice: those are told by payments.',
    entitlements: 'A list of entitlements: for what was paid, see payments.',
    bookings: 'which are consultingMeetings of viewer',
    withoutScope: 'null, with an error that says so, if the token lacks it',
  },
  older: {
    billing: 'It carries no order, coupon, refund or invoice, and nothing else here does.',
    entitlements: 'A list of entitlements: what was paid is not told by this origin.',
    bookings: 'which this origin does not tell',
    withoutScope: 'if the token lacks it, the whole document is refused with 403',
  },
}

export function signpostsOf(variant: SchoolVariant): Signposts {
  return SIGNPOSTS[variant]
}
