import type {
  ContentKind,
  MailContents,
  NamedSchool,
} from '../../../domain/people/mails/mail-contents.ts'
import { plainText } from '../../../foundation/html/plain-text.ts'
import { links, type MailBlock, type MailWords, schoolUrl } from './mail-blocks.ts'

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

/** Where a person with an account asks for a new password. */
export const forgottenAt = (schools: readonly NamedSchool[]): MailBlock =>
  links(
    schools.map(({ name, origin }) => ({
      label: plainText(name) || 'A school',
      url: schoolUrl(origin, '/forgotten-password'),
    })),
  )
