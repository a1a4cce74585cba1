import { RESET_MINUTES, type ResetLetter } from '../../../domain/people/reset-password.ts'
import { plainText } from '../../../foundation/html/plain-text.ts'
import type { Mail } from '../../../foundation/mail/mailer.ts'

/** Names come from people and schools: one plain line each, so that none can add to the letter. */
export function resetLetter(schoolName: string, letter: ResetLetter, link: string): Mail {
  const school = plainText(schoolName) || 'your school'
  return {
    to: letter.to,
    subject: `Set a new password for ${school}`,
    text: [
      `Hello ${plainText(letter.name)},`,
      '',
      `somebody, we hope you, asked for a new password at ${school}.`,
      `Open this within ${RESET_MINUTES} minutes to choose one; it works once:`,
      '',
      link,
      '',
      'If it was not you, do nothing: your password stays as it is.',
      '',
    ].join('\n'),
  }
}
