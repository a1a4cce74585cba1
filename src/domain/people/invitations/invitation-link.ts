import { z } from 'zod'
import type { Keyring } from '../../../foundation/crypto/seal.ts'
import { openMessage, sealMessage } from '../../../foundation/crypto/sealed-message.ts'

/*
 * The link in an invitation proves the mailbox. It is sealed and stored nowhere. What it can do follows from the account when
 * it is opened: it sets a password only while the account has never had anything to sign in with.
 */

export const INVITATION_DAYS = 7

const PURPOSE = 'invitation'

const schema = z.strictObject({
  user: z.uuid(),
  /** The link ends when the account gets another address. */
  email: z.string(),
})

export type InvitationLink = z.output<typeof schema>

export function sealInvitation(keyring: Keyring, schoolId: string, link: InvitationLink): string {
  const expiresAt = Date.now() + INVITATION_DAYS * 24 * 60 * 60_000
  return sealMessage(keyring, PURPOSE, schoolId, link, expiresAt)
}

/** Undefined if the link is forged, of another school, or too old. */
export function openInvitation(
  keyring: Keyring,
  schoolId: string,
  sealed: string | undefined,
): InvitationLink | undefined {
  return schema.safeParse(openMessage(keyring, PURPOSE, schoolId, sealed, Date.now())).data
}
