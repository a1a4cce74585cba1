import type { Keyring } from '../../../foundation/crypto/seal.ts'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import type { MailContent, NamedSchool } from '../mails/mail-contents.ts'
import type { AccountNews } from '../mails/queued-kinds.ts'
import { findNamedSchool } from '../mails/recipient.ts'
import { type EmailChange, findChange, type Mailbox, sealChangeLink } from './email-change.ts'

/*
 * The row of the change decides, not the account that has the address: the old address belongs to no account after the
 * change. Only a school where the person has signed in has such a row.
 */

interface ChangeMail {
  readonly at: SchoolDb
  readonly keyring: Keyring
  readonly facts: { readonly change: string }
}

/** To the mailbox of the account: whether it agrees. */
export async function decideOldMailboxMail(mail: ChangeMail): Promise<MailContent | 'none'> {
  const change = await findChange(mail.at, { id: mail.facts.change, mailbox: 'old' })
  if (change === undefined || change.isChanged) return 'none'
  return { kind: 'email_change_old', ...(await partsOf(mail, 'old', change)) }
}

/** To the new one: whether it is the person's. If another account has it, its owner is told, without a link. */
export async function decideNewMailboxMail(
  mail: ChangeMail & { readonly account: unknown },
): Promise<MailContent | 'none'> {
  const change = await findChange(mail.at, { id: mail.facts.change, mailbox: 'new' })
  if (change === undefined) return 'none'
  if (mail.account !== undefined) return { kind: 'email_taken' }
  return { kind: 'email_change_new', ...(await partsOf(mail, 'new', change)) }
}

/** To the old one after the change: how to undo it, and what happens to the account while that is possible. */
export async function decideChangedMail(
  mail: ChangeMail & { readonly facts: { readonly news?: AccountNews | undefined } },
): Promise<MailContent | 'none'> {
  const change = await findChange(mail.at, { id: mail.facts.change, mailbox: 'old' })
  if (change?.isChanged !== true) return 'none'
  const { needsFactor } = change
  const parts = await partsOf(mail, 'old', change)
  return { kind: 'email_changed', ...parts, needsFactor, news: mail.facts.news }
}

async function partsOf(
  { at, keyring, facts }: ChangeMail,
  mailbox: Mailbox,
  { askedSchoolId }: EmailChange,
): Promise<{ link: string; asked: NamedSchool | undefined }> {
  const link = sealChangeLink(keyring, at.schoolId, { id: facts.change, mailbox })
  return { link, asked: await findNamedSchool(at, askedSchoolId ?? at.schoolId) }
}
