import { z } from 'zod'

/** What a person typed to sign up, besides the email, and where they continue afterwards. */
export const signUpFacts = z.strictObject({
  name: z.string(),
  /** A digest of what proves the browser: only there the person continues, in any other one no app waits. */
  browser: z.string(),
  /** The pending authorization of an app. */
  request: z.string().optional(),
  /** A page of ours. */
  return_to: z.string().optional(),
})
