import { z } from 'zod'
import type { Keyring } from '../../../foundation/crypto/seal.ts'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import { id } from '../../operation/fields.ts'
import {
  CONFIRM_HOURS,
  type EmailChange,
  findChange,
  type Mailbox,
  sealChangeLink,
  UNDO_DAYS,
} from '../email-change/email-change.ts'
import { findNamedSchool } from '../mail-recipient.ts'
import { changeMailCounter, newBrowserCounter } from '../sign-in-counters.ts'
import { defineMail, HOUR, nothing } from './define-mail.ts'
import {
  button,
  links,
  type NamedSchool,
  paragraph,
  placeName,
  type SchoolUrl,
  type Sender,
  schoolUrl,
  whySender,
} from './mail-words.ts'
import { NEWS, NEWS_SENTENCES } from './notice-words.ts'

/*
 * About another email address of the account, to both. The row of the change decides, not the
 * account that has the address: the old address belongs to no account after the change. Only a
 * school where the person has signed in has such a row.
 */

const changeFacts = z.strictObject({ change: id })

interface ChangeMail {
  readonly db: SchoolDb
  readonly keyring: Keyring
  readonly school: Sender
  readonly facts: z.output<typeof changeFacts>
}

async function partsOf(
  { db, keyring, school, facts }: ChangeMail,
  mailbox: Mailbox,
  { askedSchoolId }: EmailChange,
): Promise<{ url: SchoolUrl; asked: NamedSchool | undefined }> {
  const link = sealChangeLink(keyring, db.schoolId, { id: facts.change, mailbox })
  return {
    url: schoolUrl(school.origin, '/email-change', { link }),
    asked: await findNamedSchool(db, askedSchoolId ?? db.schoolId),
  }
}

/** To the mailbox of the account: whether it agrees. */
export const oldMailboxMail = defineMail({
  kind: 'email_change_old',
  facts: changeFacts,
  keepMinutes: 12 * HOUR,
  to: 'address',
  async write(mail) {
    const { db, school, facts } = mail
    const change = await findChange(db, { id: facts.change, mailbox: 'old' })
    if (change === undefined || change.isChanged) return 'none'
    const { url, asked } = await partsOf(mail, 'old', change)
    return {
      subject: 'Change the email address of your account?',
      blocks: [
        paragraph(
          `Someone who is signed in to your account at ${placeName(asked)} wants to give it another email address, at all your schools.`,
          `If that was you, agree within ${CONFIRM_HOURS} hours. We have asked the new address too.`,
          ...whySender(school, asked),
        ),
        button('Agree or stop the change', url),
        paragraph(
          'If it was not you, stop the change with the same link, and set a new password at once:',
        ),
        links([{ label: 'New password', url: schoolUrl(school.origin, '/forgotten-password') }]),
      ],
    }
  },
})

/**
 * To the new one: whether it is the person's. If another account has it, its owner is told, without
 * a link.
 */
export const newMailboxMail = defineMail({
  kind: 'email_change_new',
  facts: changeFacts,
  keepMinutes: 12 * HOUR,
  to: 'address',
  limits: (key, { email }) => [
    { limit: changeMailCounter(key, email), minutes: 60, above: 'none' },
  ],
  async write(mail) {
    const { db, school, facts, account } = mail
    const change = await findChange(db, { id: facts.change, mailbox: 'new' })
    if (change === undefined) return 'none'
    if (account !== undefined) {
      return {
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
      }
    }
    const { url, asked } = await partsOf(mail, 'new', change)
    return {
      subject: `Use this email address for your account at ${school.name}?`,
      blocks: [
        paragraph(
          `Someone who is signed in at ${placeName(asked)} wants to use this email address for their account at ${school.name}, and at all their schools.`,
          `If that was you, open this link within ${CONFIRM_HOURS} hours. We have asked your old address too.`,
        ),
        button('Use this address', url),
        paragraph('If it was not you, ignore this email.'),
      ],
    }
  },
})

/**
 * To the old one after the change: how to undo it, and what happens to the account while that is
 * possible.
 */
export const emailChangedMail = defineMail({
  kind: 'email_changed',
  facts: changeFacts.extend({ news: z.enum(NEWS).optional() }),
  keepMinutes: 48 * HOUR,
  to: 'address',
  limits: (key, { facts: { change, news } }) =>
    news === 'new_browser'
      ? [{ limit: newBrowserCounter(key, change), minutes: 60, above: 'none' }]
      : [],
  async write(mail) {
    const { db, school, facts } = mail
    const change = await findChange(db, { id: facts.change, mailbox: 'old' })
    if (change?.isChanged !== true) return 'none'
    const { url, asked } = await partsOf(mail, 'old', change)
    const news = facts.news && NEWS_SENTENCES[facts.news]
    return {
      subject: news?.subject ?? 'Your email address was changed',
      blocks: [
        ...(news === undefined ? [] : [paragraph(news.sentence)]),
        paragraph(
          `Your account at ${school.name} has another email address now, at all your schools. This one no longer signs in.`,
          `The change was asked for at ${placeName(asked)}.`,
          ...whySender(school, asked),
        ),
        paragraph(
          change.needsFactor
            ? `It was confirmed with a passkey or a code of your account. If you did not want it, you can undo it within ${UNDO_DAYS} days with the same.`
            : `If that was not you, undo it within ${UNDO_DAYS} days. Then everybody is signed out, and we send you a link for a new password.`,
        ),
        button('Undo the change', url),
      ],
    }
  },
})

/** By the operator of the installation. */
export const emailSetMail = defineMail({
  kind: 'email_set',
  facts: nothing,
  keepMinutes: 48 * HOUR,
  to: 'address',
  write: async ({ school }) => ({
    subject: 'Your email address was changed',
    blocks: [
      paragraph(
        `The administrator of this server gave your account at ${school.name} another email address. This one no longer signs in.`,
        `If nobody asked for it on your behalf, tell ${school.name} at once.`,
      ),
    ],
  }),
})
