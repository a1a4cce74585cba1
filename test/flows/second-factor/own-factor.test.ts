import { describe, expect, test } from 'vitest'
import { switchOn } from '../../support/authenticator.ts'
import { hiddenFields, Visitor } from '../../support/browser-like.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { addPasskey, PasskeyDevice, questionOn, signInWith } from '../../support/passkey-device.ts'
import { PASSWORD, sharedWorld, type TestPerson } from '../../support/world.ts'

const PASSKEYS = '/account/passkeys'
const SETUP = '/account/second-factor/new'
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

const countOf = async (table: 'passkeys' | 'authenticators', { id }: TestPerson) =>
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
    const [key] = await school.at
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
    expect(page.body).toContain('The administrator of this server can remove it')
    const fields = hiddenFields(page.body, '/confirm')
    const sent = await thief.post('/confirm', { ...fields, password: PASSWORD })
    expect(sent.statusCode).toBe(400)
    await thief.post('/confirm', { ...fields, by_factor: '', password: PASSWORD })
    expect((await thief.get(SETUP)).headers.location).toBe(place(SETUP))
  })

  test('adds no authenticator app at another school, also not after a first passkey there', async () => {
    const { person } = await aHolder()
    const other = await world.aSchool()
    await other.at.insert('school_members', { user_id: person.id, roles: ['student'] }).execute()
    const thief = await signedIn(world, other, person)
    const elsewhere = '/account/second-factor?done=elsewhere'
    expect((await thief.get(SETUP)).headers.location).toBe(elsewhere)
    const device = new PasskeyDevice(other.origin)
    await addPasskey(thief, device)
    const again = new Visitor(world, other)
    await signInWith(again, device)
    expect((await again.get(SETUP)).headers.location).toBe(elsewhere)
    expect((await again.get(elsewhere)).body).toContain('at another school for longer')
    expect(await countOf('authenticators', person)).toBe(0)
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
