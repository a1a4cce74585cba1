import { suspendedPage } from '../../src/foundation/html/error-page.tsx'
import { calendarAddressPage, calendarPage } from '../../src/surfaces/pages/account/calendar.tsx'
import { changeEmailPage } from '../../src/surfaces/pages/account/email.tsx'
import {
  changeDonePage,
  changeQuestionPage,
} from '../../src/surfaces/pages/account/email-change.tsx'
import { notificationsPage } from '../../src/surfaces/pages/account/notifications.tsx'
import {
  unknownUnsubscribePage,
  unsubscribedPage,
  unsubscribePage,
} from '../../src/surfaces/pages/account/unsubscribe.tsx'
import {
  linkExpiredPage,
  signUpKnownPage,
  signUpLink,
} from '../../src/surfaces/pages/sign-in/finish-sign-up.tsx'
import { firstPasswordPage } from '../../src/surfaces/pages/sign-in/first-password.tsx'
import {
  invitation,
  invitationExpiredPage,
  invitationKnownPage,
} from '../../src/surfaces/pages/sign-in/invitation.tsx'
import { joinPage } from '../../src/surfaces/pages/sign-in/sign-up.tsx'
import { signUpPage } from '../../src/surfaces/pages/sign-in/sign-up-form.tsx'
import { formToken, harbor, hostileName, person, school, student } from './sample-people.ts'

const { email } = person
const changing = { school, here: '/account/email', viewer: student, email, mailIsSent: true }
const question = {
  ...{ school, formToken, email },
  link: 'c2VhbGVk',
  isChanged: false,
  needsFactor: false,
  areFactorsLost: false,
  hasAgreed: false,
}
const typed = { name: hostileName, email: 'grace' }
const signUp = {
  ...{ school, formToken },
  action: '/sign-up',
  afterSignIn: {},
  signInUrl: '/sign-in',
}
const finishing = {
  ...{ school, formToken },
  link: 'c2VhbGVk',
  email: 'grace@people.example',
  name: 'Grace',
}

const invited = {
  ...{ school, formToken },
  link: 'c2VhbGVk',
  email: 'grace@people.example',
  name: 'Grace Example',
}

