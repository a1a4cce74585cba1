import { renderMarkdown } from '../../src/foundation/markdown/render-markdown.ts'
import { connectedAppsPage } from '../../src/surfaces/pages/account/connected-apps.tsx'
import { dataPage } from '../../src/surfaces/pages/account/data.tsx'
import { deleteAccountPage } from '../../src/surfaces/pages/account/delete-account.tsx'
import { passkeysPage } from '../../src/surfaces/pages/account/passkeys.tsx'
import { changePasswordPage } from '../../src/surfaces/pages/account/password.tsx'
import { profilePage } from '../../src/surfaces/pages/account/profile.tsx'
import { accountSettingsPage } from '../../src/surfaces/pages/account/settings.tsx'
import {
  signedOutPage,
  signOutPage,
  signOutRefusedPage,
} from '../../src/surfaces/pages/consent/sign-out.tsx'
import { errorsPage, guidePage } from '../../src/surfaces/pages/developers/docs.tsx'
import { PUBLIC_LISTS } from '../../src/surfaces/pages/frame/public-lists.ts'
import { confirmPage } from '../../src/surfaces/pages/sign-in/confirm.tsx'
import {
  forgottenPasswordPage,
  resetExpiredPage,
  resetPasswordPage,
} from '../../src/surfaces/pages/sign-in/forgotten-password.tsx'
import { keptFormPage } from '../../src/surfaces/pages/sign-in/go-on.tsx'
import { shortPasswordPage } from '../../src/surfaces/pages/sign-in/short-password.tsx'
import { homePage } from '../../src/surfaces/pages/site/home.tsx'
import { publicListPage } from '../../src/surfaces/pages/site/lists.tsx'
import { courseRow, eventRow, planRow } from '../../src/surfaces/pages/site/public-rows.tsx'
import { siteSearchPage } from '../../src/surfaces/pages/site/search.tsx'
import { writingPage } from '../../src/surfaces/pages/site/writing.tsx'
import {
  formToken,
  harbor,
  hostileName,
  owner,
  passkeyQuestion,
  person,
  school,
  student,
} from './sample-people.ts'

const timeZone = 'Asia/Taipei'
const origin = 'http://localhost:3000'
const day = (text: string) => new Date(`${text}Z`)

const text = {
  slug: 'autumn',
  title: 'What is new this autumn',
  publishedAt: day('2026-10-20T06:00'),
}

const first = <R>(rows: readonly R[], hasMore = true) => ({ rows, hasMore })
const none = first<never>([], false)

const home = {
  school,
  here: '/',
  offersSignUp: true,
  tagline: 'Learn by making things',
  description:
    'Evening and weekend courses for people who want to build, draw, write and cook.\n\nTaught by those who do it for a living.',
  timeZone,
  origin,
  developersShown: true,
  courses: first([
    {
      slug: 'typescript',
      title: 'TypeScript from the ground up',
      summary: 'Types that help instead of getting in the way, in forty short lectures.',
      priceAmount: 12900,
      currency: 'USD',
    },
    {
      slug: 'sourdough',
      title: 'Sourdough at home',
      summary: 'A starter, a loaf, and what went wrong.',
      priceAmount: 0,
      currency: 'USD',
    },
    { slug: 'ink', title: 'Ink drawing', summary: '', priceAmount: 1200, currency: 'JPY' },
  ]),
  plans: first([
    {
      slug: 'studio',
      name: 'Studio, yearly',
      interval: 'year' as const,
      courses: ['Ink drawing'],
      priceAmount: 12000,
      currency: 'USD',
    },
  ]),
  products: first([{ slug: 'workbook', title: 'The workbook', priceAmount: 900, currency: 'USD' }]),
  posts: first([text]),
  pages: first([{ ...text, title: 'How to find us' }]),
  events: first([
    {
      slug: 'open-day',
      title: 'Open day',
      startsAt: day('2026-12-05T10:00'),
      location: 'Harbour Street 4',
      isOnline: false,
    },
    {
      slug: 'open-hour',
      title: 'Open hour',
      startsAt: day('2026-12-06T10:00'),
      location: '',
      isOnline: true,
    },
  ]),
}

