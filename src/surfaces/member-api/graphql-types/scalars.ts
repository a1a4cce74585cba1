import type { Builder } from '../builder.ts'

export function defineScalars(builder: Builder): void {
  builder.scalarType('UnixTime', {
    description: 'A moment as whole seconds since 1970-01-01T00:00:00Z, a JSON number.',
    serialize: (moment) => Math.floor(moment.getTime() / 1000),
    parseValue: refuseInput('UnixTime'),
  })
  builder.scalarType('MinorUnits', {
    description:
      'An amount of money in the smallest unit of its currency (ISO 4217): 1050 is 10.50 USD and 1050 JPY. A JSON number without fraction that may exceed 32 bits.',
    serialize: (amount) => amount,
    parseValue: refuseInput('MinorUnits'),
  })
}

function refuseInput(scalar: string): () => never {
  return () => {
    throw new TypeError(`${scalar} is only ever answered, never taken.`)
  }
}
