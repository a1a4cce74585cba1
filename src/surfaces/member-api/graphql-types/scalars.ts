import { type GraphQLScalarLiteralParser, Kind } from 'graphql/index.js'
import type { MeetingState } from '../../../domain/consulting/meetings-of-member.ts'
import type { SchoolVariant } from '../../../domain/schools/school.ts'
import type { Builder } from '../builder.ts'

export const UNIX_TIME = 'UnixTime'

export function defineScalars(builder: Builder): void {
  builder.scalarType(UNIX_TIME, {
    description:
      'A moment as whole seconds since 1970-01-01T00:00:00Z, a JSON number that may exceed 32 bits. As an argument any integer that a JSON number holds exactly, negative ones included; a variable for it may also be declared Int.',
    serialize: (moment) => Math.floor(moment.getTime() / 1000),
    parseValue: unixTime,
    parseLiteral: unixTimeLiteral,
  })
  builder.scalarType('MinorUnits', {
    description:
      'An amount of money in the smallest unit of its currency (ISO 4217): 1050 is 10.50 USD and 1050 JPY. A JSON number without fraction that may exceed 32 bits.',
    serialize: (amount) => amount,
    parseValue: () => {
      throw new TypeError('MinorUnits is only ever answered, never taken.')
    },
  })
}

/** Input stays a number: a variable that is declared Int arrives as one too. */
function unixTime(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    throw new TypeError('Send whole Unix seconds as a JSON number, such as 1767225600.')
  }
  if (!Number.isSafeInteger(value)) {
    const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER } = Number
    throw new RangeError(`Send Unix seconds from ${MIN_SAFE_INTEGER} to ${MAX_SAFE_INTEGER}.`)
  }
  return value
}

/** `1.0` and `1e9` are refused, as for Int. */
const unixTimeLiteral: GraphQLScalarLiteralParser<number> = (node) =>
  unixTime(node.kind === Kind.INT ? Number(node.value) : undefined)

/** An enum with a description for each value. The values are those of the database. */
export function defineEnum<const V extends string>(
  builder: Builder,
  name: string,
  description: string,
  values: Readonly<Record<V, string>>,
) {
  const described = Object.entries<string>(values).map(([value, meaning]) => [
    value,
    { value, description: meaning },
  ])
  return builder.enumType(name, {
    description,
    values: Object.fromEntries(described) as Record<V, { value: V; description: string }>,
  })
}

/**
 * Parts of descriptions that differ on older origins, whose schema does not have all fields that
 * the descriptions point to.
 */
export interface VariantWords {
  /** Where to find what an entitlement does not contain. */
  readonly billing: string
  /** How a list of entitlements differs from a list of purchases. */
  readonly entitlements: string
  /** Comes after "my bookings". */
  readonly bookings: string
  /** What a caller without the scope of `viewer` gets. */
  readonly withoutScope: string
}

const VARIANT_WORDS: Readonly<Record<SchoolVariant, VariantWords>> = {
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

export function variantWords(variant: SchoolVariant): VariantWords {
  return VARIANT_WORDS[variant]
}

export type MeetingStateEnum = ReturnType<typeof defineMeetingState>

export function defineMeetingState(builder: Builder) {
  return defineEnum<MeetingState>(
    builder,
    'ConsultingMeetingState',
    'State of a meeting. Reserving a slot takes a seat but confirms nothing.',
    {
      available:
        'Not confirmed by staff. A slot that a member reserved stays so, and so do the classes of study groups.',
      scheduled: 'Confirmed by staff.',
      canceled:
        'Canceled. It stays in the list of the member who booked it; filter by state to leave it out.',
    },
  )
}
