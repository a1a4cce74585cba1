import { LruCache } from '../cache/lru-cache.ts'

interface Currency {
  /** Digits of the minor unit: 2 for USD, 0 for JPY. */
  readonly digits: number
  /** Writes an amount that is given in the minor unit, with a real minus sign if it is below 0. */
  readonly format: (amount: number) => string
}

/**
 * To make a format takes a hundred times as long as to use it. A school may name any three letters.
 */
const currencies = new LruCache<Currency>(1000)

/**
 * ISO 4217 gives these currencies cents, and amounts are stored in them, but prices have none:
 * NT$1,200. An amount with cents is still written with them.
 */
const WITHOUT_CENTS: ReadonlySet<string> = new Set(['TWD'])

export function currencyOf(code: string): Currency {
  const known = currencies.get(code)
  if (known !== undefined) return known
  const format = new Intl.NumberFormat('en', {
    style: 'currency',
    currency: code,
    trailingZeroDisplay: WITHOUT_CENTS.has(code) ? 'stripIfInteger' : 'auto',
  })
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2
  const made = {
    digits,
    format: (amount: number) => format.format(amount / 10 ** digits).replace('-', '−'),
  }
  currencies.set(code, made, 1)
  return made
}

/** Metals, funds and test codes, which have three letters but are not money of a country. */
const NOT_MONEY = /^X(?!AF|OF|PF|CD|CG)/

/**
 * The currencies of ISO 4217 that are in use, with their English names; names of former ones
 * contain years.
 */
export const CURRENCY_NAMES: readonly (readonly [code: string, name: string])[] = named()

function named() {
  const names = new Intl.DisplayNames('en', { type: 'currency' })
  return Intl.supportedValuesOf('currency')
    .map((code) => [code, names.of(code) ?? code] as const)
    .filter(([code, name]) => !NOT_MONEY.test(code) && !/\d{4}/.test(name))
}
