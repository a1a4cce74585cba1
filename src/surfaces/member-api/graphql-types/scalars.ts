import { type GraphQLScalarLiteralParser, Kind } from 'graphql/index.js'
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
