import { hash } from '@node-rs/argon2'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  enterCode,
  enterPassword,
  type SecondFactorOf,
  withSecondFactor,
} from '../../support/authenticator.ts'
import { aSetup, ask } from '../../support/authorization.ts'
import { hiddenFields, Visitor } from '../../support/browser-like.ts'
import { PASSWORD, sharedWorld, type TestPerson, type TestSchool } from '../../support/world.ts'

const PATH = '/sign-in/code'
const world = await sharedWorld()
const { db } = world.database
let school: TestSchool
let ada: TestPerson
let factor: SecondFactorOf

beforeAll(async () => {
  school = await world.aSchool()
})

/** Each test has its own person: no code works twice. */
async function aPersonWithFactor(where = school): Promise<void> {
  ada = await world.aMember(where)
  factor = await withSecondFactor(world, where, ada)
}

const isSignedIn = async (visitor: Visitor) => (await visitor.get('/account')).statusCode === 200

const methodsOf = async ({ id }: TestPerson) =>
  (
    await db.selectFrom('browser_sessions').select('methods').where('user_id', '=', id).execute()
  ).map(({ methods }) => methods)

describe('a password sign-in of a person with a second factor', () => {
  test('asks for the code, begins no session before it, and continues where the person was going', async () => {
    await aPersonWithFactor()
    const visitor = new Visitor(world, school)
    const form = await visitor.get('/sign-in?return_to=%2Faccount%2Fapps')
    const page = await visitor.signIn(form, ada)
    expect(page.statusCode).toBe(200)
    expect(page.body).toContain('autocomplete="one-time-code"')
    expect(page.body).toContain('inputmode="numeric"')
    expect(await isSignedIn(visitor)).toBe(false)
    expect(await methodsOf(ada)).toEqual([])
    const done = await enterCode(visitor, page, factor.app.code())
    expect(done.headers.location).toBe('/account/apps')
    expect(await isSignedIn(visitor)).toBe(true)
    expect(await methodsOf(ada)).toEqual([['password', 'code']])
  })

  test('a wrong password is refused as for everyone, without a word about codes', async () => {
    await aPersonWithFactor()
    const page = await enterPassword(new Visitor(world, school), ada, 'a guess at a password')
    expect(page.statusCode).toBe(401)
    expect(page.body).not.toContain('authenticator')
  })

  test('accepts the code of the step before and with spaces; says what is wrong with others', async () => {
    await aPersonWithFactor()
    const visitor = new Visitor(world, school)
    const page = await enterPassword(visitor, ada)
    const missing = await enterCode(visitor, page, ' ')
    expect([missing.statusCode, missing.body.includes('Enter the code.')]).toEqual([400, true])
    const wrong = await enterCode(visitor, missing, factor.app.wrongCode())
    expect([wrong.statusCode, wrong.body.includes('wrong or was used')]).toEqual([401, true])
    const code = factor.app.code(1)
    const done = await enterCode(visitor, wrong, ` ${code.slice(0, 3)} ${code.slice(3)} `)
    expect(done.headers.location).toBe('/account')
  })

  test('the app that waits gets its authorization code afterwards', async () => {
    const setup = await aSetup(world)
    const { app } = await withSecondFactor(world, setup.school, setup.person)
    const visitor = new Visitor(world, setup.school)
    const form = await visitor.follow(await ask(setup, {}, visitor))
    const page = await visitor.signIn(form, setup.person)
    const consent = await visitor.follow(await enterCode(visitor, page, app.code()))
    const decided = await visitor.decide(consent, 'allow')
    expect(String(decided.headers.location)).toContain('code=')
  })

  test('a form whose session has ended waits behind the code too', async () => {
    ada = await world.aMember(school, ['owner'])
    factor = await withSecondFactor(world, school, ada)
    const visitor = new Visitor(world, school)
    await enterCode(visitor, await enterPassword(visitor, ada), factor.app.code())
    const action = '/admin/settings/security'
    const fields = hiddenFields((await visitor.get('/admin/settings')).body, action)
    await db.deleteFrom('browser_sessions').where('user_id', '=', ada.id).execute()
    const form = await visitor.post(action, { ...fields, end_authorization_on_replay: 'on' })
    const step = await visitor.signIn(form, ada)
    const kept = await enterCode(visitor, step, factor.app.code(1))
    expect(kept.statusCode).toBe(200)
    expect(hiddenFields(kept.body, action)).toHaveProperty('form_token')
  })

  test('a reload of the page leads to sign-in', async () => {
    const answer = await new Visitor(world, school).get(PATH)
    expect(answer.headers.location).toBe('/sign-in')
  })
})

