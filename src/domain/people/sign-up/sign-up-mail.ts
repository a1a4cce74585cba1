import type { z } from 'zod'
import type { Keyring } from '../../../foundation/crypto/seal.ts'
import { acrossSchools, type SchoolDb } from '../../../foundation/db/school-db.ts'
import { isKept } from '../email-change/email-change.ts'
import type { MailContent } from '../mails/mail-contents.ts'
import { type Account, schoolsSignedInAt } from '../mails/recipient.ts'
import type { signUpFacts } from './sign-up-facts.ts'
import { sealSignUpLink } from './sign-up-link.ts'

interface SignUpMail {
  readonly at: SchoolDb
  readonly keyring: Keyring
  readonly email: string
  readonly facts: z.output<typeof signUpFacts>
  readonly account: Account | undefined
}

/**
 * Without an account, or with one that has no credential yet: a link that makes it theirs. Otherwise the mail only
 * leads to sign-in, and a person without a role here can then join, so a hostile school gets nothing from switching
 * sign-up on. The name that a stranger typed for this address is not in the mail.
 */
export async function decideSignUpMail(mail: SignUpMail): Promise<MailContent> {
  const { at, keyring, email, facts, account } = mail
  if (account === undefined || !account.hasCredential) {
    if (await isKept(acrossSchools(at), email)) return { kind: 'address_kept' }
    const link = sealSignUpLink(keyring, at.schoolId, { ...facts, email })
    return { kind: 'sign_up_link', link }
  }
  const { userId, hasRoleHere } = account
  return { kind: 'sign_up_known', hasRoleHere, schools: await schoolsSignedInAt(at, userId) }
}
