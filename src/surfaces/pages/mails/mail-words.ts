import type { ContentKind } from '../../../domain/people/mail-contents.ts'
import { emailChangeMails } from './email-change-mails.ts'
import { joiningMails } from './joining-mails.ts'
import { leavingMails } from './leaving-mails.ts'
import { noticeMails } from './notice-mails.ts'
import { operatorsMail } from './operators-mail.ts'
import { passwordMails } from './password-mails.ts'
import type { WordsOfMails } from './words-of-mails.ts'

export const MAIL_WORDS: WordsOfMails<ContentKind> = {
  ...passwordMails,
  ...joiningMails,
  ...emailChangeMails,
  ...noticeMails,
  ...operatorsMail,
  ...leavingMails,
}
