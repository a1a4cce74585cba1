import type { Keyring } from '../../foundation/crypto/seal.ts'
import { acrossSchools, type SchoolDb } from '../../foundation/db/school-db.ts'
import type { DecidedMail, MailContent } from './mails/mail-contents.ts'
import {
  MAIL_RULES,
  type MailLimit,
  type MailRule,
  type RuleFor,
  type Sending,
} from './mails/mail-rules.ts'
import { type MailKind, QUEUED_KINDS } from './mails/queued-kinds.ts'
import { findRecipient } from './mails/recipient.ts'
import type { QueuedMail } from './outgoing-mail.ts'
import { countTry } from './throttle.ts'

/** Why a request leads to no mail now: as designed, or because the school has sent too many. */
export type NoMail =
  | Exclude<MailLimit['above'], 'later'>
  | { readonly kind: 'later'; readonly seconds: number }

/**
 * Decides, after the answer, which mail a request leads to, by the rule of its kind. A school that gave a role by itself,
 * and that controls its host name, could otherwise take over the account of any person: a link on its host would
 * set the password for all schools. Where the person has no role nothing is sent, and a school where they have
 * never signed in does not learn their name.
 */
export async function decideMail(
  at: SchoolDb,
  keyring: Keyring,
  mail: QueuedMail,
): Promise<DecidedMail | NoMail> {
  const rule = MAIL_RULES[mail.kind] as MailRule<MailKind>
  const { school, account } = await findRecipient(at, mail.email)
  const facts = QUEUED_KINDS[mail.kind].facts.parse(mail.facts)
  const sending = { at, keyring, email: mail.email, facts }
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
  const { at, keyring } = sending
  // A retry of the same request was counted before.
  const limits = attempts > 1 ? [] : (rule.limits?.(keyring.key('sign-in-throttle'), sending) ?? [])
  for (const { limit, minutes, above } of limits) {
    const seconds = await countTry(acrossSchools(at), [limit], minutes)
    if (seconds > 0) return above === 'later' ? { kind: 'later', seconds } : above
  }
  return await rule.decide(sending)
}
