import { currencyOf } from '../../../foundation/text/currency.ts'

/** Formats an amount in minor units. 0 is "Free". */
export function formatMoney(amount: number, currency: string): string {
  return amount === 0 ? 'Free' : currencyOf(currency).format(amount)
}

/** "$12.00 a month", or "Free". */
export function formatPriceEach(amount: number, currency: string, interval: string): string {
  const price = formatMoney(amount, currency)
  return amount === 0 ? price : `${price} a ${interval}`
}
