import { type RawBuilder, sql } from 'kysely'
import { accountNoticeMail } from './account-notice-mail.ts'
import type { MailKind } from './define-mail.ts'
import {
  emailChangedMail,
  emailSetMail,
  newMailboxMail,
  oldMailboxMail,
} from './email-change-mails.ts'
import { invitationMail, signUpMail } from './joining-mails.ts'
import { deletedMail, deletionRequestedMail } from './leaving-mails.ts'
import { operatorsMail } from './operators-mail.ts'
import {
  everythingEndedMail,
  firstPasswordMail,
  forgottenPasswordMail,
  passwordChangedMail,
} from './password-mails.ts'

/** Every kind of mail that can be queued. */
export const MAILS: ReadonlyMap<string, MailKind<never>> = new Map(
  [
    ...[forgottenPasswordMail, passwordChangedMail, firstPasswordMail, everythingEndedMail],
    ...[accountNoticeMail, operatorsMail, deletionRequestedMail, deletedMail],
    ...[signUpMail, invitationMail],
    ...[oldMailboxMail, newMailboxMail, emailChangedMail, emailSetMail],
  ].map((mail) => [mail.kind, mail as unknown as MailKind<never>]),
)

/**
 * Rows of the queue that were tried in vain for too long. Kinds that this version does not know are
 * another's to keep.
 */
export const MAIL_IS_DEAD: RawBuilder<boolean> = sql`t.created_at < now() - make_interval(mins =>
  case t.kind ${sql.join(
    [...MAILS.values()].map(
      ({ kind, keepMinutes }) => sql`when ${sql.lit(kind)} then ${sql.lit(keepMinutes)}`,
    ),
    sql` `,
  )} else ${sql.lit(7 * 24 * 60)} end)`
