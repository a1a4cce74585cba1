import { z } from 'zod'
import type { Keyring } from '../../../foundation/crypto/seal.ts'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import type { Account } from '../mail-recipient.ts'
import type { ThrottleLimit } from '../sign-in-counters.ts'
import type { MailWords, Sender } from './mail-words.ts'

/** A mail above one of these limits is not sent. */
export interface MailLimit {
  readonly limit: ThrottleLimit
  readonly minutes: number
  /**
   * `school_limit` is logged: the school has sent too many. `none`: the person has the mail
   * already. `later`: it waits.
   */
  readonly above: 'none' | 'school_limit' | 'later'
}

/** A queued mail at the moment when it is written. */
export interface Sending<F, Who> {
  readonly db: SchoolDb
  readonly keyring: Keyring
  readonly school: Sender
  /** As it was typed. */
  readonly email: string
  readonly facts: F
  readonly account: Who
}

interface Described<F extends object, Who> {
  /** As the queue stores it. */
  readonly kind: string
  /**
   * What the mail says besides what the tables say when it is sent. Never a secret: a link is made
   * when its mail is sent, so that only its hash is stored.
   */
  readonly facts: z.ZodType<F>
  /** A mail that comes later than this would be no help. */
  readonly keepMinutes: number
  /**
   * Counted one after another at the first try. News about an account have no limits: a thief must
   * not be able to hold them back.
   */
  readonly limits?: (key: Buffer, sending: Sending<F, Who>) => readonly MailLimit[]
  /** What the mail says; `none` if it should not be sent after all. */
  readonly write: (sending: Sending<F, Who>) => Promise<MailWords | 'none'>
}

/**
 * A kind of mail: what it is queued with, who may get it, how often, and what it says.
 *
 * - `member`: a person with a role here. It proves nothing, as the school gave it: no link in the
 *   mail may change an account that has a password or a passkey.
 * - `signed_in`: a member who has signed in here.
 * - `address`: the reader of this mailbox. A stranger may have typed the address, or a row names
 *   it. The mail says little about an account, and its links only prove that the mailbox is theirs.
 */
export type MailKind<F extends object = object> =
  | ({ readonly to: 'member' | 'signed_in' } & Described<F, Account>)
  | ({ readonly to: 'address' } & Described<F, Account | undefined>)

/** List it in `all-mails.ts`, too. */
export function defineMail<F extends object>(mail: MailKind<F>): MailKind<F> {
  return mail
}

export const nothing = z.strictObject({})
export const HOUR = 60
