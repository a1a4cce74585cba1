import type { OperatorRole } from '../../../domain/people/mail-contents.ts'
import { plainText } from '../../../foundation/html/plain-text.ts'
import { button, paragraph, schoolUrl } from './mail-blocks.ts'
import type { WordsOfMails } from './words-of-mails.ts'

const GIVEN: Readonly<Record<OperatorRole, (name: string) => string>> = {
  owner: (name) => `${name} is now an owner.`,
  admin: (name) => `${name} is now an admin.`,
}
const TAKEN: Readonly<Record<OperatorRole, (name: string) => string>> = {
  owner: (name) => `${name} is no longer an owner.`,
  admin: (name) => `${name} is no longer an admin.`,
}

/** News for the owners of a school about those who run it. */
export const operatorsMail: WordsOfMails<'operators_changed'> = {
  operators_changed: ({ by, people, more }, school) => ({
    subject: `Owners and admins of ${school.name} have changed`,
    blocks: [
      ...people.map(({ name, given, taken }) => {
        const shown = plainText(name) || 'A person without a name'
        const sentences = [
          ...given.map((role) => GIVEN[role](shown)),
          ...taken.map((role) => TAKEN[role](shown)),
        ]
        return paragraph(...sentences)
      }),
      ...(more === 0 ? [] : [paragraph(`The same change concerned ${more} more people.`)]),
      paragraph(
        by === undefined
          ? 'The administrator of this server did it.'
          : `It was done by ${plainText(by) || 'a person without a name'}.`,
      ),
      button('See the members', schoolUrl(school.origin, '/admin/members')),
      paragraph(
        'If you did not expect this, take the role away there, and stop the apps that you do not know.',
      ),
    ],
  }),
}
