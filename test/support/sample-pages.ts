import { SCOPES_OF_AUDIENCE } from '../../src/domain/clients/scope-catalogue.ts'
import {
  expiredRequestPage,
  unavailablePage,
  unknownSchoolPage,
} from '../../src/foundation/html/error-page.tsx'
import {
  brokenRequestPage,
  heldRedirectPage,
  unknownClientPage,
  unpermittedHostPage,
  wrongRedirectUriPage,
} from '../../src/surfaces/oauth/app-error-pages.tsx'
import { consentPage } from '../../src/surfaces/pages/consent/consent.tsx'
import { noRolePage, operatorOnlyPage } from '../../src/surfaces/pages/consent/refusals.tsx'
import {
  schoolMadePage,
  setupPage,
  unsafeSetupPage,
} from '../../src/surfaces/pages/setup/setup.tsx'
import { signInPage } from '../../src/surfaces/pages/sign-in/show-sign-in.tsx'
import { sampleAccountPages } from './sample-account-pages.ts'
import { sampleAdminPages } from './sample-admin-pages.ts'
import { sampleAnalyticsPages } from './sample-analytics-pages.ts'
import { sampleAssistantPages } from './sample-assistant-pages.ts'
import { sampleConsultingPages } from './sample-consulting-pages.ts'
import { sampleFactorPages } from './sample-factor-pages.ts'
import { sampleFormPages } from './sample-form-pages.ts'
import { sampleLecturePages } from './sample-lecture-pages.ts'
import { sampleMemberPages } from './sample-member-pages.ts'
import { sampleOfferPages } from './sample-offer-pages.ts'
import { formToken, harbor, hostileName, passkeyQuestion, person, school } from './sample-people.ts'
import { sampleSchoolPages } from './sample-school-pages.ts'
import { sampleSessionPages } from './sample-session-pages.ts'
import { sampleSitePages } from './sample-site-pages.ts'
import { sampleToolPages } from './sample-tool-pages.ts'
import { sampleTransferPages } from './sample-transfer-pages.ts'

const sealedRequest = 'c2VhbGVkLXJlcXVlc3Q'
const reference = 'req-7f3k2m9q'
const setupValues = {
  school_name: '',
  origin: 'http://localhost:3000',
  subdomain: 'school',
  name: '',
  email: '',
}
const switchAccount = { action: '/sign-out', sealedRequest }

const signIn = {
  school,
  action: '/sign-in',
  formToken,
  passkey: passkeyQuestion,
  forgotPasswordUrl: '/forgotten-password',
}

const consent = {
  variant: 'newer' as const,
  school,
  person,
  formToken,
  sealedRequest,
  switchAccount,
  audience: 'member' as const,
  idleDays: 90,
  action: '/oauth/authorize/decision',
  scopes: ['openid', 'profile', 'email', 'account:read', 'account:write'],
  visible: new Map([
    [
      'account:read',
      [
        { one: 'course', many: 'courses', count: 3 },
        { one: 'payment', many: 'payments', count: 12 },
        { one: 'booking', many: 'bookings', count: 1 },
        { one: 'notification', many: 'notifications', count: 101 },
      ],
    ],
  ]),
  client: {
    name: 'Study Planner',
    kind: 'application' as const,
    logoUrl: '/planner.svg',
    redirectHost: 'planner.example',
    reviewed: true,
    onOwnDevice: false,
  },
}

const document = {
  name: 'Claude Desktop',
  kind: 'document' as const,
  host: 'claude.example',
  redirectHost: '127.0.0.1',
  reviewed: false,
  onOwnDevice: true,
}

