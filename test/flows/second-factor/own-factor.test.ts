import { describe, expect, test } from 'vitest'
import { isMultiFactor } from '../../../src/domain/people/authentication-context.ts'
import { switchOn } from '../../support/authenticator.ts'
import { hiddenFields, Visitor } from '../../support/browser-like.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import {
  addPasskey,
  linkWithProof,
  PasskeyDevice,
  proveForOther,
  questionOn,
  signInWith,
} from '../../support/passkey-device.ts'
import { PASSWORD, sharedWorld, type TestPerson } from '../../support/world.ts'

const PASSKEYS = '/account/passkeys'
const SETUP = '/account/second-factor/new'
const EMAIL = '/account/email'
const DELETE = '/account/delete'
const world = await sharedWorld()
const school = await world.aSchool()

/** An owner with a passkey at the school, who has no authenticator app. */
async function aHolder() {
  const person = await world.aMember(school, ['owner'])
  const visitor = await signedIn(world, school, person)
  const device = new PasskeyDevice(school.origin)
  await addPasskey(visitor, device)
  return { person, visitor, device }
}

const devices = new Map<string, PasskeyDevice>()

/**
 * A browser with nothing but the password of a person whose passkey is at `school`, at another one.
 */
async function atOtherSchool() {
  const { person, device } = await aHolder()
  devices.set(person.id, device)
  const other = await world.aSchool()
  await world.aMember(other, ['student'], person)
  return { person, other, device, thief: await signedIn(world, other, person) }
}

