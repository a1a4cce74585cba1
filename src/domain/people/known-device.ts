import { constantTimeEqual, hmacSha256 } from '../../foundation/crypto/digest.ts'
import { randomSecret } from '../../foundation/crypto/random.ts'
import { typedEmail } from './person.ts'

/**
 * A browser proves by a cookie that a person signed in with it before, at this school. The value is
 * a random name and a mark for each of the last accounts, which only the server can make. It opens
 * nothing: it gives the browser a failure counter of its own. A new password does not end it: the
 * mark is checked before any account is looked for, so it knows no password.
 *
 * A counter of codes needs another mark, which a code of the same authenticator app made. With any
 * other, a thief could collect many browsers, each with tries of its own: by links by mail, or by
 * the password before the app was added.
 */
const FORM = /^[\w-]{22}(?:\.[\w-]{22}){1,8}$/
/** Of four accounts with an authenticator app, or of eight without. */
const MARKS = 8
const BYTES = 16

/** How the browser came to know the account. */
export type KnownBy = 'sign_in' | 'mail_link' | `code ${string}`

/** By a code of the authenticator app that was added at this time. By none if there is no app. */
export function knownByCode(since: Date | undefined): readonly KnownBy[] {
  return since === undefined ? [] : [`code ${since.toISOString()}`]
}

/**
 * The name of the browser, if this value proves that it signed in to the account with this email.
 */
export function findKnownDevice(
  keys: readonly Buffer[],
  schoolId: string,
  value: string | undefined,
  email: string,
  ways: readonly KnownBy[] = ['sign_in', 'mail_link'],
): string | undefined {
  const [name, ...marks] = partsOf(value)
  if (name === undefined) return undefined
  const isKnown = keys.some((key) =>
    ways.some((by) => {
      const mark = markOf(key, schoolId, name, email, by)
      return marks.some((one) => constantTimeEqual(one, mark))
    }),
  )
  return isKnown ? name : undefined
}

/** The next value of the cookie, after a sign-in to the account with this email. */
export function rememberDevice(
  key: Buffer,
  schoolId: string,
  value: string | undefined,
  email: string,
  ways: readonly KnownBy[] = ['sign_in'],
): string {
  const [known, ...marks] = partsOf(value)
  const name = known ?? randomSecret(BYTES).toString('base64url')
  const fresh = ways.map((by) => markOf(key, schoolId, name, email, by))
  const others = marks.filter((one) => !fresh.includes(one))
  return [name, ...[...fresh, ...others].slice(0, MARKS)].join('.')
}

function partsOf(value: string | undefined): string[] {
  return value !== undefined && FORM.test(value) ? value.split('.') : []
}

function markOf(key: Buffer, schoolId: string, name: string, email: string, by: KnownBy): string {
  const account = [schoolId, name, typedEmail(email)]
  const text = JSON.stringify(by === 'sign_in' ? account : [...account, by])
  return hmacSha256(key, text).subarray(0, BYTES).toString('base64url')
}

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPod/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/CrOS/, 'ChromeOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'Mac'],
  [/Linux/, 'Linux'],
]

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrom(e|ium)\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]

/**
 * The browser and system of a person, in words they recognise. The rest of the header is not
 * stored.
 */
export function describeDevice(userAgent: string | undefined): string {
  const text = (userAgent ?? '').slice(0, 1000)
  const browser = BROWSERS.find(([pattern]) => pattern.test(text))?.[1]
  const system = SYSTEMS.find(([pattern]) => pattern.test(text))?.[1]
  if (browser === undefined) return system ?? ''
  return system === undefined ? browser : `${browser} on ${system}`
}
