import { CONFIRM_HOURS, UNDO_DAYS } from '../../../domain/people/email-change/email-change.ts'
import { RESET_MINUTES } from '../../../domain/people/reset-password.ts'
import { button, links, paragraph, type SchoolUrl, schoolUrl } from './mail-page.tsx'
import { NEWS_SENTENCES } from './notice-mails.ts'
import {
  forgottenAt,
  placeName,
  type Sender,
  type WordsOfMails,
  whySender,
} from './words-of-mails.ts'

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

const changeUrl = ({ origin }: Sender, link: string): SchoolUrl =>
  schoolUrl(origin, '/email-change', { link })

/** About another email address of the account, to both. */
export const emailChangeMails: WordsOfMails<
  'email_change_old' | 'email_change_new' | 'email_taken' | 'email_changed' | 'email_set'
> = {
  email_change_old: ({ link, asked }, school) => ({
    subject: 'Change the email address of your account?',
    blocks: [
      paragraph(
        `Someone who is signed in to your account at ${placeName(asked)} wants to give it another email address, at all your schools.`,
        `If that was you, agree within ${CONFIRM_HOURS} hours. We have asked the new address too.`,
        ...whySender(school, asked),
      ),
      button('Agree or stop the change', changeUrl(school, link)),
      paragraph(
        'If it was not you, stop the change with the same link, and set a new password at once:',
      ),
      links([{ label: 'New password', url: schoolUrl(school.origin, '/forgotten-password') }]),
    ],
  }),
  email_change_new: ({ link, asked }, school) => ({
    subject: `Use this email address for your account at ${school.name}?`,
    blocks: [
      paragraph(
        `Someone who is signed in at ${placeName(asked)} wants to use this email address for their account at ${school.name}, and at all their schools.`,
        `If that was you, open this link within ${CONFIRM_HOURS} hours. We have asked your old address too.`,
      ),
      button('Use this address', changeUrl(school, link)),
      paragraph('If it was not you, ignore this email.'),
    ],
  }),
  email_taken: (_content, school) => ({
    subject: `Your email address at ${school.name}`,
    blocks: [
      paragraph(
        `Someone wanted to use this email address for another account at ${school.name}.`,
        'There is an account with this address already, so nothing was changed.',
      ),
      paragraph(
        'If that was you, sign in to that account. If it was not you, you need to do nothing.',
      ),
    ],
  }),
  email_changed: ({ link, needsFactor, asked, news }, school) => {
    const subject =
      news === undefined ? 'Your email address was changed' : NEWS_SENTENCES[news].subject
    return {
      subject,
      blocks: [
        ...(news === undefined ? [] : [paragraph(NEWS_SENTENCES[news].sentence)]),
        paragraph(
          `Your account at ${school.name} has another email address now, at all your schools. This one no longer signs in.`,
          `The change was asked for at ${placeName(asked)}.`,
          ...whySender(school, asked),
        ),
        paragraph(
          needsFactor
            ? `It was confirmed with a passkey or a code of your account. If you did not want it, you can undo it within ${UNDO_DAYS} days with the same.`
            : `If that was not you, undo it within ${UNDO_DAYS} days. Then everybody is signed out, and we send you a link for a new password.`,
        ),
        button('Undo the change', changeUrl(school, link)),
      ],
    }
  },
  email_set: (_content, school) => ({
    subject: 'Your email address was changed',
    blocks: [
      paragraph(
        `The administrator of this server gave your account at ${school.name} another email address. This one no longer signs in.`,
        `If nobody asked for it on your behalf, tell ${school.name} at once.`,
      ),
    ],
  }),
}
