import { otpauthUrl } from '../../src/foundation/crypto/totp.ts'
import {
  recoveryCodesPage,
  secondFactorPage,
  setupFactorPage,
} from '../../src/surfaces/pages/account/second-factor.tsx'
import { settingsPage, settingsPanels } from '../../src/surfaces/pages/admin/settings/settings.tsx'
import { factorDuePage } from '../../src/surfaces/pages/consent/refusals.tsx'
import {
  factorElsewherePage,
  otherSchoolPage,
  provedForSchoolPage,
} from '../../src/surfaces/pages/sign-in/factor-elsewhere.tsx'
import { factorNeededPage } from '../../src/surfaces/pages/sign-in/factor-needed.tsx'
import { lostFactorPage } from '../../src/surfaces/pages/sign-in/lost-factor.tsx'
import { signInCodePage } from '../../src/surfaces/pages/sign-in/sign-in-code.tsx'
import { at, formOf } from './sample-admin-frame.ts'
import { formToken, hostileName, person, school, student } from './sample-people.ts'

const frame = {
  school,
  here: '/account/second-factor',
  viewer: student,
  timeZone: 'Asia/Taipei',
  currency: 'TWD',
}

const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const setup = {
  ...frame,
  setup: { secret, sealed: 'sealed' },
  otpauthUrl: otpauthUrl(secret, school.name, person.email),
}

const step = {
  lost: { kind: 'ask' as const },
  ...{ school, formToken, email: person.email },
  step: 'sealed',
  trustDays: 30,
  afterSignIn: {},
}

const lost = {
  ...{ ...frame, here: '/account/lost-factor', email: person.email },
  dueAt: undefined,
  means: { hasPassword: true, hasSecondFactor: true },
  mailIsSent: true,
}

const confirming = { ...frame, here: '/confirm/other-school' }
const waiting = {
  school: { name: hostileName, origin: 'https://harbor.example' },
  path: '/account/email',
  device: 'Firefox on Windows',
}

const codes = Array.from({ length: 10 }, (_, n) => `${1000 + n}-2222-3333-4444-5555`)
const since = new Date('2026-10-20T06:00Z')

const settings = {
  ...at('/admin/settings'),
  panels: settingsPanels(true).map((panel) => ({
    ...panel,
    form: formOf(
      panel.fields,
      { mcp_connections: true, end_authorization_on_replay: true, video_hosts: ['*.com'] },
      { problems: { video_hosts: ['“*.com” is no host.'] } },
    ),
  })),
}
const needed = { ...frame, here: '/admin', signInUrl: '/sign-in?return_to=%2Fadmin' }
const due = {
  ...{ school, person, formToken, clientName: 'Claude' },
  action: '/consent',
  sealedRequest: 'sealed',
  switchAccount: { action: '/sign-out', sealedRequest: 'sealed' },
  signInUrl: '/sign-in?request=sealed',
}

/** Every state of the pages about the second factor. */
export const sampleFactorPages: Record<string, string> = {
  'second-factor-off': secondFactorPage({ ...frame, factor: undefined }),
  'second-factor-on': secondFactorPage({ ...frame, factor: { since, codesLeft: 10 } }),
  'second-factor-few-codes': secondFactorPage({ ...frame, factor: { since, codesLeft: 1 } }),
  'second-factor-setup': setupFactorPage(setup),
  'second-factor-setup-hostile-name': setupFactorPage({
    ...setup,
    otpauthUrl: otpauthUrl(secret, hostileName.slice(0, 200), person.email),
    problem: 'wrong',
  }),
  'recovery-codes': recoveryCodesPage({ ...frame, codes, isNew: true }),
  'recovery-codes-renewed': recoveryCodesPage({ ...frame, codes, isNew: false }),
  'admin-settings-demand-own-first': settingsPage({
    ...settings,
    demand: { from: undefined, daysLeft: undefined, isOwner: true, hasMeans: false },
  }),
  'admin-settings-demanded-soon': settingsPage({
    ...settings,
    demand: { from: since, daysLeft: 3, isOwner: false, hasMeans: false },
  }),
  'admin-settings-demanded': settingsPage({
    ...settings,
    demand: { from: since, daysLeft: undefined, isOwner: true, hasMeans: true },
  }),
  'factor-needed': factorNeededPage({ ...needed, hasSecondFactor: false, hasPasskey: false }),
  'factor-needed-sign-in': factorNeededPage({ ...needed, hasSecondFactor: true, hasPasskey: true }),
  'factor-due': factorDuePage({ ...due, hasSecondFactor: false, hasPasskey: false }),
  'factor-due-sign-in': factorDuePage({ ...due, hasSecondFactor: true, hasPasskey: false }),
  'lost-factor': lostFactorPage(lost),
  'lost-factor-wrong': lostFactorPage({ ...lost, problem: { kind: 'mismatch' } }),
  'lost-factor-throttled': lostFactorPage({
    ...lost,
    problem: { kind: 'throttled', retryAfterSeconds: 600 },
  }),
  'lost-factor-no-school': lostFactorPage({ ...lost, problem: { kind: 'no_school' } }),
  'lost-factor-no-mail': lostFactorPage({ ...lost, mailIsSent: false }),
  'lost-factor-no-password': lostFactorPage({
    ...lost,
    means: { hasPassword: false, hasSecondFactor: false },
  }),
  'lost-factor-waiting': lostFactorPage({ ...lost, dueAt: since }),
  'factor-elsewhere': factorElsewherePage({
    ...frame,
    schools: [
      { name: hostileName, origin: 'https://harbor.example', sealed: 'c2VhbGVk' },
      { name: 'Heritage', origin: 'https://heritage.example', sealed: 'c2VhbGVk' },
    ],
    path: '/account/email',
  }),
  'other-school': otherSchoolPage({ ...confirming, sealed: 'c2VhbGVk', waiting }),
  'other-school-expired': otherSchoolPage({ ...confirming, sealed: '', waiting: undefined }),
  'other-school-proved': provedForSchoolPage({ ...confirming, waiting, proof: 'c2VhbGVk' }),
  'code-step': signInCodePage(step),
  'code-step-wrong': signInCodePage({
    ...step,
    trustDays: undefined,
    problem: { kind: 'wrong' },
  }),
  'code-step-lost': signInCodePage({
    ...step,
    lost: { kind: 'waiting', dueAt: since, timeZone: 'Asia/Tokyo' },
  }),
  'code-step-no-mail': signInCodePage({ ...step, lost: { kind: 'no_school' } }),
  'code-step-throttled': signInCodePage({
    ...step,
    problem: { kind: 'throttled', retryAfterSeconds: 600 },
  }),
}
