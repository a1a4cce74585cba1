import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { INVITATION_DAYS, sealInvitation } from '../accept-invitation.ts'
import { isKept, UNDO_DAYS } from '../email-change/email-change.ts'
import { INVITATION_PATH } from '../link-paths.ts'
import { schoolsSignedInAt } from '../mail-recipient.ts'
import { normalEmail } from '../person.ts'
import {
  invitationCounter,
  MAIL_MINUTES,
  schoolInvitationCounter,
  schoolSignUpCounter,
  signUpMailCounter,
} from '../sign-in-counters.ts'
import { SIGN_UP_MINUTES, sealSignUpLink, signUpFacts } from '../sign-up-link.ts'
import { defineMail, HOUR, nothing } from './define-mail.ts'
import { button, forgottenAt, paragraph, schoolUrl } from './mail-words.ts'

/**
 * Without an account, or with one that has no credential yet: a link that makes it theirs.
 * Otherwise the mail only leads to sign-in, and a person without a role here can then join, so a
 * hostile school gets nothing from switching sign-up on. The name that a stranger typed for this
 * address is not in the mail.
 */
export const signUpMail = defineMail({
  kind: 'sign_up',
  facts: signUpFacts,
  keepMinutes: HOUR,
  to: 'address',
  limits: (key, { db, email }) => [
    { limit: signUpMailCounter(key, db.schoolId, email), minutes: MAIL_MINUTES, above: 'none' },
    { limit: schoolSignUpCounter(key, db.schoolId), minutes: 60, above: 'school_limit' },
  ],
  async write({ db, keyring, school, email, facts, account }) {
    const asked = `Someone wants to make an account with this email address at ${school.name}.`
    if (account === undefined || !account.hasCredential) {
      // An account had this address until a few days ago, and can take it back.
      if (await isKept(acrossSchools(db), email)) {
        return {
          subject: `Your account at ${school.name} has to wait`,
          blocks: [
            paragraph(
              asked,
              `An account had this address until a few days ago, and can take it back for ${UNDO_DAYS} days. Sign up again after that.`,
            ),
            paragraph(
              'If that account was yours and you did not change its address, open the email about the change and undo it.',
            ),
          ],
        }
      }
      const link = sealSignUpLink(keyring, db.schoolId, { ...facts, email })
      return {
        subject: `Make your account at ${school.name}`,
        blocks: [
          paragraph(
            asked,
            `If that was you, open this link within ${SIGN_UP_MINUTES} minutes and choose a password.`,
          ),
          button('Make your account', schoolUrl(school.origin, '/sign-up/finish', { link })),
          paragraph('If it was not you, ignore this email. No account is made.'),
        ],
      }
    }
    const { userId, hasRoleHere } = account
    const schools = await schoolsSignedInAt(db, userId)
    return {
      subject: `You already have an account for ${school.name}`,
      blocks: [
        paragraph(
          asked,
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
    }
  },
})

/**
 * The school added the person. The link proves the mailbox; it sets a password only if there is
 * none. A person who has signed in here meanwhile needs none. No word that the school typed is in
 * the mail.
 */
export const invitationMail = defineMail({
  kind: 'invitation',
  facts: nothing,
  // Of a large import some wait for days: a school sends a limited number in an hour.
  keepMinutes: 14 * 24 * HOUR,
  to: 'member',
  /** Schools choose the addresses, so a mailbox gets a few in an hour from all of them together. */
  limits: (key, { db, account: { userId } }) => [
    { limit: invitationCounter(key, userId), minutes: 60, above: 'none' },
    { limit: schoolInvitationCounter(key, db.schoolId), minutes: 60, above: 'later' },
  ],
  async write({ db, keyring, school, account: { userId, email, hasCredential, hasSignedInHere } }) {
    if (hasSignedInHere) return 'none'
    const link = sealInvitation(keyring, db.schoolId, { user: userId, email: normalEmail(email) })
    return {
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
    }
  },
})
