import { z } from 'zod'
import { type Keyring, openMessage, sealMessage } from '../../../foundation/crypto/seal.ts'

/*
 * A form that could not be accepted, because its session had ended or its person has to confirm first. It travels
 * through the browser, sealed for the school, and comes back with the sign-in or the confirmation. Nothing is stored,
 * so strangers cannot fill a table. It is shown only to the person whose form it was, and only they send it.
 */

const PURPOSE = 'kept-forms'
const LIFETIME_MS = 30 * 60 * 1000
/** The most that the kept fields can be as JSON: control characters become six times as long. */
const MOST_JSON_BYTES = 2 * 1024 * 1024

const schema = z.object({
  /** Where the form posts to, and the page that it is on. */
  path: z.string(),
  page: z.string(),
  userId: z.string(),
  fields: z.array(z.tuple([z.string(), z.string()])),
  leftOut: z.boolean(),
  /** Whether the route can show the form again with these fields. */
  showsAgain: z.boolean(),
})

export type KeptForm = Readonly<z.output<typeof schema>>

export function sealForm(
  keyring: Keyring,
  schoolId: string,
  form: KeptForm,
  now: number = Date.now(),
): string {
  return sealMessage(keyring, PURPOSE, schoolId, form, now + LIFETIME_MS)
}

/** Undefined if it is forged, another school's, or too old. */
export function openForm(
  keyring: Keyring,
  schoolId: string,
  sealed: string | undefined,
  now: number = Date.now(),
): KeptForm | undefined {
  const opened = openMessage(keyring, PURPOSE, schoolId, sealed, now, MOST_JSON_BYTES)
  return schema.safeParse(opened).data
}