const description = [
  '# What you build',
  'A **typed service** that you can hand over, with `npm start` and *tests*.',
  '- eight chapters\n- forty lectures',
  '#### What you need',
  '1. a laptop\n2. [Node](https://nodejs.org/)',
  '> The best course I took.',
  '```\nconst answer: number = 42\n```',
  '---',
  '<script>alert("stays text")</script>',
].join('\n\n')

export const sampleCourse = {
  title: 'TypeScript from the ground up',
  summary: 'Types that help instead of getting in the way.',
  lecturers: [{ name: 'Grace Park', headline: 'Engineer' }],
  priceAmount: 12900,
  currency: 'USD',
  description,
  html: renderMarkdown(description),
}

const account = {
  school,
  here: '/account/settings',
  viewer: student,
  person,
  roles: ['student'],
  appCount: 2,
  assistants: ['Claude', 'ChatGPT', 'Cursor'],
  assistantsCanBeOffered: true,
  hasSecondFactor: false,
  otherSchools: [{ name: 'Harbor School', url: 'http://harbor.localhost:3000' }],
  passkeys: { count: 2, question: passkeyQuestion, silent: false },
  waitingDeletions: [],
  removalDueAt: undefined,
  timeZone,
}

const phone = {
  id: '01981c5e-7c00-7000-8000-0000000a0001',
  credentialId: Buffer.from('phone'),
  transports: ['internal'],
  name: 'Chrome on Android',
  isSynced: true,
  isCloned: false,
  createdAt: day('2026-10-02T08:30'),
  lastUsedAt: day('2026-11-10T19:05'),
}

const passkeys = {
  school,
  here: '/account/passkeys',
  viewer: student,
  timeZone,
  question: passkeyQuestion,
  known: { rpId: 'localhost', userId: 'AQID', allAcceptedCredentialIds: [] },
  passkeys: [
    phone,
    {
      ...phone,
      id: '01981c5e-7c00-7000-8000-0000000a0002',
      name: 'Blue security key',
      isSynced: false,
      isCloned: true,
      lastUsedAt: undefined,
    },
  ],
}

const live = (id: string, device: string, lastUsedAt: Date | undefined) => ({
  id,
  device,
  authorizedAt: day('2026-10-02T08:30'),
  lastUsedAt,
})

const apps = {
  school,
  here: '/account/apps',
  viewer: student,
  timeZone,
  variant: 'newer' as const,
  assistantsCanBeOffered: true,
  next: undefined,
  isFirst: true,
  activity: new Map([
    [
      'demo-public',
      [
        {
          kind: 'courses',
          readDays: 3,
          lastReadAt: day('2026-11-14T21:05'),
          changes: 0,
          lastChangedAt: undefined,
        },
        {
          kind: 'notifications',
          readDays: 1,
          lastReadAt: day('2026-11-12T07:30'),
          changes: 2,
          lastChangedAt: day('2026-11-12T07:31'),
        },
      ],
    ],
  ]),
  apps: [
    {
      clientId: 'demo-public',
      name: 'Study Planner',
      kind: 'application' as const,
      audience: 'member' as const,
      reviewed: true,
      logoUrl: '/planner.svg',
      disabled: false,
      wasUsed: true,
      scopes: ['openid', 'profile', 'account:read', 'account:write'],
      authorizations: [
        live('1', 'Safari on iPhone', day('2026-11-14T21:05')),
        live('2', 'Firefox on Linux', undefined),
      ],
    },
    {
      clientId: 'https://claude.example/client.json',
      name: 'Claude Desktop',
      kind: 'document' as const,
      audience: 'operator' as const,
      reviewed: false,
      logoUrl: undefined,
      disabled: false,
      wasUsed: true,
      scopes: ['openid', 'courses:read'],
      authorizations: [live('3', '', day('2026-11-01T12:00'))],
    },
  ],
}

