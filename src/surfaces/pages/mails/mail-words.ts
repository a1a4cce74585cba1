import type { ContentKind } from '../../../domain/people/mail-contents.ts'
import { emailChangeMails, passwordMails } from './account-mails.ts'
import { noticeMails } from './notice-mails.ts'
import { joiningMails, leavingMails, operatorsMail } from './school-mails.ts'
import type { WordsOfMails } from './words-of-mails.ts'

export const MAIL_WORDS: WordsOfMails<ContentKind> = {
  ...passwordMails,
  ...joiningMails,
  ...emailChangeMails,
  ...noticeMails,
  ...operatorsMail,
  ...leavingMails,
}
