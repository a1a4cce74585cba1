import { beforeAll, describe, expect, test } from 'vitest'
import {
  enterCode,
  enterPassword,
  type SecondFactorOf,
  withSecondFactor,
} from '../../support/authenticator.ts'
import { hiddenFields, Visitor } from '../../support/browser-like.ts'
import { submit } from '../../support/operator-like.ts'
import { PASSWORD, sharedWorld, type TestPerson, type TestSchool } from '../../support/world.ts'

const COOKIE = 'schoolgate-trust-80'
const world = await sharedWorld()
const { db } = world.database
let school: TestSchool
let ada: TestPerson
let factor: SecondFactorOf
let visitor: Visitor

beforeAll(async () => {
  school = await world.aSchool()
})

/** A person who has signed in with a code and trusts this browser. */
async function aTrustedBrowser(roles: readonly string[] = ['student']): Promise<void> {
  ada = await world.aMember(school, roles)
  factor = await withSecondFactor(world, school, ada)
  visitor = new Visitor(world, school)
  const page = await enterPassword(visitor, ada)
  expect(page.body).toContain('Trust this browser for 30 days')
  await enterCode(visitor, page, factor.app.code(), { trust: 'yes' })
}

/** Signs in with the password alone in this browser, or undefined if a code is asked for. */
async function signsInWithoutCode(who = ada, typed = PASSWORD): Promise<boolean> {
  const answer = await enterPassword(visitor, who, typed)
  return answer.statusCode === 303
}

describe('a trusted browser', () => {
  test('is not asked for a code for 30 days, and only its hash is stored', async () => {
    await aTrustedBrowser()
    expect(visitor.cookie(COOKIE)).toMatch(/^sg_td_/)
    await submit(visitor, '/account', '/sign-out')
    expect(await signsInWithoutCode()).toBe(true)
    const { methods } = await db
      .selectFrom('browser_sessions')
      .select('methods')
      .where('user_id', '=', ada.id)
      .executeTakeFirstOrThrow()
    expect(methods).toEqual(['password', 'trusted_device'])
    await db
      .updateTable('trusted_devices')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('user_id', '=', ada.id)
      .execute()
    expect(await signsInWithoutCode()).toBe(false)
  })

  test('is trusted only if the person says so', async () => {
    await aTrustedBrowser()
    const other = new Visitor(world, school)
    await enterCode(other, await enterPassword(other, ada), factor.app.code(1))
    expect(other.cookie(COOKIE)).toBeUndefined()
  })

  test('still needs the password', async () => {
    await aTrustedBrowser()
    expect((await enterPassword(visitor, ada, 'a guess at a password')).statusCode).toBe(401)
  })

  test('is worth nothing for another person who has the cookie', async () => {
    await aTrustedBrowser()
    const eve = await world.aMember(school)
    await withSecondFactor(world, school, eve)
    expect(await signsInWithoutCode(eve)).toBe(false)
  })

  test('is worth nothing at another school, which could have read the cookie', async () => {
    await aTrustedBrowser()
    const stolen = visitor.cookie(COOKIE) ?? ''
    const other = await world.aSchool()
    await world.aMember(other, ['student'], ada)
    visitor = new Visitor(world, other)
    visitor.plant(COOKIE, stolen)
    expect(await signsInWithoutCode()).toBe(false)
  })

  test('is worth nothing with a cookie that was changed', async () => {
    await aTrustedBrowser()
    const cookie = visitor.cookie(COOKIE) ?? ''
    for (const forged of [
      cookie.slice(0, -1),
      `${cookie}0`,
      'sg_td_x',
      `sg_ss_${cookie.slice(6)}`,
    ]) {
      visitor.plant(COOKIE, forged)
      expect(await signsInWithoutCode()).toBe(false)
    }
  })

  test('a thief of the cookie and the password gets ten guesses at codes, however many sessions they begin', async () => {
    await aTrustedBrowser()
    const cookies = ['schoolgate-device-80', COOKIE].map(
      (name) => [name, visitor.cookie(name) ?? ''] as const,
    )
    const guess = async (n: number) => {
      const thief = new Visitor(world, school)
      for (const [name, value] of cookies) thief.plant(name, value)
      expect((await enterPassword(thief, ada)).statusCode).toBe(303)
      const asks = await thief.get('/confirm?return_to=%2Faccount')
      const fields = { ...hiddenFields(asks.body, '/confirm'), code: factor.app.wrongCode(n) }
      return (await thief.post('/confirm', fields)).statusCode
    }
    for (let n = 0; n < 10; n++) expect(await guess(n)).toBe(401)
    expect(await guess(10)).toBe(429)
  })

  test('ends when the person signs that browser out in another one', async () => {
    await aTrustedBrowser()
    const here = new Visitor(world, school)
    await enterCode(here, await enterPassword(here, ada), factor.app.code(1))
    const path = '/account/sessions'
    expect((await submit(here, path, `${path}/end`)).headers.location).toBe(`${path}?done=ended`)
    expect(await signsInWithoutCode()).toBe(false)
  })

  test('ends with a new password', async () => {
    await aTrustedBrowser()
    const next = 'nine lanterns and a crow'
    const fields = { current_password: PASSWORD, new_password: next }
    await submit(visitor, '/account/password', '/account/password', fields)
    expect(await signsInWithoutCode(ada, next)).toBe(false)
  })

  test('ends when the second factor is switched off, also if it comes back', async () => {
    await aTrustedBrowser()
    await submit(visitor, '/account/second-factor', '/account/second-factor/off')
    await submit(visitor, '/account', '/sign-out')
    await withSecondFactor(world, school, ada)
    expect(await signsInWithoutCode()).toBe(false)
  })

  test('gives way to the newest twenty of a person', async () => {
    await aTrustedBrowser()
    await db
      .insertInto('trusted_devices')
      .values(
        Array.from({ length: 25 }, (_, n) => ({
          id: `00000000-0000-7000-8000-${ada.id.slice(-10)}${String(n).padStart(2, '0')}`,
          secret_hash: Buffer.alloc(32),
          school_id: school.id,
          user_id: ada.id,
          expires_at: new Date(Date.now() + 1e9),
        })),
      )
      .execute()
    const other = new Visitor(world, school)
    await enterCode(other, await enterPassword(other, ada), factor.app.code(1), { trust: 'yes' })
    const kept = await db
      .selectFrom('trusted_devices')
      .select('id')
      .where('user_id', '=', ada.id)
      .execute()
    expect(kept).toHaveLength(20)
    expect(await signsInWithoutCode()).toBe(true)
  })
})