const { email } = person
const password = { school, here: '/account/password', viewer: student, email, minimum: 15 }
const profile = { school, here: '/account/profile', viewer: student, person, storesPictures: true }
const copy = {
  id: '01981c5e-7c00-7000-8000-0000000e0002',
  askedAt: day('2026-10-02T08:30'),
  finishedAt: null,
  expiresAt: null,
  nextAt: day('2026-10-03T08:30'),
}
const data = { school, here: '/account/data', viewer: student, timeZone, storesFiles: true }
const deletion = { school, here: '/account/delete', viewer: student, timeZone, email, waiting: [] }
const waitingDeletions = [
  { part: 'school' as const, dueAt: day('2026-10-16T08:30'), blockedAt: null },
  { part: 'account' as const, dueAt: day('2026-10-16T08:30'), blockedAt: day('2026-10-16T09:00') },
]
const docsFrame = { school, here: '/docs' }
const docs = {
  name: school.name,
  origin,
  variant: 'newer' as const,
  signsIdTokens: true,
  publishesKeys: true,
  mcpConnections: true,
  documents: true,
  foreignDocuments: true,
}

/** Every state of the public and account pages, by the name of its screenshot. */
const forgotten = { school, formToken, afterSignIn: {}, signInUrl: '/sign-in' }

const confirming = {
  asked: 'password' as const,
  school: harbor,
  formToken,
  person,
  returnTo: '/admin/keys',
  cancelUrl: '/admin',
  forgotPasswordUrl: '/forgotten-password',
}

const keptForm = {
  school,
  here: '/admin/courses/new',
  kept: {
    path: '/admin/courses/new',
    page: '/admin/courses/new',
    fields: [
      ['title', hostileName],
      [
        'description',
        `\n${'A long text that took the whole evening. '.repeat(40)}\n</textarea><b>`,
      ],
      ['currency', 'USD'],
      ['if_version', '3'],
    ] as const,
    leftOut: false,
    showsAgain: true,
  },
}

