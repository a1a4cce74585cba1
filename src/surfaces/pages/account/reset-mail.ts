import { RESET_MINUTES, type ResetMessage } from '../../../domain/people/reset-password.ts'
import { plainText } from '../../../foundation/html/plain-text.ts'
import type { Mail } from '../../../foundation/mail/mailer.ts'

/** People and schools choose their names: each becomes one line of plain text, so a name cannot add lines to the email. */
export function resetMail(schoolName: string, message: ResetMessage, link: string): Mail {
  const school = plainText(schoolName) || 'your school'
  return {
    to: message.to,
    subject: `Set a new password for ${school}`,
    text: [
      `Hello ${plainText(message.name)},`,
      '',
      `You asked for a new password at ${school}.`,
      `Open this link within ${RESET_MINUTES} minutes to choose one. It works once:`,
      '',
      link,
      '',
      'If you did not ask for it, ignore this email. Your password stays the same.',
      '',
    ].join('\n'),
  }
}
