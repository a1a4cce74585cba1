import { INVITATION_DAYS } from '../../../domain/people/accept-invitation.ts'
import { UNDO_DAYS } from '../../../domain/people/email-change/email-change.ts'
import type { OperatorRole } from '../../../domain/people/mail-contents.ts'
import { SIGN_UP_MINUTES } from '../../../domain/people/sign-up.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import { INVITATION_PATH, SETTINGS_PATH } from '../frame/paths.ts'
import { button, paragraph, schoolUrl } from './mail-page.tsx'
import {
  dayInWords,
  forgottenAt,
  placeName,
  type WordsOfMails,
  whySender,
} from './words-of-mails.ts'

/** To a person who comes to a school. */
export const joiningMails: WordsOfMails<
  'sign_up_link' | 'sign_up_known' | 'address_kept' | 'invitation'
> = {
  sign_up_link: ({ link }, school) => ({
    subject: `Make your account at ${school.name}`,
    blocks: [
      paragraph(
        `Someone wants to make an account with this email address at ${school.name}.`,
        `If that was you, open this link within ${SIGN_UP_MINUTES} minutes and choose a password.`,
      ),
      button('Make your account', schoolUrl(school.origin, '/sign-up/finish', { link })),
      paragraph('If it was not you, ignore this email. No account is made.'),
    ],
  }),
  sign_up_known: ({ hasRoleHere, schools }, school) => ({
    subject: `You already have an account for ${school.name}`,
    blocks: [
      paragraph(
        `Someone wants to make an account with this email address at ${school.name}.`,
        hasRoleHere
          ? 'You already have one. If that was you, sign in with it.'
          : 'You already have one, from another school on the same server. If that was you, sign in with it; then you can join.',
      ),
      button(
        'Sign in',
        schoolUrl(school.origin, '/sign-in', hasRoleHere ? {} : { return_to: '/sign-up' }),
      ),
      ...(schools.length === 0
        ? []
        : [
            paragraph('If you forgot your password, ask for a new one here:'),
            forgottenAt(schools),
          ]),
      paragraph('If it was not you, ignore this email. Nothing was changed.'),
    ],
  }),
  address_kept: (_content, school) => ({
    subject: `Your account at ${school.name} has to wait`,
    blocks: [
      paragraph(
        `Someone wants to make an account with this email address at ${school.name}.`,
        `An account had this address until a few days ago, and can take it back for ${UNDO_DAYS} days. Sign up again after that.`,
      ),
      paragraph(
        'If that account was yours and you did not change its address, open the email about the change and undo it.',
      ),
    ],
  }),
  invitation: ({ link, hasCredential }, school) => ({
    subject: `${school.name} invites you`,
    blocks: [
      paragraph(
        `${school.name} has added you with this email address.`,
        hasCredential
          ? 'You already have an account with it. Sign in with that.'
          : `Open this link within ${INVITATION_DAYS} days and choose a password.`,
      ),
      button(
        hasCredential ? 'Sign in' : 'Choose a password',
        schoolUrl(school.origin, INVITATION_PATH, { link }),
      ),
      paragraph('If you do not know this school, ignore this email.'),
    ],
  }),
}

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
