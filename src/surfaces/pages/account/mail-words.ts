import { RESET_MINUTES } from '../../../domain/people/reset-password.ts'
import type { MailFacts } from '../../../domain/people/send-mail.ts'
import { plainText } from '../../../foundation/html/plain-text.ts'
import type { Mail } from '../../../foundation/mail/mailer.ts'

/** People and schools choose their names: each becomes one line of plain text, so a name cannot add lines to the email. */
export function writeMail(facts: MailFacts): Mail {
  const school = plainText(facts.school.name) || 'your school'
  const name = plainText(facts.name ?? '')
  const { subject, lines } = contentOf(facts, school)
  const text = [name === '' ? 'Hello,' : `Hello ${name},`, '', ...lines, ''].join('\n')
  return { to: facts.to, subject, text }
}

function contentOf(facts: MailFacts, school: string): { subject: string; lines: string[] } {
  const { origin } = facts.school
  switch (facts.kind) {
    case 'reset_link':
      return {
        subject: `Set a new password for ${school}`,
        lines: [
          `You asked for a new password at ${school}.`,
          `Open this link within ${RESET_MINUTES} minutes to choose one. It works once:`,
          '',
          `${origin}/reset-password?token=${facts.token}`,
          '',
          'If you did not ask for it, ignore this email. Your password stays the same.',
        ],
      }
    case 'reset_elsewhere':
      return {
        subject: `Your password at ${school}`,
        lines: [
          `You asked for a new password at ${school}.`,
          'You already have an account with this email address, with one password for all your schools.',
          '',
          'If you know it, sign in:',
          `${origin}/sign-in`,
          '',
          ...waysElsewhere(facts.schools),
          '',
          'If you did not ask for it, ignore this email. Your password stays the same.',
        ],
      }
    case 'password_changed':
      return {
        subject: 'Your password was changed',
        lines: [
          `The password of your account at ${school} was changed.`,
          'It is the same at all your schools, and you were signed out everywhere else.',
          '',
          'If that was not you, set a new one at once:',
          `${origin}/forgotten-password`,
        ],
      }
  }
}

function waysElsewhere(schools: readonly { name: string; origin: string }[]): string[] {
  if (schools.length === 0) {
    return [
      'If you do not know it, ask the school that gave it to you.',
      'The operator of this server can set a new one: schoolgate user password',
    ]
  }
  return [
    'If you forgot it, ask for a new one at a school where you have signed in before:',
    ...schools.map(({ name, origin }) => `${plainText(name)}: ${origin}/forgotten-password`),
  ]
}
