/** Formats an amount in minor units; 0 is "Free". */
export function formatMoney(amount: number, currency: string): string {
  if (amount === 0) return 'Free'
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2
  return format.format(amount / 10 ** digits)
}
