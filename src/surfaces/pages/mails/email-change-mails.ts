import { CONFIRM_HOURS, UNDO_DAYS } from '../../../domain/people/email-change/email-change.ts'
import { button, links, paragraph, type SchoolUrl, schoolUrl } from './mail-blocks.ts'
import { NEWS_SENTENCES } from './notice-mails.ts'
import { placeName, type Sender, type WordsOfMails, whySender } from './words-of-mails.ts'

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
