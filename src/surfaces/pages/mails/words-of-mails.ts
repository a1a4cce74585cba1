import type {
  ContentKind,
  MailContents,
  NamedSchool,
} from '../../../domain/people/mail-contents.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import { links, type MailBlock, type MailWords, schoolUrl } from './mail-page.tsx'

/** The school that sends. */
export interface Sender {
  /** Plain text, never empty. */
  readonly name: string
  readonly origin: string
  readonly timeZone: string
}

/** What each kind of mail says. */
export type WordsOfMails<K extends ContentKind> = {
  readonly [Kind in K]: (content: MailContents[Kind], school: Sender) => MailWords
}

/** Where something was done, by name. */
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
