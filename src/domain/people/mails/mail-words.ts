import { plainText } from '../../../foundation/text/plain-text.ts'

/**
 * Parts of a mail. The text and the HTML are both made of them, so they say the same. Names in them
 * went through `plainText`: people and schools choose their names, and a name must not add lines to
 * a mail.
 */
export type MailBlock =
  | { readonly kind: 'paragraph'; readonly text: string }
  /** Above one message of several. */
  | { readonly kind: 'heading'; readonly text: string }
  /** The one thing that most readers of the mail do. */
  | { readonly kind: 'button'; readonly label: string; readonly url: SchoolUrl }
  | { readonly kind: 'links'; readonly links: readonly { label: string; url: SchoolUrl }[] }

export interface MailWords {
  readonly subject: string
  readonly blocks: readonly MailBlock[]
  /** Ends such mails by one POST, without a page (RFC 8058). */
  readonly unsubscribe?: SchoolUrl
}

declare const ofSchool: unique symbol
/** An address at the stored origin of a school: a mail has no other links. */
export type SchoolUrl = string & { readonly [ofSchool]: true }

export function schoolUrl(
  origin: string,
  path: `/${string}`,
  query: Readonly<Record<string, string>> = {},
): SchoolUrl {
  const search = new URLSearchParams(query).toString()
  return `${origin}${path}${search === '' ? '' : `?${search}`}` as SchoolUrl
}

export const paragraph = (...sentences: readonly string[]): MailBlock => ({
  kind: 'paragraph',
  text: sentences.join(' '),
})

export const button = (label: string, url: SchoolUrl): MailBlock => ({ kind: 'button', label, url })

export const links = (
  all: readonly { readonly label: string; readonly url: SchoolUrl }[],
): MailBlock => ({ kind: 'links', links: all })

export interface NamedSchool {
  readonly name: string
  readonly origin: string
}

/** The school that sends. */
export interface Sender extends NamedSchool {
  /** Plain text, never empty. */
  readonly name: string
  readonly timeZone: string
}

/** Where something was done, by name; undefined if that school is gone. */
export const placeName = (place: NamedSchool | undefined): string =>
  place === undefined ? 'another school on this server' : plainText(place.name) || 'a school'

/** A mail about what was done at another school says why this one sends it. */
export function whySender(school: Sender, place: NamedSchool | undefined): readonly string[] {
  if (place?.origin === school.origin) return []
  return [`This email comes from ${school.name}, where you have been signing in for longest.`]
}

/** Where a person with an account asks for a new password. */
export const forgottenAt = (schools: readonly NamedSchool[]): MailBlock =>
  links(
    schools.map(({ name, origin }) => ({
      label: plainText(name) || 'A school',
      url: schoolUrl(origin, '/forgotten-password'),
    })),
  )

/** The day on the clocks of the school, as its pages show it. */
export function dayInWords(day: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone }).format(day)
}