/** Every state of every page, by the name of its screenshot. */
export const samplePages: Record<string, string> = {
  'sign-in': signInPage(signIn),
  'sign-in-for-an-app': signInPage({
    ...signIn,
    school: harbor,
    sealedRequest,
    email: 'ada@demo.test',
    client: { name: 'Claude Desktop', host: 'claude.example' },
  }),
  'sign-in-mismatch': signInPage({
    ...signIn,
    email: 'ada@demo.test',
    problem: { kind: 'mismatch' },
  }),
  'sign-in-missing': signInPage({
    ...signIn,
    problem: { kind: 'missing', email: true, password: true },
  }),
  'sign-in-throttled': signInPage({
    ...signIn,
    email: 'ada@demo.test',
    problem: { kind: 'throttled', retryAfterSeconds: 840 },
  }),
  'sign-in-passkey-refused': signInPage({
    ...signIn,
    problem: {
      kind: 'passkey_refused',
      unknown: { rpId: 'localhost', credentialId: 'AQIDBA' },
    },
  }),
  'sign-in-passkey-expired': signInPage({ ...signIn, problem: { kind: 'passkey_expired' } }),
  'sign-in-passkey-unverified': signInPage({ ...signIn, problem: { kind: 'passkey_unverified' } }),
  'sign-in-with-sign-up': signInPage({ ...signIn, signUpUrl: '/sign-up' }),
  'sign-in-new-password': signInPage({ ...signIn, newPassword: true }),
  'sign-in-new-school': signInPage({ ...signIn, newSchool: true }),
  'sign-in-interrupted': signInPage({ ...signIn, keptForm: 'c2VhbGVk', interrupted: 'kept' }),
  consent: consentPage(consent),
  'consent-read-only': consentPage({
    ...consent,
    school: harbor,
    scopes: ['account:read', 'openid'],
    client: { ...consent.client, kind: 'document', host: 'planner.example' },
  }),
  'consent-not-reviewed': consentPage({
    ...consent,
    audience: 'operator',
    person: { name: 'Olive Owner', email: 'owner@demo.test' },
    scopes: ['openid', 'courses:read', 'students:read'],
    client: document,
  }),
  'consent-operator': consentPage({
    ...consent,
    audience: 'operator',
    scopes: [...SCOPES_OF_AUDIENCE.operator],
    client: {
      ...consent.client,
      name: 'Visual Studio Code',
      kind: 'vendor',
      redirectHost: 'vscode.dev',
    },
  }),
  'consent-tool-of-the-school': consentPage({
    ...consent,
    audience: 'operator',
    scopes: ['openid', 'orders:read', 'analytics:read'],
    client: {
      ...document,
      name: 'Monthly reports',
      kind: 'tool',
      host: undefined,
      reviewed: true,
    },
  }),
  'consent-hostile-name': consentPage({
    ...consent,
    person: { ...person, name: hostileName },
    scopes: ['openid', 'grades:read'],
    client: { ...document, name: hostileName, host: `${'long-host.'.repeat(20)}evil.example` },
  }),
  'operator-only': operatorOnlyPage({ ...consent, clientName: 'ChatGPT' }),
  'no-role': noRolePage({
    school,
    person,
    formToken,
    switchAccount,
    reference,
    schools: [
      { name: 'Harbor School', url: 'http://harbor.localhost:3000' },
      { name: 'Heritage School', url: 'http://heritage.localhost:3000' },
    ],
  }),
  'error-unknown-school': unknownSchoolPage({ reference, host: 'demmo.localhost:3000' }),
  'error-redirect-uri': wrongRedirectUriPage({
    school,
    reference,
    clientId: 'demo-public',
    redirectUri: 'https://evil.example/callback',
    kind: 'application',
  }),
  'error-redirect-uri-of-a-platform': wrongRedirectUriPage({
    school,
    reference,
    clientId: 'vendor-chatgpt',
    redirectUri: `https://chatgpt.com/connector/oauth/${'Zt4'.repeat(12)}`,
    kind: 'vendor',
  }),
  'error-unknown-client': unknownClientPage({
    school,
    reference,
    clientId: 'demo-publik',
    explanation: 'No application with this client_id is known at this school.',
  }),
  'error-unpermitted-host': unpermittedHostPage({
    school,
    reference,
    clientId: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
    explanation:
      'This school does not permit client metadata documents from claude.ai. Its operator can permit the host.',
    host: 'claude.ai',
  }),
  'error-held-redirect': heldRedirectPage({
    school,
    reference,
    explanation: 'response_type must be code.',
    location: 'https://tool.example/callback?error=unsupported_response_type',
  }),
  'error-broken-request': brokenRequestPage({
    school,
    reference,
    explanation: 'client_id is missing.',
  }),
  setup: setupPage({ formToken, values: setupValues }),
  'setup-problems': setupPage({
    formToken,
    values: { ...setupValues, school_name: hostileName, email: 'grace' },
    problems: {
      email: 'Enter an email address, such as name@school.example.',
      password: 'Use at least 15 characters.',
    },
  }),
  'setup-wrong-code': setupPage({
    formToken,
    values: setupValues,
    codeProblem: { kind: 'wrong', triesLeft: 1 },
  }),
  'setup-code-over': setupPage({ formToken, values: setupValues, codeProblem: { kind: 'over' } }),
  'setup-unsafe': unsafeSetupPage({ reference, host: 'north.example' }),
  'setup-elsewhere': schoolMadePage({ reference, origin: 'https://north.example' }),
  'error-expired': expiredRequestPage({ school, reference }),
  'error-unavailable': unavailablePage({ school: harbor, reference }),
  ...sampleSitePages,
  ...sampleLecturePages,
  ...sampleFormPages,
  ...sampleOfferPages,
  ...sampleSessionPages,
  ...sampleAccountPages,
  ...sampleMemberPages,
  ...sampleAdminPages,
  ...sampleAssistantPages,
  ...sampleFactorPages,
  ...sampleToolPages,
  ...sampleSchoolPages,
  ...sampleTransferPages,
  ...sampleConsultingPages,
  ...sampleAnalyticsPages,
}
