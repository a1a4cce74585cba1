import { CONFIRM_HOURS, UNDO_DAYS } from '../../../domain/people/email-change/email-change.ts'
import { INVITATION_DAYS } from '../../../domain/people/invitations/invitation-link.ts'
import type {
  ContentKind,
  MailContents,
  NamedSchool,
} from '../../../domain/people/mails/mail-contents.ts'
import type { NoticedChange } from '../../../domain/people/mails/queued-kinds.ts'
import { NOT_ME_DAYS } from '../../../domain/people/not-me-link.ts'
import { RESET_MINUTES } from '../../../domain/people/reset-password.ts'
import { SIGN_UP_MINUTES } from '../../../domain/people/sign-up/sign-up-link.ts'
import { plainText } from '../../../foundation/html/plain-text.ts'
import { SETTINGS_PATH } from '../views/account-paths.ts'
import { INVITATION_PATH } from '../views/invitation.tsx'
import { NOT_ME_PATH } from '../views/not-me.tsx'
import {
  button,
  links,
  type MailBlock,
  type MailWords,
  paragraph,
  type SchoolUrl,
  schoolUrl,
} from './mail-blocks.ts'

/** The school that sends. */
interface Sender {
  /** Plain text, never empty. */
  readonly name: string
  readonly origin: string
  readonly timeZone: string
}

type WordsOf<K extends ContentKind> = (content: MailContents[K], school: Sender) => MailWords

/** Where a person with an account asks for a new password. */
const forgottenAt = (schools: readonly NamedSchool[]): MailBlock =>
  links(
    schools.map(({ name, origin }) => ({
      label: plainText(name) || 'A school',
      url: schoolUrl(origin, '/forgotten-password'),
    })),
  )

const changeUrl = ({ origin }: Sender, link: string): SchoolUrl =>
  schoolUrl(origin, '/email-change', { link })

const NOT_ASKED = 'If you did not ask for it, ignore this email. Your password stays the same.'

