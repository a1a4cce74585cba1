/** More than any text that an operation takes. */
const MOST_BYTES = 256 * 1024

/** Our own fields, and what proves a person: none of it is ever kept. */
const NEVER = new Set(['form_token', 'form_owner', 'kept_form', 'otp', 'pin'])
const SECRET = /password|passphrase|passkey|secret|token|credential|proof|recovery/i

/** In the admin area `code` is the code of a coupon; everywhere else it is one that works once. */
function isLeftOut(path: string, name: string): boolean {
  if (name === 'code') return !path.startsWith('/admin/')
  return NEVER.has(name) || SECRET.test(name)
}

export type Fields = readonly (readonly [name: string, value: string])[]

export interface KeptFields {
  readonly fields: Fields
  /** Whether the person typed something that is not kept. */
  readonly leftOut: boolean
}

/** The fields of a form that are kept for its person; undefined if they are too long. */
export function fieldsToKeep(path: string, form: URLSearchParams): KeptFields | undefined {
  const fields = [...form].filter(([name]) => !isLeftOut(path, name))
  const bytes = fields.reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value),
    0,
  )
  if (bytes > MOST_BYTES) return undefined
  const leftOut = [...form].some(
    ([name, value]) => !NEVER.has(name) && isLeftOut(path, name) && value !== '',
  )
  return { fields, leftOut }
}