async function linkToPasskey(visitor: Visitor): Promise<string> {
  const { body } = await visitor.get(EMAIL)
  return /href="[^"]*(\/confirm\/other-school\?for=[^"]+)"/.exec(body)?.[1] ?? ''
}

const countOf = async (
  table: 'passkeys' | 'authenticators' | 'email_changes' | 'deletion_requests',
  { id }: TestPerson,
) =>
  (await world.database.db.selectFrom(table).select('user_id').where('user_id', '=', id).execute())
    .length

const place = (path: string) => `/confirm?by_factor=yes&return_to=${encodeURIComponent(path)}`

describe('a thief of the password of a person with a passkey', () => {
  test('adds no authenticator app and no passkey of their own, though the sign-in is recent', async () => {
    const { person } = await aHolder()
    const thief = await signedIn(world, school, person)
    for (const path of [SETUP, PASSKEYS]) {
      expect((await thief.get(path)).headers.location).toBe(place(path))
    }
    const { form_token = '' } = hiddenFields((await thief.get('/account')).body, '/sign-out')
    for (const path of [SETUP, PASSKEYS]) {
      const forced = await thief.post(path, { form_token, setup: 'x', code: '123456' })
      expect(forced.headers.location).toBe(place(path))
    }
    expect(await countOf('authenticators', person)).toBe(0)
    expect(await countOf('passkeys', person)).toBe(1)
  })

  test('does not remove the passkey to count as a person without one', async () => {
    const { person } = await aHolder()
    const [key] = await school.db
      .from('passkeys')
      .select('id')
      .where('user_id', '=', person.id)
      .execute()
    const thief = await signedIn(world, school, person)
    const { form_token = '' } = hiddenFields((await thief.get('/account')).body, '/sign-out')
    const forced = await thief.post(`${PASSKEYS}/${key?.id}/remove`, { form_token })
    expect(forced.headers.location).toBe(place(PASSKEYS))
    expect(await countOf('passkeys', person)).toBe(1)
  })

  test('gets no further by confirming with the password, with or without the page that asks', async () => {
    const { person } = await aHolder()
    const thief = await signedIn(world, school, person)
    const page = await thief.get(place(SETUP))
    expect(page.body).not.toContain('name="password"')
    expect(page.body).toContain('your password is not enough')
    expect(page.body).toContain('/account/lost-factor')
    const fields = hiddenFields(page.body, '/confirm')
    const sent = await thief.post('/confirm', { ...fields, password: PASSWORD })
    expect(sent.statusCode).toBe(400)
    await thief.post('/confirm', { ...fields, by_factor: '', password: PASSWORD })
    expect((await thief.get(SETUP)).headers.location).toBe(place(SETUP))
  })

  test('does nothing of it at another school either: the passkey is asked for where it works', async () => {
    const { person, thief } = await atOtherSchool()
    const { form_token = '' } = hiddenFields((await thief.get('/account')).body, '/sign-out')
    const fields = { form_token, part: 'account', new_email: 'thief@people.test', code: '123456' }
    for (const path of [SETUP, PASSKEYS, EMAIL, DELETE]) {
      const forced = await thief.post(path, fields)
      expect([path, forced.statusCode]).toEqual([path, 403])
      expect(forced.body).toContain(`href="${school.origin}/confirm/other-school?for=`)
    }
    expect(await countOf('passkeys', person)).toBe(1)
    expect(await countOf('authenticators', person)).toBe(0)
    for (const table of ['email_changes', 'deletion_requests'] as const) {
      expect(await countOf(table, person)).toBe(0)
    }
  })

  test('is offered no passkey at another school, not even by a browser that would make one without a question', async () => {
    const { thief } = await atOtherSchool()
    for (const path of ['/account', '/account/settings']) {
      expect((await thief.get(path)).body).not.toContain('data-passkey-options')
    }
  })

  test('neither changes the address nor deletes the account here, though the sign-in is recent', async () => {
    const { person } = await aHolder()
    const thief = await signedIn(world, school, person)
    const { form_token = '' } = hiddenFields((await thief.get('/account')).body, '/sign-out')
    for (const path of [EMAIL, DELETE]) {
      const fields = { form_token, part: 'account', new_email: 'thief@people.test' }
      const asked = await thief.post(path, fields)
      expect(asked.headers.location).toMatch(/^\/confirm\?by_factor=yes/)
    }
    expect(await countOf('email_changes', person)).toBe(0)
    expect(await countOf('deletion_requests', person)).toBe(0)
  })
})

test('a thief of the password does not leave the school of the passkey either: the passkey would go with it', async () => {
  const { person } = await aHolder()
  const thief = await signedIn(world, school, person)
  const { form_token = '' } = hiddenFields((await thief.get('/account')).body, '/sign-out')
  const left = await thief.post(DELETE, { form_token, part: 'school' })
  expect(left.headers.location).toMatch(/^\/confirm\?by_factor=yes/)
  expect(await countOf('deletion_requests', person)).toBe(0)
})

test('a person whose passkey here is lost uses that of another school', async () => {
  const { person, thief: own, other, device } = await atOtherSchool()
  await proveForOther(own, EMAIL, device, new Visitor(world, school))
  await addPasskey(own, new PasskeyDevice(other.origin))
  const visitor = await signedIn(world, other, person)
  const asked = await visitor.get(String((await visitor.get(EMAIL)).headers.location))
  const [, link = ''] = /href="(\/confirm\/other-schools\?[^"]+)"/.exec(asked.body) ?? []
  const places = await visitor.get(link.replaceAll('&amp;', '&'))
  expect(places.body).toContain(`href="${school.origin}/confirm/other-school?for=`)
  expect(places.body).not.toContain(`href="${other.origin}/confirm/other-school?for=`)
  await proveForOther(visitor, link.replaceAll('&amp;', '&'), device, new Visitor(world, school))
  expect((await visitor.get(EMAIL)).statusCode).toBe(200)
})

