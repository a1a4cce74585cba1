import { RESET_MINUTES } from '../../../domain/people/reset-password.ts'
import { button, paragraph, schoolUrl } from './mail-blocks.ts'
import { forgottenAt, type WordsOfMails } from './words-of-mails.ts'

const NOT_ASKED = 'If you did not ask for it, ignore this email. Your password stays the same.'

/** About the password. */
export const passwordMails: WordsOfMails<
  'reset_link' | 'reset_elsewhere' | 'password_changed' | 'first_password'
> = {
  reset_link: ({ token }, school) => ({
    subject: `Set a new password for ${school.name}`,
    blocks: [
      paragraph(
        `You asked for a new password at ${school.name}.`,
        `Open this link within ${RESET_MINUTES} minutes to choose one. It works once.`,
      ),
      button('Choose a new password', schoolUrl(school.origin, '/reset-password', { token })),
      paragraph(NOT_ASKED),
    ],
  }),
  reset_elsewhere: ({ schools }, school) => ({
    subject: `Your password at ${school.name}`,
    blocks: [
      paragraph(
        `You asked for a new password at ${school.name}.`,
        'You already have an account with this email address, with one password for all your schools.',
      ),
      paragraph('If you know it, sign in.'),
      button('Sign in', schoolUrl(school.origin, '/sign-in')),
      ...(schools.length === 0
        ? [
            paragraph(
              'If you do not know it, ask the school that gave it to you.',
              'The administrator of this server can set a new one for you.',
            ),
          ]
        : [
            paragraph(
              'If you forgot it, ask for a new one at a school where you have signed in before:',
            ),
            forgottenAt(schools),
          ]),
      paragraph(NOT_ASKED),
    ],
  }),
  password_changed: (_content, school) => ({
    subject: 'Your password was changed',
    blocks: [
      paragraph(
        `The password of your account at ${school.name} was changed.`,
        'It is the same at all your schools, and you were signed out everywhere else.',
      ),
      paragraph('If that was not you, set a new one at once.'),
      button('Set a new password', schoolUrl(school.origin, '/forgotten-password')),
    ],
  }),
  first_password: (_content, school) => ({
    subject: 'Your account is ready',
    blocks: [
      paragraph(
        'You chose a password for your account with this email address.',
        'It is the same at all your schools on this server.',
      ),
      paragraph('If that was not you, set a new one at once.'),
      button('Set a new password', schoolUrl(school.origin, '/forgotten-password')),
    ],
  }),
}
