import { currencyOf } from '../../../../../foundation/text/currency.ts'

/** Amounts as people type them, `49.00`, and as the wire has them: in the minor unit. */

export function toMajorUnits(amount: number, currency: string): string {
  const digits = digitsOf(currency)
  return (amount / 10 ** digits).toFixed(digits)
}

/** The amount in the minor unit, or undefined if it is no amount of this currency. */
export function toMinorUnits(typed: string, currency: string): number | undefined {
  const digits = digitsOf(currency)
  // Group separators are accepted, and so is the decimal comma of many countries.
  const plain = typed
    .trim()
    .replace(/[\s'’]/g, '')
    .replace(/,(\d{1,2})$/, '.$1')
    .replace(/,(?=\d{3}(?:\D|$))/g, '')
  const [, whole = '', fraction = ''] = /^(\d{1,12})(?:\.(\d+))?$/.exec(plain) ?? []
  if (whole === '' || fraction.length > digits) return undefined
  return Number(whole) * 10 ** digits + Number(fraction.padEnd(digits, '0'))
}

function digitsOf(currency: string): number {
  return /^[A-Z]{3}$/.test(currency) ? currencyOf(currency).digits : 2
}
