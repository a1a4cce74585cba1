import type { Keyring } from '../../../foundation/crypto/seal.ts'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import type { MailContent } from '../mails/mail-contents.ts'
import type { Account } from '../mails/recipient.ts'
import { normalEmail } from '../person.ts'
import { sealInvitation } from './invitation-link.ts'

interface Invitation {
  readonly at: SchoolDb
  readonly keyring: Keyring
  readonly account: Account
}

/** A person who has signed in here meanwhile needs none. No word that the school typed is in the mail. */
export async function decideInvitation({
  at,
  keyring,
  account: { userId, email, hasCredential, hasSignedInHere },
}: Invitation): Promise<MailContent | 'none'> {
  if (hasSignedInHere) return 'none'
  const link = sealInvitation(keyring, at.schoolId, { user: userId, email: normalEmail(email) })
  return { kind: 'invitation', link, hasCredential }
}
