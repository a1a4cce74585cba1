import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { currencyOf } from '../../foundation/text/currency.ts'
import { notify } from '../notifications/notify.ts'
import { text } from '../operation/fields.ts'

/** What the member reads besides the facts; shown as plain text. */
export const message = text(0, 1000).default('').meta({ description: 'Added to the notification.' })

export function formatted(amount: number, { currency }: { readonly currency: string }): string {
  return currencyOf(currency).format(amount)
}

/** Facts in a notification, and below them what the operator wrote. */
export function withWords(facts: string, words: string): string {
  return words.trim() === '' ? facts : `${facts}\n\n${words.trim()}`
}

/** An entry in the inbox of the member who pays. */
export async function tellPayer(
  tx: SchoolTx,
  { member_id }: { readonly member_id: string },
  told: { readonly kind: string; readonly title: string; readonly body: string },
): Promise<void> {
  await notify(tx, 'payments', [member_id], { ...told, url: '/account' })
}
