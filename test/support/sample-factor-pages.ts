import { otpauthUrl } from '../../src/foundation/crypto/totp.ts'
import {
  recoveryCodesPage,
  secondFactorPage,
  setupFactorPage,
} from '../../src/surfaces/pages/views/second-factor.tsx'
import { signInCodePage } from '../../src/surfaces/pages/views/sign-in-code.tsx'
import { formToken, hostileName, person, school, student } from './sample-people.ts'

const frame = {
  school,
  here: '/account/second-factor',
  viewer: student,
  timeZone: 'Asia/Taipei',
}

const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const setup = {
  ...frame,
  setup: { secret, sealed: 'sealed' },
  otpauthUrl: otpauthUrl(secret, school.name, person.email),
}

const step = {
  ...{ school, formToken, email: person.email },
  step: 'sealed',
  trustDays: 30,
  afterSignIn: {},
}

const codes = Array.from({ length: 10 }, (_, n) => `${1000 + n}-2222-3333-4444-5555`)
const since = new Date('2026-10-20T06:00Z')

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
  'sign-in-code': signInCodePage(step),
  'sign-in-code-wrong': signInCodePage({
    ...step,
    trustDays: undefined,
    problem: { kind: 'wrong' },
  }),
  'sign-in-code-throttled': signInCodePage({
    ...step,
    problem: { kind: 'throttled', retryAfterSeconds: 600 },
  }),
}
