import { historyPage } from '../../src/surfaces/pages/account/history.tsx'
import { sessionsPage } from '../../src/surfaces/pages/account/sessions.tsx'
import {
  everythingEndedPage,
  notMeExpiredPage,
  notMePage,
} from '../../src/surfaces/pages/sign-in/not-me.tsx'
import { formToken, hostileName, person, school, student } from './sample-people.ts'

const timeZone = 'Asia/Taipei'
const evening = new Date('2026-11-14T21:05Z')

const browser = (id: string, device: string) => ({
  id,
  device,
  since: new Date('2026-11-01T12:00Z'),
  lastSeenAt: evening,
})

const sessions = {
  ...{ school, here: '/account/sessions', viewer: student, timeZone },
  current: '1',
  browsers: [browser('1', 'Firefox on Windows')],
  elsewhere: [],
}

const entry = (action: string, more: object = {}) => ({
  ...{ id: action, at: evening, action, isOwn: true, isAll: false },
  ...{ app: undefined, by: undefined, device: undefined },
  ...more,
})

const notMe = { school, formToken, token: 'sg_nm_sample', email: person.email }

const history = {
  ...{ school, here: '/account/history', viewer: student, timeZone },
  entries: [
    entry('person.password_changed', { by: 'current_password' }),
    entry('session.ended', { device: 'Safari on iPhone' }),
    entry('authorization.ended', { by: 'person', app: 'Study Planner' }),
    entry('authorization.granted', { app: hostileName }),
  ],
  next: undefined,
  isFirst: true,
}

/** What a person sees of their sessions, and of what happened to their account. */
export const sampleSessionPages: Record<string, string> = {
  sessions: sessionsPage({
    ...sessions,
    browsers: [...sessions.browsers, browser('2', 'Safari on iPhone'), browser('3', '')],
    elsewhere: [
      { name: 'Harbor School', origin: 'http://harbor.localhost:3000', count: 2 },
      { name: hostileName, origin: 'http://evil.localhost:3000', count: 1 },
    ],
  }),
  'sessions-only-this': sessionsPage(sessions),
  history: historyPage(history),
  'history-none': historyPage({ ...history, entries: [] }),
  'history-older': historyPage({
    ...history,
    next: '01981c5e-7c00-7000-8000-0000000e0001',
    isFirst: false,
  }),
  'not-me': notMePage(notMe),
  'not-me-busy': notMePage({ ...notMe, isBusy: true }),
  'not-me-ended': everythingEndedPage(school),
  'not-me-expired': notMeExpiredPage(school),
}
