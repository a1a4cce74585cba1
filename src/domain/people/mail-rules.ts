import { sql } from 'kysely'
import type { z } from 'zod'
import type { Keyring } from '../../foundation/crypto/seal.ts'
import { acrossSchools, type SchoolDb } from '../../foundation/db/school-db.ts'
import { FORMER_MEMBER, shownPeople } from '../actor/shown-person.ts'
import { sealInvitation } from './accept-invitation.ts'
import {
  type EmailChange,
  findChange,
  isKept,
  type Mailbox,
  sealChangeLink,
} from './email-change/email-change.ts'
import {
  type AccountNews,
  type DecidedMail,
  type FactsOf,
  type MailContent,
  type MailKind,
  type NamedSchool,
  QUEUED_KINDS,
  type signUpFacts,
} from './mail-contents.ts'
import {
  type Account,
  findNamedSchool,
  findRecipient,
  schoolsSignedInAt,
} from './mail-recipient.ts'
import { mintNotMeLink } from './not-me-link.ts'
import type { QueuedMail } from './outgoing-mail.ts'
import { normalEmail } from './person.ts'
import { mintResetLink } from './reset-password.ts'
import {
  changeMailCounter,
  countTry,
  invitationCounter,
  linkMailCounter,
  MAIL_MINUTES,
  newBrowserCounter,
  schoolInvitationCounter,
  schoolMailCounter,
  schoolSignUpCounter,
  signUpMailCounter,
  type ThrottleLimit,
} from './sign-in-counters.ts'
import { sealSignUpLink } from './sign-up.ts'

interface Sending<K extends MailKind, Who> {
  readonly db: SchoolDb
  readonly keyring: Keyring
  /** As it was typed. */
  readonly email: string
  readonly facts: FactsOf<K>
  readonly account: Who
}

/** A mail above one of these limits is not sent. */
interface MailLimit {
  readonly limit: ThrottleLimit
  readonly minutes: number
  /**
   * `school_limit` is logged: the school has sent too many. `none`: the person has the mail
   * already. `later`: it waits.
   */
  readonly above: 'none' | 'school_limit' | 'later'
}

interface RuleFor<K extends MailKind, Who> {
  /**
   * Counted one after another at the first try. News about an account have no limits: a thief must
   * not be able to hold them back.
   */
  readonly limits?: (key: Buffer, sending: Sending<K, Who>) => readonly MailLimit[]
  /** What the mail says; `none` if it should not be sent after all. */
  readonly decide: (sending: Sending<K, Who>) => Promise<MailContent | 'none'>
}

/**
 * Who may get a mail of this kind.
 *
 * - `member`: a person with a role here. It proves nothing, as the school gave it: no link in the
 *   mail may change an account that has a password or a passkey.
 * - `signed_in`: a member who has signed in here.
 * - `address`: the reader of this mailbox. A stranger may have typed the address, or a row names
 *   it. The mail says little about an account, and its links only prove that the mailbox is theirs.
 */
type MailRule<K extends MailKind> =
  | ({ readonly to: 'member' | 'signed_in' } & RuleFor<K, Account>)
  | ({ readonly to: 'address' } & RuleFor<K, Account | undefined>)

