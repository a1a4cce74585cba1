import { beforeAll, describe, expect, test } from 'vitest'
import {
  enterCode,
  enterPassword,
  keyOn,
  recoveryCodesOn,
  switchOn,
  TestAuthenticator,
  withSecondFactor,
} from '../../support/authenticator.ts'
import { hiddenFields, Visitor } from '../../support/browser-like.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { PASSWORD, sharedWorld, type TestPerson, type TestSchool } from '../../support/world.ts'

const PAGE = '/account/second-factor'
const SETUP = `${PAGE}/new`
const world = await sharedWorld()
const { db } = world.database
let school: TestSchool
let ada: TestPerson
let visitor: Visitor

beforeAll(async () => {
  school = await world.aSchool()
})

async function aVisitor(): Promise<void> {
  ada = await world.aMember(school)
  visitor = await signedIn(world, school, ada)
}

const actionsAbout = async ({ id }: TestPerson) =>
  (
    await school.db
      .from('audit_entries')
      .select('action')
      .where('actor_user_id', '=', id)
      .where('action', 'like', 'factor.%')
      .orderBy('id')
      .execute()
  ).map(({ action }) => action)

const stored = async ({ id }: TestPerson) =>
  await db.selectFrom('authenticators').selectAll().where('user_id', '=', id).execute()

describe('switching the second factor on', () => {
  test('needs a code of the key that was shown, and then shows ten recovery codes once', async () => {
    await aVisitor()
    expect((await visitor.get('/account/settings')).body).toContain(
      'Off: anyone who learns your password',
    )
    expect((await visitor.get(PAGE)).body).toContain('It is off')
    const page = await visitor.get(SETUP)
    const app = new TestAuthenticator(keyOn(page))
    const url = /href="(otpauth:[^"]+)"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect(new URL(url).searchParams.get('secret')).toBe(keyOn(page).replaceAll(' ', ''))
    expect(page.body).toMatch(/<svg class="qr-code"[^>]*><rect[^>]*\/?>.*<path d="M[^"]+z"/s)
    expect(page.body).not.toContain('style=')
    const wrong = await visitor.post(SETUP, {
      ...hiddenFields(page.body, SETUP),
      code: app.wrongCode(),
    })
    expect(wrong.statusCode).toBe(400)
    expect(keyOn(wrong)).toBe(keyOn(page))
    expect(await stored(ada)).toEqual([])
    const done = await visitor.post(SETUP, {
      ...hiddenFields(wrong.body, SETUP),
      code: app.code(),
    })
    expect(done.statusCode).toBe(200)
    expect(new Set(recoveryCodesOn(done)).size).toBe(10)
    expect(done.headers['cache-control']).toBe('no-store')
    const on = await visitor.get(PAGE)
    expect(on.body).toContain('It is on')
    expect(on.body).toContain('10 codes left')
    expect(recoveryCodesOn(on)).toEqual([])
    expect((await visitor.get('/account/settings')).body).toContain('On: with your password')
    expect(await actionsAbout(ada)).toEqual(['factor.added'])
  })

  test('ends the other sessions of the person, and this one counts as proved by a code', async () => {
    await aVisitor()
    const elsewhere = await signedIn(world, school, ada)
    await switchOn(visitor)
    expect((await elsewhere.get('/account')).statusCode).toBe(303)
    expect((await visitor.get('/account')).statusCode).toBe(200)
    const { methods } = await db
      .selectFrom('browser_sessions')
      .select('methods')
      .where('user_id', '=', ada.id)
      .executeTakeFirstOrThrow()
    expect(methods).toEqual(['password', 'code'])
  })

  test('cannot replace a second factor that is on, not even by a form from before', async () => {
    await aVisitor()
    const before = await visitor.get(SETUP)
    await switchOn(visitor)
    const [own] = await stored(ada)
    expect((await visitor.get(SETUP)).headers.location).toBe(PAGE)
    const second = await visitor.post(SETUP, {
      ...hiddenFields(before.body, SETUP),
      code: new TestAuthenticator(keyOn(before)).code(),
    })
    expect(second.headers.location).toBe(PAGE)
    expect(await stored(ada)).toEqual([own])
  })

  test('a key that another person was shown cannot be enrolled for this one', async () => {
    await aVisitor()
    const eve = await signedIn(world, school, await world.aMember(school))
    const hers = await eve.get(SETUP)
    const { setup = '' } = hiddenFields(hers.body, SETUP)
    const own = hiddenFields((await visitor.get(SETUP)).body, SETUP)
    const code = new TestAuthenticator(keyOn(hers)).code()
    const answer = await visitor.post(SETUP, { ...own, setup, code })
    expect(answer.headers.location).toBe(`${PAGE}?done=expired`)
    expect(await stored(ada)).toEqual([])
  })

  test('a form of another browser or another site is refused', async () => {
    await aVisitor()
    const page = await visitor.get(SETUP)
    const fields = {
      ...hiddenFields(page.body, SETUP),
      code: new TestAuthenticator(keyOn(page)).code(),
    }
    const other = await signedIn(world, school, ada)
    expect((await other.post(SETUP, fields)).statusCode).toBe(403)
    const foreign = { origin: 'https://evil.example' }
    expect((await visitor.post(SETUP, fields, foreign)).statusCode).toBe(403)
    for (const action of ['codes', 'off']) {
      expect((await visitor.post(`${PAGE}/${action}`, {})).statusCode).toBe(403)
    }
  })
})

