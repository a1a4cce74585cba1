import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import { schoolsSignedInAt } from '../mail-recipient.ts'
import { mintResetLink, RESET_MINUTES } from '../reset-link.ts'
import { linkMailCounter, MAIL_MINUTES, schoolMailCounter } from '../sign-in-counters.ts'
import { defineMail, HOUR, nothing } from './define-mail.ts'
import {
  button,
  forgottenAt,
  type MailWords,
  paragraph,
  type Sender,
  schoolUrl,
} from './mail-words.ts'

const NOT_ASKED = 'If you did not ask for it, ignore this email. Your password stays the same.'

/**
 * If the person has signed in here, or has neither password nor passkey anywhere: a link that sets
 * the password. Otherwise: the names of the schools where they have signed in, whose pages send
 * such links.
 */
export const forgottenPasswordMail = defineMail({
  kind: 'forgotten_password',
  facts: nothing,
  keepMinutes: HOUR,
  to: 'member',
  limits: (key, { db, account: { userId, passwordChangedAt } }) => [
    {
      limit: linkMailCounter(key, db.schoolId, userId, passwordChangedAt),
      minutes: MAIL_MINUTES,
      above: 'none',
    },
    // Strangers can ask for it.
    { limit: schoolMailCounter(key, db.schoolId), minutes: 60, above: 'school_limit' },
  ],
  async write({ db, school, account: { userId } }) {
    const token = await mintResetLink(db, userId)
    if (token === undefined) return await resetElsewhere(db, school, userId)
    return {
      subject: `Set a new password for ${school.name}`,
      blocks: [
        paragraph(
          `You asked for a new password at ${school.name}.`,
          `Open this link within ${RESET_MINUTES} minutes to choose one. It works once.`,
        ),
        button('Choose a new password', schoolUrl(school.origin, '/reset-password', { token })),
        paragraph(NOT_ASKED),
      ],
    }
  },
})

async function resetElsewhere(db: SchoolDb, school: Sender, userId: string): Promise<MailWords> {
  const schools = await schoolsSignedInAt(db, userId)
  return {
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
  }
}

export const passwordChangedMail = defineMail({
  kind: 'password_changed',
  facts: nothing,
  keepMinutes: HOUR,
  to: 'member',
  write: async ({ school }) => ({
    subject: 'Your password was changed',
    blocks: [
      paragraph(
        `The password of your account at ${school.name} was changed.`,
        'It is the same at all your schools, and you were signed out everywhere else.',
      ),
      ...notYou(school),
    ],
  }),
})

/** An account that a school made has become the person's. */
export const firstPasswordMail = defineMail({
  kind: 'first_password',
  facts: nothing,
  keepMinutes: HOUR,
  to: 'member',
  write: async ({ school }) => ({
    subject: 'Your account is ready',
    blocks: [
      paragraph(
        'You chose a password for your account with this email address.',
        'It is the same at all your schools on this server.',
      ),
      ...notYou(school),
    ],
  }),
})

const notYou = (school: Sender) => [
  paragraph('If that was not you, set a new one at once.'),
  button('Set a new password', schoolUrl(school.origin, '/forgotten-password')),
]

export const everythingEndedMail = defineMail({
  kind: 'everything_ended',
  facts: nothing,
  keepMinutes: 24 * HOUR,
  to: 'member',
  async write({ db, school, account: { userId } }) {
    const token = await mintResetLink(db, userId)
    if (token === undefined) return await resetElsewhere(db, school, userId)
    return {
      subject: 'Everything of your account has ended',
      blocks: [
        paragraph(
          'You were signed out everywhere, all apps were disconnected, and your password no longer works.',
          `Open this link within ${RESET_MINUTES} minutes to choose a new one. It works once.`,
        ),
        button('Choose a new password', schoolUrl(school.origin, '/reset-password', { token })),
        paragraph(
          'Too late?',
          'Ask for a new link with “Forgot your password?” on the sign-in page.',
        ),
      ],
    }
  },
})
