import { currencyOf } from '../../../foundation/text/currency.ts'

/** Formats an amount in minor units; 0 is "Free". */
export function formatMoney(amount: number, currency: string): string {
  return amount === 0 ? 'Free' : currencyOf(currency).format(amount)
}