describe('an attacker who knows the password', () => {
  test('cannot use a code that the person has used: code replay', async () => {
    await aPersonWithFactor()
    const [person, thief] = [new Visitor(world, school), new Visitor(world, school)]
    const code = factor.app.code()
    const used = await enterCode(person, await enterPassword(person, ada), code)
    expect(used.statusCode).toBe(303)
    const replayed = await enterCode(thief, await enterPassword(thief, ada), code)
    expect(replayed.statusCode).toBe(401)
    expect(await isSignedIn(thief)).toBe(false)
  })

  test('cannot use an older code than the last one, although its step would still count', async () => {
    await aPersonWithFactor()
    const [person, thief] = [new Visitor(world, school), new Visitor(world, school)]
    const [older, newer] = [factor.app.code(), factor.app.code(1)]
    expect((await enterCode(person, await enterPassword(person, ada), newer)).statusCode).toBe(303)
    expect((await enterCode(thief, await enterPassword(thief, ada), older)).statusCode).toBe(401)
  })

  test('wins nothing by sending one code twice at once: a single session begins', async () => {
    await aPersonWithFactor()
    const visitors = Array.from({ length: 4 }, () => new Visitor(world, school))
    const pages = await Promise.all(visitors.map((visitor) => enterPassword(visitor, ada)))
    const code = factor.app.code()
    const answers = await Promise.all(
      visitors.map((visitor, n) => enterCode(visitor, pages[n] as never, code)),
    )
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([303, 401, 401, 401])
    expect(await methodsOf(ada)).toHaveLength(1)
  })

  test('cannot guess: ten wrong codes are the most, and typing the password again resets nothing', async () => {
    await aPersonWithFactor()
    const thief = new Visitor(world, school)
    const page = await enterPassword(thief, ada)
    for (let n = 0; n < 10; n++) {
      expect((await enterCode(thief, page, factor.app.wrongCode(n))).statusCode).toBe(401)
    }
    const again = await enterPassword(thief, ada)
    expect(again.statusCode).toBe(200)
    const late = await enterCode(thief, again, factor.app.code())
    expect(late.statusCode).toBe(429)
    expect(Number(late.headers['retry-after'])).toBeGreaterThan(0)
    expect(late.body).toContain('Too many wrong codes')
    expect(await isSignedIn(thief)).toBe(false)
    // Guesses that come at once count before they are checked.
    const other = new Visitor(world, school)
    const same = await enterPassword(other, ada)
    const flood = await Promise.all(
      Array.from({ length: 15 }, (_, n) => enterCode(other, same, factor.app.wrongCode(n))),
    )
    expect(flood.filter(({ statusCode }) => statusCode === 401)).toHaveLength(0)
  })

  test('cannot guess from many addresses either: thirty wrong codes a day are the most', async () => {
    await aPersonWithFactor()
    const thief = new Visitor(world, school)
    const page = await enterPassword(thief, ada)
    const tried: number[] = []
    for (let n = 0; n < 4; n++) {
      // As from another address: the counters of an address have a window of 15 minutes.
      const soon = new Date(Date.now() + 3_600_000)
      await db.deleteFrom('sign_in_throttles').where('window_ends_at', '<', soon).execute()
      for (let i = 0; i < 10; i++) {
        tried.push((await enterCode(thief, page, factor.app.wrongCode(i))).statusCode)
      }
    }
    expect(tried.filter((status) => status === 401)).toHaveLength(30)
    expect(tried.at(-1)).toBe(429)
  })

  test('does not multiply the guesses by browsers that signed in before the app was added', async () => {
    ada = await world.aMember(school)
    const browsers = [new Visitor(world, school), new Visitor(world, school)]
    for (const browser of browsers) await enterPassword(browser, ada)
    factor = await withSecondFactor(world, school, ada)
    const [first, second] = browsers as [Visitor, Visitor]
    const page = await enterPassword(first, ada)
    for (let n = 0; n < 10; n++) {
      expect((await enterCode(first, page, factor.app.wrongCode(n))).statusCode).toBe(401)
    }
    const other = await enterCode(second, await enterPassword(second, ada), factor.app.wrongCode())
    expect(other.statusCode).toBe(429)
  })

  test('does not multiply the guesses by browsers that gave a code of an app before this one', async () => {
    await aPersonWithFactor()
    const former = new Visitor(world, school)
    await enterCode(former, await enterPassword(former, ada), factor.app.code())
    await db.deleteFrom('authenticators').where('user_id', '=', ada.id).execute()
    factor = await withSecondFactor(world, school, ada)
    const thief = new Visitor(world, school)
    const page = await enterPassword(thief, ada)
    for (let n = 0; n < 10; n++) await enterCode(thief, page, factor.app.wrongCode(n))
    const asked = await enterPassword(former, ada)
    expect((await enterCode(former, asked, factor.app.wrongCode())).statusCode).toBe(429)
  })

  test('cannot lock the person out: recovery codes and known browsers still sign in', async () => {
    await aPersonWithFactor()
    const known = new Visitor(world, school)
    await enterCode(known, await enterPassword(known, ada), factor.app.code())
    const thief = new Visitor(world, school)
    const page = await enterPassword(thief, ada)
    for (let n = 0; n < 11; n++) await enterCode(thief, page, factor.app.wrongCode(n))
    const again = await enterCode(known, await enterPassword(known, ada), factor.app.code(1))
    expect(again.statusCode).toBe(303)
    const fresh = new Visitor(world, school)
    const [code = ''] = factor.recoveryCodes
    const recovered = await enterCode(fresh, await enterPassword(fresh, ada), code)
    expect(recovered.statusCode).toBe(303)
  })

  test('cannot reach the page of the longer password without the code', async () => {
    await aPersonWithFactor()
    const short = await hash('short', { memoryCost: 8, timeCost: 1, parallelism: 1 })
    await db.updateTable('users').set({ password_hash: short }).where('id', '=', ada.id).execute()
    const visitor = new Visitor(world, school)
    const page = await enterPassword(visitor, ada, 'short')
    expect(page.body).toContain('Enter your code')
    const longer = await enterCode(visitor, page, factor.app.code())
    expect(longer.statusCode).toBe(200)
    expect(longer.body).toContain('at least 8 characters')
    expect(await methodsOf(ada)).toEqual([])
    const fields = hiddenFields(longer.body, '/sign-in/new-password')
    const done = await visitor.post('/sign-in/new-password', {
      ...fields,
      new_password: 'crow lamp 7',
    })
    expect(done.headers.location).toBe('/account')
    expect(await methodsOf(ada)).toEqual([['password', 'code']])
  })
})

