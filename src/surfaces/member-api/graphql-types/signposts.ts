import type { SchoolVariant } from '../../../domain/schools/school.ts'

/**
 * Parts of descriptions that differ on older origins, whose schema does not have all fields that the
 * descriptions point to.
 */
export interface Signposts {
  /** Where to find what an entitlement does not contain. */
  readonly billing: string
  /** How a list of entitlements differs from a list of purchases. */
  readonly entitlements: string
  /** Comes after "my bookings". */
  readonly bookings: string
  /** What a caller without the scope of `viewer` gets. */
  readonly withoutScope: string
}

const SIGNPOSTS: Readonly<Record<SchoolVariant, Signposts>> = {
  newer: {
    billing: 'It carries no order, coupon, refund or invoice: see payments.',
    entitlements: 'A list of entitlements: for what was paid, see payments.',
    bookings: 'which are consultingMeetings of viewer',
    withoutScope: 'null, with an error that says so, if the token lacks it',
  },
  older: {
    billing:
      'It carries no order, coupon, refund or invoice, and this origin has no field for them.',
    entitlements: 'A list of entitlements: this origin does not say what was paid.',
    bookings: 'which this origin does not have',
    withoutScope: 'if the token lacks it, the whole document is refused with 403',
  },
}

export function signpostsOf(variant: SchoolVariant): Signposts {
  return SIGNPOSTS[variant]
}
