import { z } from 'zod'
import type { Keyring } from '../../../foundation/crypto/seal.ts'
import { openMessage, sealMessage } from '../../../foundation/crypto/sealed-message.ts'
import { signUpFacts } from './sign-up-facts.ts'

/*
 * The link in the mail proves the mailbox. It is sealed and stored nowhere, because strangers cause it. It works until
 * there is an account with a password, so it makes one account.
 */

export const SIGN_UP_MINUTES = 60

const PURPOSE = 'sign-up'

const schema = signUpFacts.extend({ email: z.string() })

export type SignUpLink = z.output<typeof schema>

export function sealSignUpLink(keyring: Keyring, schoolId: string, link: SignUpLink): string {
  return sealMessage(keyring, PURPOSE, schoolId, link, Date.now() + SIGN_UP_MINUTES * 60_000)
}

/** Undefined if the link is forged, of another school, or too old. */
export function openSignUpLink(
  keyring: Keyring,
  schoolId: string,
  sealed: string | undefined,
): SignUpLink | undefined {
  return schema.safeParse(openMessage(keyring, PURPOSE, schoolId, sealed, Date.now())).data
}
