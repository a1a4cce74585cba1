import { SETTINGS_PATH } from '../views/account-paths.ts'
import { button, paragraph, schoolUrl } from './mail-blocks.ts'
import { dayInWords, placeName, type WordsOfMails, whySender } from './words-of-mails.ts'

/** About the deletion that a person asked for. */
export const leavingMails: WordsOfMails<'deletion_requested' | 'deleted'> = {
  deletion_requested: ({ part, dueAt, place }, school) => ({
    subject: part === 'account' ? 'Your account will be deleted' : `${school.name} will forget you`,
    blocks: [
      paragraph(
        part === 'account'
          ? `At ${placeName(place)} you asked to delete your whole account, at all your schools.`
          : `You asked to delete what ${school.name} knows of you.`,
        `It will be done on ${dayInWords(dueAt, school.timeZone)}. Until then you can change your mind.`,
      ),
      button('See it or cancel it', schoolUrl(school.origin, SETTINGS_PATH)),
      paragraph(
        'If that was not you, cancel it there and change your password at once.',
        ...whySender(school, place),
      ),
    ],
  }),
  deleted: ({ part }, school) => ({
    subject: part === 'account' ? 'Your account was deleted' : `${school.name} has forgotten you`,
    blocks: [
      paragraph(
        part === 'account'
          ? 'As you asked, your account was deleted, at all your schools.'
          : `As you asked, ${school.name} deleted what it knew of you.`,
        'Orders, payments and invoices stay in the books, without your name.',
      ),
    ],
  }),
}
