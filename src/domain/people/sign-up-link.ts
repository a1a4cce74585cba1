import { z } from 'zod'
import { type Keyring, openMessage, sealMessage } from '../../foundation/crypto/seal.ts'

/** What a person typed to sign up, besides the email, and where they continue afterwards. */
export const signUpFacts = z.strictObject({
  name: z.string(),
  /**
   * A digest of what proves the browser: only there the person continues, in any other one no app
   * waits.
   */
  browser: z.string(),
  /** The pending authorization of an app. */
  request: z.string().optional(),
  /** A page of ours. */
  return_to: z.string().optional(),
})

export type SignUpFacts = z.output<typeof signUpFacts>

/*
 * The link in the mail proves the mailbox. It is sealed and stored nowhere, because strangers cause
 * it. It works until there is an account with a password, so it makes one account.
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
