/** Metals, funds and test codes, which have three letters but are not money of a country. */
const NOT_MONEY = /^X(?!AF|OF|PF|CD|CG)/

/** The currencies of ISO 4217 that are in use, with their English names; names of former ones contain years. */
export const CURRENCY_NAMES: readonly (readonly [code: string, name: string])[] = named()

function named() {
  const names = new Intl.DisplayNames('en', { type: 'currency' })
  return Intl.supportedValuesOf('currency')
    .map((code) => [code, names.of(code) ?? code] as const)
    .filter(([code, name]) => !NOT_MONEY.test(code) && !/\d{4}/.test(name))
}