const MAIL_RULES: { readonly [K in MailKind]: MailRule<K> } = {
  /**
   * If the person has signed in here, or has neither password nor passkey anywhere: a link that
   * sets the password. Otherwise: the names of the schools where they have signed in, whose pages
   * send such links.
   */
  forgotten_password: {
    to: 'member',
    limits: (key, { db, account: { userId, passwordChangedAt } }) => [
      {
        limit: linkMailCounter(key, db.schoolId, userId, passwordChangedAt),
        minutes: MAIL_MINUTES,
        above: 'none',
      },
      ...limitOfSchool(key, db),
    ],
    async decide({ db, account: { userId } }) {
      const token = await mintResetLink(db, userId)
      if (token !== undefined) return { kind: 'reset_link', token }
      return { kind: 'reset_elsewhere', schools: await schoolsSignedInAt(db, userId) }
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
    async decide({ db, facts: { what, device, app, isHere, place, until }, account: { userId } }) {
      const token = await mintNotMeLink(db, userId)
      if (token === undefined) return 'none'
      // A notice that the version before queued elsewhere does not say where.
      const where = isHere ? db.schoolId : place
      const named = where === undefined ? undefined : await findNamedSchool(db, where)
      const due = until === undefined ? undefined : new Date(until)
      return { kind: 'account_notice', what, device, app, token, place: named, until: due }
    },
  },
  operators_changed: { to: 'signed_in', decide: decideOperatorsMail },
  everything_ended: {
    to: 'member',
    async decide({ db, account: { userId } }) {
      const token = await mintResetLink(db, userId)
      if (token !== undefined) return { kind: 'everything_ended', token }
      return { kind: 'reset_elsewhere', schools: await schoolsSignedInAt(db, userId) }
    },
  },
  deletion_requested: {
    to: 'member',
    decide: async ({ db, facts: { part, due_at, place } }) => ({
      kind: 'deletion_requested',
      ...{ part, dueAt: new Date(due_at) },
      place: await findNamedSchool(db, place ?? db.schoolId),
    }),
  },
  /**
   * There is no account with this address any more, or the person has no role here. Only the server
   * queues it.
   */
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
    limits: (key, { db, email }) => [
      { limit: signUpMailCounter(key, db.schoolId, email), minutes: MAIL_MINUTES, above: 'none' },
      { limit: schoolSignUpCounter(key, db.schoolId), minutes: 60, above: 'school_limit' },
    ],
    decide: decideSignUpMail,
  },
  /** Schools choose the addresses, so a mailbox gets a few in an hour from all of them together. */
  invitation: {
    to: 'member',
    limits: (key, { db, account: { userId } }) => [
      { limit: invitationCounter(key, userId), minutes: 60, above: 'none' },
      { limit: schoolInvitationCounter(key, db.schoolId), minutes: 60, above: 'later' },
    ],
    decide: decideInvitation,
  },
}

/** For mails that strangers can ask for. */
function limitOfSchool(key: Buffer, db: SchoolDb): MailLimit[] {
  return [{ limit: schoolMailCounter(key, db.schoolId), minutes: 60, above: 'school_limit' }]
}

/** Names people as the school sees them. */
async function decideOperatorsMail({
  db,
  facts: { by, people, more },
}: {
  readonly db: SchoolDb
  readonly facts: FactsOf<'operators_changed'>
}): Promise<MailContent> {
  const ids = [...people.map(({ id }) => id), ...(by === null ? [] : [by])]
  const { rows } = await db.run(sql<{ id: string; name: string }>`
    select p.id, p.name from ${shownPeople(db)} p where p.id = any (${ids}::uuid[])`)
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  const nameOf = (id: string) => names.get(id) ?? FORMER_MEMBER
  return {
    kind: 'operators_changed',
    by: by === null ? undefined : nameOf(by),
    people: people.map(({ id, given, taken }) => ({ name: nameOf(id), given, taken })),
    more,
  }
}

/*
 * The row of the change decides, not the account that has the address: the old address belongs to
 * no account after the change. Only a school where the person has signed in has such a row.
 */

interface ChangeMail {
  readonly db: SchoolDb
  readonly keyring: Keyring
  readonly facts: { readonly change: string }
}

/** To the mailbox of the account: whether it agrees. */
async function decideOldMailboxMail(mail: ChangeMail): Promise<MailContent | 'none'> {
  const change = await findChange(mail.db, { id: mail.facts.change, mailbox: 'old' })
  if (change === undefined || change.isChanged) return 'none'
  return { kind: 'email_change_old', ...(await partsOf(mail, 'old', change)) }
}

/**
 * To the new one: whether it is the person's. If another account has it, its owner is told, without
 * a link.
 */
async function decideNewMailboxMail(
  mail: ChangeMail & { readonly account: unknown },
): Promise<MailContent | 'none'> {
  const change = await findChange(mail.db, { id: mail.facts.change, mailbox: 'new' })
  if (change === undefined) return 'none'
  if (mail.account !== undefined) return { kind: 'email_taken' }
  return { kind: 'email_change_new', ...(await partsOf(mail, 'new', change)) }
}

/**
 * To the old one after the change: how to undo it, and what happens to the account while that is
 * possible.
 */
async function decideChangedMail(
  mail: ChangeMail & { readonly facts: { readonly news?: AccountNews | undefined } },
): Promise<MailContent | 'none'> {
  const change = await findChange(mail.db, { id: mail.facts.change, mailbox: 'old' })
  if (change?.isChanged !== true) return 'none'
  const { needsFactor } = change
  const parts = await partsOf(mail, 'old', change)
  return { kind: 'email_changed', ...parts, needsFactor, news: mail.facts.news }
}

