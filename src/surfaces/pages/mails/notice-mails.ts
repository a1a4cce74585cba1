import { NOT_ME_DAYS } from '../../../domain/people/account-recovery.ts'
import type { AccountNews, NoticedChange } from '../../../domain/people/mail-contents.ts'
import { RESET_MINUTES } from '../../../domain/people/reset-password.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import { NOT_ME_PATH } from '../frame/paths.ts'
import { button, paragraph, schoolUrl } from './mail-page.tsx'
import { dayInWords, placeName, type WordsOfMails, whySender } from './words-of-mails.ts'

/** What a person is told so that a stranger is found out. */
export const noticeMails: WordsOfMails<'account_notice' | 'everything_ended'> = {
  account_notice: ({ what, device, app, place, until, token }, school) => {
    const { subject, sentence, isByOperator } = NOTICES[what]
    const browser = plainText(device)
    return {
      subject,
      blocks: [
        paragraph(
          sentence,
          ...(app === undefined ? [] : [`The app: “${plainText(app, LONGEST_APP)}”.`]),
          ...(browser === '' ? [] : [`The browser: ${browser}.`]),
          ...(until === undefined ? [] : [`The day: ${dayInWords(until, school.timeZone)}.`]),
          ...(isByOperator ? [] : [`It was at ${placeName(place)}.`, ...whySender(school, place)]),
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
}

/** The app chose its name: long enough to know it again, too short for a message to the person. */
const LONGEST_APP = 60

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
  app_connected: {
    subject: 'An app was connected to your account',
    sentence:
      'An app was allowed to use your account for the first time. It keeps its access after a sign-out. “Connected apps” on the account pages of the school shows what it may do, and ends it.',
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
      'The administrator of this server removed the authenticator app of your account, because they were told that you can no longer use it. Now your password alone signs you in. You can set up a new app in the settings of your account.',
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
  factors_lost: {
    subject: 'Your passkeys and your authenticator app will be removed',
    sentence:
      'Someone who gave the password of your account says that its passkeys or its authenticator app are lost. They will be removed, and then the password alone signs in. If you still have one of them, sign in with it, and nothing is removed.',
  },
  factors_kept: {
    subject: 'Your passkeys and your authenticator app stay',
    sentence:
      'The passkeys and the authenticator app of your account were reported as lost. They stay: one of them was used, or the report was taken back.',
  },
  factors_removed: {
    subject: 'Your passkeys and your authenticator app were removed',
    sentence:
      'The passkeys and the authenticator app of your account were removed, because nobody has used them since they were reported as lost.',
  },
}

/** What a mail to the address before a change says. */
export const NEWS_SENTENCES: Readonly<
  Record<AccountNews, Pick<NoticeWords, 'subject' | 'sentence'>>
> = {
  ...NOTICES,
  password_changed: {
    subject: 'The password of your account was changed',
    sentence: 'The password of your account was changed.',
  },
  everything_ended: {
    subject: 'Everything of your account has ended',
    sentence:
      'All browsers and apps of your account were signed out, and its password no longer works.',
  },
  deletion_requested: {
    subject: 'Your account will be deleted',
    sentence: 'Someone who is signed in to your account asked to delete it, at all your schools.',
  },
}