describe('a person whose second factor is on', () => {
  test('makes new recovery codes, and the old ones stop working', async () => {
    await aVisitor()
    const { recoveryCodes: old } = await switchOn(visitor)
    const page = await submit(visitor, PAGE, `${PAGE}/codes`)
    const fresh = recoveryCodesOn(page)
    expect(fresh).toHaveLength(10)
    expect(fresh.filter((code) => old.includes(code))).toEqual([])
    const other = new Visitor(world, school)
    const form = await enterPassword(other, ada)
    expect((await enterCode(other, form, old[0] ?? '')).statusCode).toBe(401)
    expect((await enterCode(other, form, fresh[0] ?? '')).statusCode).toBe(303)
    expect(await actionsAbout(ada)).toEqual([
      'factor.added',
      'factor.codes_renewed',
      'factor.used_recovery_code',
    ])
  })

  test('switches it off: the password alone signs in, and no code is left', async () => {
    await aVisitor()
    await switchOn(visitor)
    const done = await submit(visitor, PAGE, `${PAGE}/off`)
    expect(done.headers.location).toBe(`${PAGE}?done=off`)
    expect((await visitor.get(`${PAGE}?done=off`)).body).toContain('The second factor is off.')
    const other = new Visitor(world, school)
    expect((await enterPassword(other, ada)).headers.location).toBe('/account')
    const left = await db
      .selectFrom('recovery_codes')
      .select('hash')
      .where('user_id', '=', ada.id)
      .execute()
    expect(left).toEqual([])
    expect(await actionsAbout(ada)).toEqual(['factor.added', 'factor.removed'])
    // Sent again, nothing happens and nothing is recorded.
    await aSecondOff()
    expect(await actionsAbout(ada)).toHaveLength(2)
  })

  async function aSecondOff(): Promise<void> {
    const { form_token = '' } = hiddenFields((await visitor.get(PAGE)).body, '/sign-out')
    await visitor.post(`${PAGE}/off`, { form_token })
    await visitor.post(`${PAGE}/codes`, { form_token })
  }

  test('the second factor holds at every school of the server', async () => {
    const other = await world.aSchool()
    ada = await world.aMember(school)
    await world.aMember(other, ['student'], ada)
    const { app } = await withSecondFactor(world, school, ada)
    visitor = new Visitor(world, other)
    const page = await enterPassword(visitor, ada)
    expect(page.body).toContain('Enter your code')
    expect((await enterCode(visitor, page, app.code())).statusCode).toBe(303)
  })

  test('may choose a password of eight characters; when it is off again, sign-in asks for a longer one', async () => {
    await aVisitor()
    const change = (next: string) =>
      submit(visitor, '/account/password', '/account/password', {
        current_password: PASSWORD,
        new_password: next,
      })
    const refused = await change('crow lamp 7')
    expect([refused.statusCode, refused.body.includes('Use at least 15')]).toEqual([400, true])
    const { recoveryCodes } = await switchOn(visitor)
    expect((await visitor.get('/account/password')).body).toContain('At least 8 characters.')
    expect((await change('crow la')).body).toContain('Use at least 8 characters.')
    expect((await change('crow lamp 7')).statusCode).toBe(303)
    const other = new Visitor(world, school)
    const page = await enterPassword(other, ada, 'crow lamp 7')
    expect((await enterCode(other, page, recoveryCodes[0] ?? '')).headers.location).toBe('/account')
    await submit(other, PAGE, `${PAGE}/off`)
    const later = await enterPassword(new Visitor(world, school), ada, 'crow lamp 7')
    expect(later.body).toContain('Choose a longer password')
    expect(later.body).toContain('at least 15 characters')
  })
})

test('a session that proved the password alone neither switches the second factor off nor makes new codes', async () => {
  await aVisitor()
  await switchOn(visitor)
  // As if it had begun before, which the statement that begins sessions prevents.
  await world.database.pool.query(
    "update browser_sessions set methods = '{password}' where user_id = $1",
    [ada.id],
  )
  for (const action of [`${PAGE}/off`, `${PAGE}/codes`]) {
    const answer = await submit(visitor, PAGE, action)
    expect(answer.body).toContain('Confirm that it is you')
    expect(answer.body).not.toMatch(/\d{4}(?:-\d{4}){4}/)
  }
  expect(await stored(ada)).toHaveLength(1)
})
