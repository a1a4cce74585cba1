import { INVITATION_DAYS } from '../../../domain/people/accept-invitation.ts'
import { UNDO_DAYS } from '../../../domain/people/email-change/email-change.ts'
import { SIGN_UP_MINUTES } from '../../../domain/people/sign-up.ts'
import { INVITATION_PATH } from '../views/invitation.tsx'
import { button, paragraph, schoolUrl } from './mail-blocks.ts'
import { forgottenAt, type WordsOfMails } from './words-of-mails.ts'

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