describe('the sealed step between password and code', () => {
  test('works in its browser alone, at its school alone, and not for another person', async () => {
    await aPersonWithFactor()
    const visitor = new Visitor(world, school)
    const fields = hiddenFields((await enterPassword(visitor, ada)).body, PATH)
    const stranger = new Visitor(world, school)
    const code = factor.app.code()
    expect((await stranger.post(PATH, { ...fields, code })).statusCode).toBe(403)
    const own = hiddenFields((await stranger.get('/sign-in')).body, '/sign-in')
    const planted = { ...fields, form_token: own.form_token ?? '', code }
    expect((await stranger.post(PATH, planted)).headers.location).toBe('/sign-in')
    const elsewhere = new Visitor(world, await world.aSchool())
    const other = hiddenFields((await elsewhere.get('/sign-in')).body, '/sign-in')
    const carried = await elsewhere.post(PATH, { ...planted, form_token: other.form_token ?? '' })
    expect(carried.headers.location).toBe('/sign-in')
    // A code of one's own second factor does not open the account of another person.
    const eve = await world.aMember(school)
    const eves = await withSecondFactor(world, school, eve)
    const wrong = await visitor.post(PATH, { ...fields, code: eves.app.code() })
    expect(wrong.statusCode).toBe(401)
    expect((await visitor.post(PATH, { ...fields, code })).statusCode).toBe(303)
    expect(await methodsOf(eve)).toEqual([])
  })

  test('is worth nothing forged, changed, or after the password was changed', async () => {
    await aPersonWithFactor()
    const visitor = new Visitor(world, school)
    const fields = hiddenFields((await enterPassword(visitor, ada)).body, PATH)
    const code = factor.app.code()
    const { step = '' } = fields
    for (const forged of ['', 'x', `A${step}`, step.slice(1)]) {
      const answer = await visitor.post(PATH, { ...fields, step: forged, code })
      expect(answer.headers.location).toBe('/sign-in')
    }
    const other = await hash(PASSWORD, { memoryCost: 8, timeCost: 1, parallelism: 1 })
    await db.updateTable('users').set({ password_hash: other }).where('id', '=', ada.id).execute()
    expect((await visitor.post(PATH, { ...fields, code })).headers.location).toBe('/sign-in')
    expect(await methodsOf(ada)).toEqual([])
  })
})

describe('a recovery code', () => {
  test('signs in once, is audited, and never again: recovery code twice', async () => {
    await aPersonWithFactor()
    const [code = ''] = factor.recoveryCodes
    const first = new Visitor(world, school)
    const done = await enterCode(first, await enterPassword(first, ada), code.replaceAll('-', ' '))
    expect(done.statusCode).toBe(303)
    expect(await methodsOf(ada)).toEqual([['password', 'recovery_code']])
    const second = new Visitor(world, school)
    const again = await enterCode(second, await enterPassword(second, ada), code)
    expect(again.statusCode).toBe(401)
    const entries = await school.db
      .from('audit_entries')
      .select('detail')
      .where('actor_user_id', '=', ada.id)
      .where('action', '=', 'factor.used_recovery_code')
      .execute()
    expect(entries).toEqual([{ detail: { left: 9 } }])
    expect((await first.get('/account/second-factor')).body).toContain('9 codes left')
  })

  test('sent twice at once begins one session', async () => {
    await aPersonWithFactor()
    const [code = ''] = factor.recoveryCodes
    const visitors = Array.from({ length: 3 }, () => new Visitor(world, school))
    const pages = await Promise.all(visitors.map((visitor) => enterPassword(visitor, ada)))
    const answers = await Promise.all(
      visitors.map((visitor, n) => enterCode(visitor, pages[n] as never, code)),
    )
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([303, 401, 401])
  })

  test('of another person does not count', async () => {
    await aPersonWithFactor()
    const eve = await world.aMember(school)
    const { recoveryCodes } = await withSecondFactor(world, school, eve)
    const visitor = new Visitor(world, school)
    const page = await enterPassword(visitor, ada)
    expect((await enterCode(visitor, page, recoveryCodes[0] ?? '')).statusCode).toBe(401)
  })
})
