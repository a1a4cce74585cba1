import type { Keyring } from '../../../foundation/crypto/seal.ts'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import {
  decideChangedMail,
  decideNewMailboxMail,
  decideOldMailboxMail,
} from '../email-change/change-mails.ts'
import { decideInvitation } from '../invitations/invitation-mail.ts'
import { mintNotMeLink } from '../not-me-link.ts'
import { mintResetLink } from '../reset-password.ts'
import {
  changeMailCounter,
  invitationCounter,
  linkMailCounter,
  MAIL_MINUTES,
  newBrowserCounter,
  schoolInvitationCounter,
  schoolMailCounter,
  schoolSignUpCounter,
  signUpMailCounter,
} from '../sign-in-counters.ts'
import { decideSignUpMail } from '../sign-up/sign-up-mail.ts'
import type { ThrottleLimit } from '../throttle.ts'
import type { MailContent } from './mail-contents.ts'
import { decideOperatorsMail } from './operators-mail.ts'
import type { FactsOf, MailKind } from './queued-kinds.ts'
import { type Account, findNamedSchool, schoolsSignedInAt } from './recipient.ts'

export interface Sending<K extends MailKind, Who> {
  readonly at: SchoolDb
  readonly keyring: Keyring
  /** As it was typed. */
  readonly email: string
  readonly facts: FactsOf<K>
  readonly account: Who
}

/** A mail above one of these limits is not sent. */
export interface MailLimit {
  readonly limit: ThrottleLimit
  readonly minutes: number
  /** `school_limit` is logged: the school has sent too many. `none`: the person has the mail already. `later`: it waits. */
  readonly above: 'none' | 'school_limit' | 'later'
}

export interface RuleFor<K extends MailKind, Who> {
  /**
   * Counted one after another at the first try. News about an account have no limits: a thief must not be able to hold
   * them back.
   */
  readonly limits?: (key: Buffer, sending: Sending<K, Who>) => readonly MailLimit[]
  /** What the mail says; `none` if it should not be sent after all. */
  readonly decide: (sending: Sending<K, Who>) => Promise<MailContent | 'none'>
}

/**
 * Who may get a mail of this kind.
 *
 * - `member`: a person with a role here. It proves nothing, as the school gave it: no link in the mail may change an
 *   account that has a password or a passkey.
 * - `signed_in`: a member who has signed in here.
 * - `address`: the reader of this mailbox. A stranger may have typed the address, or a row names it. The mail says little
 *   about an account, and its links only prove that the mailbox is theirs.
 */
export type MailRule<K extends MailKind> =
  | ({ readonly to: 'member' | 'signed_in' } & RuleFor<K, Account>)
  | ({ readonly to: 'address' } & RuleFor<K, Account | undefined>)

export const MAIL_RULES: { readonly [K in MailKind]: MailRule<K> } = {
  /**
   * If the person has signed in here, or has neither password nor passkey anywhere: a link that sets the password. Otherwise: the names of
   * the schools where they have signed in, whose pages send such links.
   */
  forgotten_password: {
    to: 'member',
    limits: (key, { at, account: { userId, passwordChangedAt } }) => [
      {
        limit: linkMailCounter(key, at.schoolId, userId, passwordChangedAt),
        minutes: MAIL_MINUTES,
        above: 'none',
      },
      ...limitOfSchool(key, at),
    ],
    async decide({ at, account: { userId } }) {
      const token = await mintResetLink(at, userId)
      if (token !== undefined) return { kind: 'reset_link', token }
      return { kind: 'reset_elsewhere', schools: await schoolsSignedInAt(at, userId) }
    },
  },
  password_changed: { to: 'member', decide: async () => ({ kind: 'password_changed' }) },
  first_password: { to: 'member', decide: async () => ({ kind: 'first_password' }) },
  /** Of new browsers a person is told a few times an hour; of other changes always. */
  account_notice: {
    to: 'signed_in',
    limits: (key, { facts: { what }, account: { userId } }) =>
      what === 'new_browser'
        ? [{ limit: newBrowserCounter(key, userId), minutes: 60, above: 'none' }]
        : [],
    async decide({ at, facts: { what, device, app, isHere, place, until }, account: { userId } }) {
      const token = await mintNotMeLink(at, userId)
      if (token === undefined) return 'none'
      // A notice that the version before queued elsewhere does not say where.
      const where = isHere ? at.schoolId : place
      const named = where === undefined ? undefined : await findNamedSchool(at, where)
      const due = until === undefined ? undefined : new Date(until)
      return { kind: 'account_notice', what, device, app, token, place: named, until: due }
    },
  },
  operators_changed: { to: 'signed_in', decide: decideOperatorsMail },
  everything_ended: {
    to: 'member',
    async decide({ at, account: { userId } }) {
      const token = await mintResetLink(at, userId)
      if (token !== undefined) return { kind: 'everything_ended', token }
      return { kind: 'reset_elsewhere', schools: await schoolsSignedInAt(at, userId) }
    },
  },
  deletion_requested: {
    to: 'member',
    decide: async ({ at, facts: { part, due_at, place } }) => ({
      kind: 'deletion_requested',
      ...{ part, dueAt: new Date(due_at) },
      place: await findNamedSchool(at, place ?? at.schoolId),
    }),
  },
  /** There is no account with this address any more, or the person has no role here. Only the server queues it. */
  deleted: { to: 'address', decide: async ({ facts: { part } }) => ({ kind: 'deleted', part }) },
  email_change_old: { to: 'address', decide: decideOldMailboxMail },
  email_change_new: {
    to: 'address',
    limits: (key, { email }) => [
      { limit: changeMailCounter(key, email), minutes: 60, above: 'none' },
    ],
    decide: decideNewMailboxMail,
  },
  email_changed: {
    to: 'address',
    limits: (key, { facts: { change, news } }) =>
      news === 'new_browser'
        ? [{ limit: newBrowserCounter(key, change), minutes: 60, above: 'none' }]
        : [],
    decide: decideChangedMail,
  },
  email_set: { to: 'address', decide: async () => ({ kind: 'email_set' }) },
  sign_up: {
    to: 'address',
    limits: (key, { at, email }) => [
      { limit: signUpMailCounter(key, at.schoolId, email), minutes: MAIL_MINUTES, above: 'none' },
      { limit: schoolSignUpCounter(key, at.schoolId), minutes: 60, above: 'school_limit' },
    ],
    decide: decideSignUpMail,
  },
  /** Schools choose the addresses, so a mailbox gets a few in an hour from all of them together. */
  invitation: {
    to: 'member',
    limits: (key, { at, account: { userId } }) => [
      { limit: invitationCounter(key, userId), minutes: 60, above: 'none' },
      { limit: schoolInvitationCounter(key, at.schoolId), minutes: 60, above: 'later' },
    ],
    decide: decideInvitation,
  },
}

/** For mails that strangers can ask for. */
function limitOfSchool(key: Buffer, at: SchoolDb): MailLimit[] {
  return [{ limit: schoolMailCounter(key, at.schoolId), minutes: 60, above: 'school_limit' }]
}