export const sampleSitePages: Record<string, string> = {
  home: homePage(home),
  'home-signed-in': homePage({
    ...home,
    school: harbor,
    viewer: owner,
    personName: 'Olive Owner',
    courses: none,
    plans: none,
    products: none,
    events: none,
    posts: none,
    pages: none,
    tagline: '',
    description: '',
  }),
  'public-courses': publicListPage({
    ...{ school, here: '/courses', timeZone },
    list: PUBLIC_LISTS.courses,
    page: { rows: home.courses.rows, next: 'next', isFirst: true },
    row: courseRow,
  }),
  'public-events': publicListPage({
    ...{ school, here: '/events', timeZone },
    list: PUBLIC_LISTS.events,
    page: { rows: home.events.rows, next: undefined, isFirst: false },
    row: eventRow,
  }),
  'public-plans-none': publicListPage({
    ...{ school: harbor, here: '/plans', timeZone, viewer: student },
    list: PUBLIC_LISTS.plans,
    page: { rows: [], next: undefined, isFirst: true },
    row: planRow,
  }),
  'site-search': siteSearchPage({
    ...{ school, here: '/search', text: 'ink', isTooShort: false },
    hits: Array.from({ length: 10 }, (_, place) => ({
      ...({ kind: place === 0 ? 'course' : 'post', id: `${place}`, slug: 'ink' } as const),
      title: place === 2 ? hostileName : 'Ink drawing',
      text: 'A pen, a bottle and a window.',
      html: place === 1 ? renderMarkdown('A **pen**, a bottle and a window.') : null,
    })),
  }),
  'site-search-nothing': siteSearchPage({
    ...{ school: harbor, here: '/search', viewer: student },
    ...{ text: hostileName.slice(0, 100), isTooShort: false, hits: [] },
  }),
  'site-search-short': siteSearchPage({
    ...{ school, here: '/search', text: '', isTooShort: true, hits: [] },
  }),
  post: writingPage({
    school,
    here: '/posts/autumn',
    timeZone,
    writing: {
      ...text,
      kind: 'post',
      body: 'Three new courses.\n\n[See them](/)',
      html: renderMarkdown('Three new courses.\n\n[See them](/)'),
    },
  }),
  docs: guidePage(docsFrame, docs, true),
  'docs-errors': errorsPage({ school, here: '/docs/errors' }),
  'docs-older': guidePage(
    { ...docsFrame, school: harbor, viewer: owner },
    {
      ...docs,
      name: harbor.name,
      variant: 'older',
      signsIdTokens: false,
      publishesKeys: true,
      mcpConnections: false,
      documents: false,
      foreignDocuments: false,
    },
    false,
  ),
  'account-settings': accountSettingsPage(account),
  'account-settings-owner': accountSettingsPage({
    ...account,
    viewer: owner,
    person: { name: 'Olive Owner', email: 'owner@demo.test' },
    roles: ['owner', 'lecturer'],
    hasSecondFactor: true,
    appCount: 0,
    assistants: [],
    otherSchools: [],
    passkeys: { count: 0, question: passkeyQuestion, silent: false },
    notice: 'Your password was changed.',
  }),
  'account-settings-hostile-name': accountSettingsPage({
    ...account,
    person: { name: hostileName, email: `${'long.'.repeat(40)}@people.example` },
    roles: [],
    otherSchools: [{ name: hostileName, url: 'http://evil.localhost:3000' }],
  }),
  passkeys: passkeysPage(passkeys),
  'passkeys-none': passkeysPage({ ...passkeys, passkeys: [], known: undefined }),
  'passkeys-full': passkeysPage({
    ...passkeys,
    passkeys: Array.from({ length: 20 }, (_, place) => ({ ...phone, id: `${place}` })),
  }),
  'passkeys-hostile-name': passkeysPage({
    ...passkeys,
    passkeys: [{ ...phone, name: hostileName.slice(0, 100) }],
  }),
  'connected-apps': connectedAppsPage(apps),
  'connected-apps-none': connectedAppsPage({
    ...apps,
    apps: [],
    notice: 'Ended. The app can no longer use your account from there.',
  }),
  'connected-apps-first-page': connectedAppsPage({
    ...apps,
    next: '01981c5e-7c00-7000-8000-0000000e0001',
  }),
  'connected-apps-switched-off': connectedAppsPage({
    ...apps,
    apps: apps.apps.map((app) => ({ ...app, disabled: true })),
  }),
  'connected-apps-hostile-name': connectedAppsPage({
    ...apps,
    apps: apps.apps.map((app) => ({ ...app, name: hostileName })),
  }),
  confirm: confirmPage(confirming),
  'confirm-code': confirmPage({ ...confirming, asked: 'code' }),
  'confirm-code-wrong': confirmPage({
    ...confirming,
    asked: 'code',
    problem: { kind: 'mismatch' },
  }),
  'confirm-passkey': confirmPage({
    ...confirming,
    passkey: passkeyQuestion,
    problem: { kind: 'passkey_refused' },
  }),
  'confirm-passkey-alone': confirmPage({
    ...confirming,
    asked: 'passkey',
    passkey: passkeyQuestion,
  }),
  'confirm-by-factor': confirmPage({
    ...confirming,
    asked: 'passkey',
    byFactor: true,
    passkey: passkeyQuestion,
    problem: { kind: 'passkey_missing' },
  }),
  'confirm-wrong': confirmPage({ ...confirming, problem: { kind: 'mismatch' } }),
  'confirm-throttled': confirmPage({
    ...confirming,
    interrupted: 'too_long',
    problem: { kind: 'throttled', retryAfterSeconds: 600 },
  }),
  'kept-form': keptFormPage({ ...keptForm, viewer: owner }),
  'kept-form-button': keptFormPage({
    ...keptForm,
    viewer: student,
    kept: { ...keptForm.kept, fields: [], leftOut: true, showsAgain: false },
  }),
  profile: profilePage(profile),
  'profile-problem-name': profilePage({
    ...profile,
    person: { name: hostileName, email },
    problem: { kind: 'name', typed: hostileName, detail: 'Use at most 200 characters.' },
  }),
  'profile-problem-picture': profilePage({
    ...profile,
    problem: { kind: 'picture', problem: 'too_large' },
  }),
  'profile-without-pictures': profilePage({ ...profile, storesPictures: false }),
  data: dataPage({ ...data, copy: undefined }),
  'data-waiting': dataPage({ ...data, copy: { ...copy, state: 'waiting' } }),
  'data-ready': dataPage({
    ...data,
    copy: {
      ...copy,
      state: 'done',
      finishedAt: day('2026-10-02T08:31'),
      expiresAt: day('2026-10-05T08:31'),
    },
  }),
  'data-failed': dataPage({ ...data, copy: { ...copy, state: 'failed', nextAt: null } }),
  'data-without-files': dataPage({ ...data, copy: undefined, storesFiles: false }),
  'account-deletion-waiting': accountSettingsPage({ ...account, waitingDeletions }),
  'account-factors-lost': accountSettingsPage({
    ...account,
    removalDueAt: day('2026-10-16T08:30'),
  }),
  'delete-account': deleteAccountPage(deletion),
  'delete-account-wrong-email': deleteAccountPage({
    ...deletion,
    problem: { kind: 'wrong_email', typed: 'ada@demo.tset' },
  }),
  'delete-account-waiting': deleteAccountPage({ ...deletion, waiting: waitingDeletions }),
  'delete-account-last-owner': deleteAccountPage({
    ...deletion,
    viewer: owner,
    problem: { kind: 'last_owner', schools: [hostileName, 'Harbor School'] },
  }),
  'password-change': changePasswordPage(password),
  'password-change-problems': changePasswordPage({
    ...password,
    problem: { kind: 'missing', current: true, next: true },
  }),
  'password-change-throttled': changePasswordPage({
    ...password,
    problem: { kind: 'throttled', retryAfterSeconds: 600 },
  }),
  'forgotten-password': forgottenPasswordPage({ ...forgotten, state: { kind: 'asking' } }),
  'forgotten-password-missing': forgottenPasswordPage({
    ...forgotten,
    state: { kind: 'missing' },
  }),
  'forgotten-password-throttled': forgottenPasswordPage({
    ...forgotten,
    state: { kind: 'throttled', retryAfterSeconds: 1800 },
  }),
  'forgotten-password-sent': forgottenPasswordPage({ ...forgotten, state: { kind: 'sent' } }),
  'forgotten-password-unavailable': forgottenPasswordPage({
    ...forgotten,
    state: { kind: 'unavailable' },
  }),
  'short-password': shortPasswordPage({
    ...{ school, formToken, email },
    proof: 'sealed',
    minimum: 15,
    afterSignIn: {},
  }),
  'short-password-common': shortPasswordPage({
    ...{ school, formToken, email },
    proof: 'sealed',
    minimum: 15,
    afterSignIn: {},
    problem: { kind: 'unfit', problem: 'common' },
  }),
  'reset-password': resetPasswordPage({
    ...{ school, formToken, email },
    token: 'sg_pr_sample',
    minimum: 15,
  }),
  'reset-password-too-short': resetPasswordPage({
    school,
    formToken,
    token: 'sg_pr_sample',
    email,
    minimum: 8,
    problem: { kind: 'unfit', problem: 'too_short' },
  }),
  'reset-password-expired': resetExpiredPage(school),
  'sign-out': signOutPage({ school, person, formToken }),
  'sign-out-for-app': signOutPage({
    ...{ school, person, formToken },
    app: { name: 'Study Planner', sealedRequest: 'sealed' },
  }),
  'signed-out': signedOutPage({
    school,
    target: { clientName: 'Study Planner', url: 'https://planner.example/' },
  }),
  'sign-out-refused': signOutRefusedPage({
    school,
    reference: 'req-1',
    explanation: 'post_logout_redirect_uri is not registered for this application.',
  }),
}