describe('a proof for another school', () => {
  test('goes to the browser that brings it back: a stolen copy of its session ends', async () => {
    const { person, thief: own, other, device } = await atOtherSchool()
    const copy = new Visitor(world, other)
    for (const [name, value] of Object.entries(own.cookies())) copy.plant(name, value)
    expect((await copy.get('/account')).statusCode).toBe(200)
    const link = await linkWithProof(own, EMAIL, device, new Visitor(world, school))
    expect((await copy.get(EMAIL)).statusCode).toBe(403)
    expect((await own.get(link)).headers.location).toBe(EMAIL)
    expect((await own.get(EMAIL)).statusCode).toBe(200)
    expect((await copy.get(EMAIL)).headers.location).toMatch(/^\/sign-in/)
    expect(await countOf('email_changes', person)).toBe(0)
  })

  test('works once, for its session alone, and not if it is forged', async () => {
    const { person, thief: own, other, device } = await atOtherSchool()
    const bystander = await signedIn(world, other, person)
    const link = await linkWithProof(own, EMAIL, device, new Visitor(world, school))
    await bystander.get(link)
    await bystander.get('/confirm/other-school/proved?proof=forged')
    expect((await bystander.get(EMAIL)).statusCode).toBe(403)
    await own.get(link)
    await world.database.pool.query(
      "update browser_sessions set methods = '{password}' where user_id = $1",
      [person.id],
    )
    await own.get(link)
    expect((await own.get(EMAIL)).statusCode).toBe(403)
  })

  test('is given where the passkey works, and counts for the session that asked alone', async () => {
    const { person, thief: own, other } = await atOtherSchool()
    const bystander = await signedIn(world, other, person)
    const [device, here] = [devices.get(person.id) as PasskeyDevice, new Visitor(world, school)]
    const proved = await proveForOther(own, EMAIL, device, here)
    expect(proved.headers.location).toBe(EMAIL)
    expect((await own.get(EMAIL)).statusCode).toBe(200)
    expect((await bystander.get(EMAIL)).statusCode).toBe(403)
    await addPasskey(own, new PasskeyDevice(other.origin))
    expect(await countOf('passkeys', person)).toBe(2)
  })

  test('a thief cannot give it with the password at the school of the passkey', async () => {
    const { person, thief } = await atOtherSchool()
    const link = await linkToPasskey(thief)
    const there = await signedIn(world, school, person)
    const asked = await there.get(link)
    expect(asked.headers.location).toMatch(/^\/confirm\?by_factor=yes/)
    const { form_token = '' } = hiddenFields((await there.get('/account')).body, '/sign-out')
    const sealed = decodeURIComponent(link.split('for=')[1] ?? '')
    await there.post('/confirm/other-school', { form_token, for: sealed })
    expect((await thief.get(EMAIL)).statusCode).toBe(403)
  })

  test('another person who follows the link confirms nothing, nor does a forged or an old one', async () => {
    const { thief } = await atOtherSchool()
    const link = await linkToPasskey(thief)
    const eve = await aHolder()
    await signInWith(eve.visitor, eve.device)
    for (const path of [link, '/confirm/other-school?for=forged', '/confirm/other-school']) {
      const page = await eve.visitor.get(path)
      expect([page.statusCode, page.body.includes('>Confirm<')]).toEqual([400, false])
    }
    const { form_token = '' } = hiddenFields((await eve.visitor.get('/account')).body, '/sign-out')
    const sealed = decodeURIComponent(link.split('for=')[1] ?? '')
    const sent = await eve.visitor.post('/confirm/other-school', { form_token, for: sealed })
    expect(sent.statusCode).toBe(400)
    expect((await thief.get(EMAIL)).statusCode).toBe(403)
  })

  test('does not make the session one of two factors for an app or the admin area', async () => {
    const { person, thief: own } = await atOtherSchool()
    await proveForOther(
      own,
      EMAIL,
      devices.get(person.id) as PasskeyDevice,
      new Visitor(world, school),
    )
    const { rows } = await world.database.pool.query(
      "select methods from browser_sessions where user_id = $1 and 'other_school' = any (methods)",
      [person.id],
    )
    expect(rows).toEqual([{ methods: ['password', 'other_school'] }])
    expect(isMultiFactor(rows[0]?.methods)).toBe(false)
  })
})

describe('the person', () => {
  test('proves the passkey, and goes on to where they wanted to go', async () => {
    const { person, device } = await aHolder()
    const visitor = await signedIn(world, school, person)
    const page = await visitor.get(place(PASSKEYS))
    const fields = { ...hiddenFields(page.body, '/confirm') }
    const proof = device.prove(questionOn(page))
    const confirmed = await visitor.post('/confirm/passkey', { ...fields, passkey: proof })
    expect(confirmed.headers.location).toBe(PASSKEYS)
    await addPasskey(visitor, new PasskeyDevice(school.origin))
    await switchOn(visitor)
    expect(await countOf('passkeys', person)).toBe(2)
    expect(await countOf('authenticators', person)).toBe(1)
  })

  test('adds a first passkey and an authenticator app after one sign-in with the password', async () => {
    const { person, visitor } = await aHolder()
    await switchOn(visitor)
    expect(await countOf('authenticators', person)).toBe(1)
    await submit(visitor, '/account', '/sign-out')
  })
})