export const MAIL_WORDS: { readonly [K in ContentKind]: WordsOf<K> } = {
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
              'The operator of this server can set a new one: schoolgate user password',
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
  account_notice: ({ what, device, isHere, token }, school) => {
    const { subject, sentence, isByOperator } = NOTICES[what]
    const place = isHere ? `It was at ${school.name}.` : 'It was at another school on this server.'
    const browser = plainText(device)
    return {
      subject,
      blocks: [
        paragraph(
          sentence,
          ...(browser === '' ? [] : [`The browser: ${browser}.`]),
          ...(isByOperator ? [] : [place]),
        ),
        paragraph(
          `If ${isByOperator ? 'you asked for it' : 'that was you'}, there is nothing to do.`,
        ),
        paragraph(
          `If ${isByOperator ? 'you did not ask for it' : 'it was not you'}, end everything at once. The link works once, within ${NOT_ME_DAYS} days.`,
        ),
        button('It was not me', schoolUrl(school.origin, NOT_ME_PATH, { token })),
      ],
    }
  },
  everything_ended: ({ token }, school) => ({
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
  }),
  deletion_requested: ({ part, dueAt }, school) => ({
    subject: part === 'account' ? 'Your account will be deleted' : `${school.name} will forget you`,
    blocks: [
      paragraph(
        part === 'account'
          ? 'You asked to delete your whole account, at all your schools.'
          : `You asked to delete what ${school.name} knows of you.`,
        `It will be done on ${dayInWords(dueAt, school.timeZone)}. Until then you can change your mind.`,
      ),
      button('See it or cancel it', schoolUrl(school.origin, SETTINGS_PATH)),
      paragraph('If that was not you, cancel it there and change your password at once.'),
    ],
  }),
  deleted: ({ part }, school) => ({
    subject: part === 'account' ? 'Your account was deleted' : `${school.name} has forgotten you`,
    blocks: [
      paragraph(
        part === 'account'
          ? 'As you asked, your account was deleted, at all your schools.'
          : `As you asked, ${school.name} deleted what it knew of you.`,
        'Orders, payments and invoices stay in the books, without your name.',
      ),
    ],
  }),
  sign_up_link: ({ link }, school) => ({
    subject: `Make your account at ${school.name}`,
    blocks: [
      paragraph(
        `Someone wants to make an account with this email address at ${school.name}.`,
        `If that was you, open this link within ${SIGN_UP_MINUTES} minutes and choose a password.`,
      ),
      button('Make your account', schoolUrl(school.origin, '/sign-up/finish', { link })),
      paragraph('If it was not you, ignore this email. No account is made.'),
    ],
  }),
  sign_up_known: ({ hasRoleHere, schools }, school) => ({
    subject: `You already have an account for ${school.name}`,
    blocks: [
      paragraph(
        `Someone wants to make an account with this email address at ${school.name}.`,
        hasRoleHere
          ? 'You already have one. If that was you, sign in with it.'
          : 'You already have one, from another school on the same server. If that was you, sign in with it; then you can join.',
      ),
      button(
        'Sign in',
        schoolUrl(school.origin, '/sign-in', hasRoleHere ? {} : { return_to: '/sign-up' }),
      ),
      ...(schools.length === 0
        ? []
        : [
            paragraph('If you forgot your password, ask for a new one here:'),
            forgottenAt(schools),
          ]),
      paragraph('If it was not you, ignore this email. Nothing was changed.'),
    ],
  }),
  invitation: ({ link, hasCredential }, school) => ({
    subject: `${school.name} invites you`,
    blocks: [
      paragraph(
        `${school.name} has added you with this email address.`,
        hasCredential
          ? 'You already have an account with it. Sign in with that.'
          : `Open this link within ${INVITATION_DAYS} days and choose a password.`,
      ),
      button(
        hasCredential ? 'Sign in' : 'Choose a password',
        schoolUrl(school.origin, INVITATION_PATH, { link }),
      ),
      paragraph('If you do not know this school, ignore this email.'),
    ],
  }),
  email_change_old: ({ link }, school) => ({
    subject: 'Change the email address of your account?',
    blocks: [
      paragraph(
        `Someone who is signed in to your account at ${school.name} wants to give it another email address.`,
        `If that was you, agree within ${CONFIRM_HOURS} hours. We have asked the new address too.`,
      ),
      button('Agree or stop the change', changeUrl(school, link)),
      paragraph(
        'If it was not you, stop the change with the same link, and set a new password at once:',
      ),
      links([{ label: 'New password', url: schoolUrl(school.origin, '/forgotten-password') }]),
    ],
  }),
  email_change_new: ({ link }, school) => ({
    subject: `Use this email address for your account at ${school.name}?`,
    blocks: [
      paragraph(
        `Someone wants to use this email address for their account at ${school.name}.`,
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
  email_changed: ({ link }, school) => ({
    subject: 'Your email address was changed',
    blocks: [
      paragraph(
        `Your account at ${school.name} has another email address now, at all your schools. This one no longer signs in.`,
      ),
      paragraph(
        `If that was not you, undo it within ${UNDO_DAYS} days. Then everybody is signed out, and we send you a link for a new password.`,
      ),
      button('Undo the change', changeUrl(school, link)),
    ],
  }),
  email_set: (_content, school) => ({
    subject: 'Your email address was changed',
    blocks: [
      paragraph(
        `The operator of this server gave your account at ${school.name} another email address. This one no longer signs in.`,
        `If nobody asked for it on your behalf, tell ${school.name} at once.`,
      ),
    ],
  }),
}

interface NoticeWords {
  readonly subject: string
  readonly sentence: string
  /** The operator of the installation did it. */
  readonly isByOperator?: boolean
}

const NOTICES: Readonly<Record<NoticedChange, NoticeWords>> = {
  new_browser: {
    subject: 'New sign-in to your account',
    sentence: 'Your account was used with a browser that is new.',
  },
  passkey_added: {
    subject: 'A passkey was added to your account',
    sentence: 'A passkey was added to your account. It signs in without your password.',
  },
  passkey_removed: {
    subject: 'A passkey of your account was removed',
    sentence: 'A passkey of your account was removed.',
  },
  factor_added: {
    subject: 'A second factor was added to your account',
    sentence: 'An authenticator app was added to your account. Its codes are asked for at sign-in.',
  },
  factor_removed: {
    subject: 'The second factor of your account was removed',
    sentence: 'Your account no longer asks for the code of an authenticator app.',
  },
  factor_reset: {
    subject: 'You no longer need a code to sign in',
    sentence:
      'The people who run this server removed the authenticator app of your account, because they were told that you can no longer use it. Now your password alone signs you in. You can set up a new app in the settings of your account.',
    isByOperator: true,
  },
  recovery_code_used: {
    subject: 'A recovery code of your account was used',
    sentence: 'Someone signed in to your account with one of its recovery codes.',
  },
  recovery_codes_replaced: {
    subject: 'Your account has new recovery codes',
    sentence: 'New recovery codes were made for your account. The old ones no longer work.',
  },
}

/** The day on the clocks of the school, as its pages show it. */
function dayInWords(day: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone }).format(day)
}
