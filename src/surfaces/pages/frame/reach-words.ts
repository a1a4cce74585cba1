import { MOST_COUNTED, type Reach } from '../../../domain/notifications/reach.ts'
import { countUpTo } from './words.ts'

export const NO_MAIL_WORDS =
  'This server does not send email yet, so members find it only in their inbox.'

/** Whom something reaches, and how. */
export function reachInWords({ people, inbox, email, isQuiet }: Reach, sendsMail: boolean): string {
  if (isQuiet) return 'Your school switched this notification off, so members are not told.'
  if (people === 0) return 'Nobody is told: it concerns no member of the school.'
  const some = (many: number) => countUpTo(many, 'person', 'people', MOST_COUNTED)
  const reached = `It reaches ${some(inbox)} in their inbox`
  return sendsMail ? `${reached} and ${some(email)} by email.` : `${reached}. ${NO_MAIL_WORDS}`
}
