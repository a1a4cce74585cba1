import type { Keyring } from '../../../foundation/crypto/seal.ts'
import { acrossSchools, type SchoolDb } from '../../../foundation/db/school-db.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import { findRecipient } from '../mail-recipient.ts'
import type { QueuedMail } from '../outgoing-mail.ts'
import { countTry } from '../sign-in-counters.ts'
import type { MailKind, MailLimit, Sending } from './define-mail.ts'
import type { MailWords, Sender } from './mail-words.ts'

/** A mail that may be sent. */
export interface DecidedMail {
  readonly to: string
  /** Absent where the school does not know it: the person has never signed in there. */
  readonly name: string | undefined
  readonly school: Sender & { readonly primaryColor: string }
  readonly words: MailWords
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
  mail: MailKind<never>,
  queued: QueuedMail,
): Promise<DecidedMail | NoMail> {
  const { school: found, account } = await findRecipient(db, queued.email)
  // Schools choose their names: each becomes one line of plain text.
  const school = { ...found, name: plainText(found.name) || 'your school' }
  const facts = mail.facts.parse(queued.facts) as never
  const sending = { db, keyring, school, email: queued.email, facts }
  const isFirst = queued.attempts === 1
  if (mail.to === 'address') {
    const words = await writeMail(mail, { ...sending, account }, isFirst)
    return isNone(words) ? words : { to: queued.email, name: undefined, school, words }
  }
  if (account === undefined || !account.hasRoleHere) return 'none'
  const { hasSignedInHere } = account
  if (mail.to === 'signed_in' && !hasSignedInHere) return 'none'
  const words = await writeMail(mail, { ...sending, account }, isFirst)
  const name = hasSignedInHere ? account.name : undefined
  return isNone(words) ? words : { to: account.email, name, school, words }
}

const isNone = (decided: MailWords | NoMail): decided is NoMail =>
  typeof decided === 'string' || 'kind' in decided

async function writeMail<Who>(
  mail: {
    readonly limits?: (key: Buffer, sending: Sending<never, Who>) => readonly MailLimit[]
    readonly write: (sending: Sending<never, Who>) => Promise<MailWords | 'none'>
  },
  sending: Sending<never, Who>,
  isFirst: boolean,
): Promise<MailWords | NoMail> {
  const { db, keyring } = sending
  // A retry of the same request was counted before.
  const counted = isFirst ? (mail.limits?.(keyring.key('sign-in-throttle'), sending) ?? []) : []
  for (const { limit, minutes, above } of counted) {
    const seconds = await countTry(acrossSchools(db), [limit], minutes)
    if (seconds > 0) return above === 'later' ? { kind: 'later', seconds } : above
  }
  return await mail.write(sending)
}