async function partsOf(
  { db, keyring, facts }: ChangeMail,
  mailbox: Mailbox,
  { askedSchoolId }: EmailChange,
): Promise<{ link: string; asked: NamedSchool | undefined }> {
  const link = sealChangeLink(keyring, db.schoolId, { id: facts.change, mailbox })
  return { link, asked: await findNamedSchool(db, askedSchoolId ?? db.schoolId) }
}

interface Invitation {
  readonly db: SchoolDb
  readonly keyring: Keyring
  readonly account: Account
}

/**
 * A person who has signed in here meanwhile needs none. No word that the school typed is in the
 * mail.
 */
async function decideInvitation({
  db,
  keyring,
  account: { userId, email, hasCredential, hasSignedInHere },
}: Invitation): Promise<MailContent | 'none'> {
  if (hasSignedInHere) return 'none'
  const link = sealInvitation(keyring, db.schoolId, { user: userId, email: normalEmail(email) })
  return { kind: 'invitation', link, hasCredential }
}

interface SignUpMail {
  readonly db: SchoolDb
  readonly keyring: Keyring
  readonly email: string
  readonly facts: z.output<typeof signUpFacts>
  readonly account: Account | undefined
}

/**
 * Without an account, or with one that has no credential yet: a link that makes it theirs.
 * Otherwise the mail only leads to sign-in, and a person without a role here can then join, so a
 * hostile school gets nothing from switching sign-up on. The name that a stranger typed for this
 * address is not in the mail.
 */
async function decideSignUpMail(mail: SignUpMail): Promise<MailContent> {
  const { db, keyring, email, facts, account } = mail
  if (account === undefined || !account.hasCredential) {
    if (await isKept(acrossSchools(db), email)) return { kind: 'address_kept' }
    const link = sealSignUpLink(keyring, db.schoolId, { ...facts, email })
    return { kind: 'sign_up_link', link }
  }
  const { userId, hasRoleHere } = account
  return { kind: 'sign_up_known', hasRoleHere, schools: await schoolsSignedInAt(db, userId) }
}

/** Why a request leads to no mail now: as designed, or because the school has sent too many. */
export type NoMail =
  | Exclude<MailLimit['above'], 'later'>
  | { readonly kind: 'later'; readonly seconds: number }

/**
 * Decides, after the answer, which mail a request leads to, by the rule of its kind. A school that
 * gave a role by itself, and that controls its host name, could otherwise take over the account of
 * any person: a link on its host would set the password for all schools. Where the person has no
 * role nothing is sent, and a school where they have never signed in does not learn their name.
 */
export async function decideMail(
  db: SchoolDb,
  keyring: Keyring,
  mail: QueuedMail,
): Promise<DecidedMail | NoMail> {
  const rule = MAIL_RULES[mail.kind] as MailRule<MailKind>
  const { school, account } = await findRecipient(db, mail.email)
  const facts = QUEUED_KINDS[mail.kind].facts.parse(mail.facts)
  const sending = { db, keyring, email: mail.email, facts }
  if (rule.to === 'address') {
    const content = await decideContent(rule, mail, { ...sending, account })
    return isNone(content) ? content : { to: mail.email, name: undefined, school, content }
  }
  if (account === undefined || !account.hasRoleHere) return 'none'
  const { hasSignedInHere } = account
  if (rule.to === 'signed_in' && !hasSignedInHere) return 'none'
  const content = await decideContent(rule, mail, { ...sending, account })
  const name = hasSignedInHere ? account.name : undefined
  return isNone(content) ? content : { to: account.email, name, school, content }
}

const isNone = (decided: MailContent | NoMail): decided is NoMail =>
  typeof decided === 'string' || decided.kind === 'later'

async function decideContent<Who>(
  rule: RuleFor<MailKind, Who>,
  { attempts }: QueuedMail,
  sending: Sending<MailKind, Who>,
): Promise<MailContent | NoMail> {
  const { db, keyring } = sending
  // A retry of the same request was counted before.
  const limits = attempts > 1 ? [] : (rule.limits?.(keyring.key('sign-in-throttle'), sending) ?? [])
  for (const { limit, minutes, above } of limits) {
    const seconds = await countTry(acrossSchools(db), [limit], minutes)
    if (seconds > 0) return above === 'later' ? { kind: 'later', seconds } : above
  }
  return await rule.decide(sending)
}