/** Pages about a person's own account. */
export const sampleAccountPages: Record<string, string> = {
  'email-change': changeEmailPage(changing),
  'email-change-waiting': changeEmailPage({
    ...changing,
    pending: {
      newEmail: `${'long.'.repeat(40)}@people.example`,
      oldConfirmed: true,
      newConfirmed: false,
    },
  }),
  'school-suspended': suspendedPage({ reference: '01a1f5b1', name: school.name }),
  notifications: notificationsPage({
    ...changing,
    subscriptions: [
      { topic: 'payments', channel: 'email', enabled: true },
      { topic: 'payments', channel: 'in_app', enabled: false },
    ],
    mailIsSent: true,
  }),
  'notifications-no-mail': notificationsPage({ ...changing, subscriptions: [], mailIsSent: false }),
  'calendar-none': calendarPage({ ...changing, timeZone: 'UTC', since: undefined }),
  calendar: calendarPage({
    ...{ ...changing, timeZone: 'UTC' },
    since: new Date('2026-11-17T12:00Z'),
  }),
  'calendar-address': calendarAddressPage({
    ...changing,
    address: `https://school.example/calendar/sg_cf_${'Ab1_'.repeat(16)}00000000.ics`,
  }),
  unsubscribe: unsubscribePage({ school, topic: 'payments', link: 'c2VhbGVk' }),
  unsubscribed: unsubscribedPage(school),
  'unsubscribe-unknown': unknownUnsubscribePage(school),
  'email-change-problem': changeEmailPage({
    ...changing,
    typed: 'ada',
    problem: { kind: 'no_address' },
  }),
  'email-change-throttled': changeEmailPage({
    ...changing,
    problem: { kind: 'throttled', retryAfterSeconds: 600 },
  }),
  'email-change-no-school': changeEmailPage({ ...changing, problem: { kind: 'no_school' } }),
  'email-change-no-mail': changeEmailPage({ ...changing, mailIsSent: false }),
  'email-change-old': changeQuestionPage({ ...question, mailbox: 'old' }),
  'email-change-old-agreed': changeQuestionPage({ ...question, mailbox: 'old', hasAgreed: true }),
  'email-change-new': changeQuestionPage({ ...question, mailbox: 'new' }),
  'email-change-undo': changeQuestionPage({ ...question, mailbox: 'old', isChanged: true }),
  'email-change-undo-by-factor': changeQuestionPage({
    ...question,
    ...{ mailbox: 'old', isChanged: true, needsFactor: true },
  }),
  'email-change-undo-factors-lost': changeQuestionPage({
    ...question,
    ...{ mailbox: 'old', isChanged: true, needsFactor: true, areFactorsLost: true },
  }),
  'email-change-factors-kept': changeDonePage(school, { kind: 'factors_kept' }),
  'email-change-needs-factor': changeDonePage(school, { kind: 'needs_factor' }),
  'email-change-undoable': changeEmailPage({
    ...changing,
    undoable: { id: '019a0000-0000-7000-8000-000000000001', oldEmail: 'grace@people.example' },
  }),
  'email-change-waits': changeDonePage(school, { kind: 'waits' }),
  'email-change-done': changeDonePage(school, { kind: 'changed', email }),
  'email-change-stopped': changeDonePage(harbor, { kind: 'stopped' }),
  'email-change-undone': changeDonePage(school, { kind: 'undone', email }),
  'email-change-taken': changeDonePage(school, { kind: 'taken' }),
  'email-change-busy': changeDonePage(school, { kind: 'busy' }),
  'email-change-expired': changeDonePage(school, { kind: 'expired' }),
  invitation: firstPasswordPage(invitation, invited),
  'invitation-no-name': firstPasswordPage(invitation, {
    ...{ ...invited, school: harbor, name: '' },
    problem: { kind: 'name', problem: 'Enter your name.' },
  }),
  'invitation-short': firstPasswordPage(invitation, {
    ...invited,
    problem: { kind: 'unfit', problem: 'too_short' },
  }),
  'invitation-known': invitationKnownPage(
    { ...school, name: hostileName },
    `${'long.'.repeat(40)}@people.example`,
  ),
  'invitation-expired': invitationExpiredPage(school),
  'sign-up': signUpPage({ ...signUp, state: { kind: 'asking' } }),
  'sign-up-problems': signUpPage({
    ...signUp,
    state: {
      kind: 'wrong',
      typed,
      problems: { email: 'Enter an email address, such as name@school.example.' },
    },
  }),
  'sign-up-throttled': signUpPage({
    ...signUp,
    state: { kind: 'throttled', typed, retryAfterSeconds: 1800 },
  }),
  'sign-up-sent': signUpPage({
    ...signUp,
    afterSignIn: { sealedRequest: 'c2VhbGVk' },
    state: { kind: 'sent' },
  }),
  'sign-up-unavailable': signUpPage({ ...signUp, state: { kind: 'unavailable' } }),
  'sign-up-finish': firstPasswordPage(signUpLink, finishing),
  'sign-up-finish-no-name': firstPasswordPage(signUpLink, {
    ...finishing,
    problem: { kind: 'name', problem: 'Enter your name.' },
  }),
  'sign-up-finish-common': firstPasswordPage(signUpLink, {
    ...finishing,
    problem: { kind: 'unfit', problem: 'common' },
  }),
  'sign-up-expired': linkExpiredPage(school),
  'sign-up-known': signUpKnownPage(school),
  'sign-up-join': joinPage({
    ...{ school: harbor, formToken, person },
    action: '/sign-up/join',
    switchAccount: { action: '/sign-out' },
    afterSignIn: {},
  }),
}
