import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { enterCode, switchOn } from '../../support/authenticator.ts'
import { aPkce, authorizeParameters, hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aPair } from '../../support/client-like.ts'
import { CLAUDE } from '../../support/oauth-world.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { addPasskey, PasskeyDevice, questionOn, signInWith } from '../../support/passkey-device.ts'
import { PASSWORD, sharedWorld, type TestPerson } from '../../support/world.ts'

const MFA = 'https://refeds.org/profile/mfa'
const world = await sharedWorld()
const school = await world.aSchool()
const client = await world.aPublicClient(school)

/** A person with a passkey at the school, and the browser in which they made it. */
async function aHolder(role = 'student') {
  const person = await world.aMember(school, [role])
  const visitor = await signedIn(world, school, person)
  const device = new PasskeyDevice(school.origin)
  await addPasskey(visitor, device)
  return { person, visitor, device }
}

const methodsOf = async ({ id }: TestPerson) =>
  (
    await school.db.from('browser_sessions').select('methods').where('user_id', '=', id).execute()
  ).map(({ methods }) => methods)

async function claimsFor(visitor: Visitor, person: TestPerson, acr_values: string) {
  const pair = await aPair(world, school, client, person, { visitor, parameters: { acr_values } })
  const { acr, amr } = decodeJwt(pair.id_token ?? '')
  return { acr, amr }
}

describe('an owner whose device did not unlock the passkey', () => {
  test('gives a code too, and no session begins before it', async () => {
    const { person, visitor, device } = await aHolder('owner')
    const { app } = await switchOn(visitor)
    const other = new Visitor(world, school)
    const step = await signInWith(other, device, { verified: false })
    expect(step.statusCode).toBe(200)
    expect(step.body).toContain('Enter your code')
    expect(step.body).not.toContain('Trust this browser')
    expect((await other.get('/account')).statusCode).toBe(303)
    expect((await enterCode(other, step, app.wrongCode())).statusCode).toBe(401)
    expect((await enterCode(other, step, app.code(1))).headers.location).toBe('/admin')
    expect(await methodsOf(person)).toContainEqual(['unverified_passkey', 'code'])
  })

  test('gets no session with the code if the passkey was removed meanwhile', async () => {
    const { person, visitor, device } = await aHolder('owner')
    const { app } = await switchOn(visitor)
    const other = new Visitor(world, school)
    const step = await signInWith(other, device, { verified: false })
    await school.db.delete('passkeys').where('user_id', '=', person.id).execute()
    expect((await enterCode(other, step, app.code(1))).headers.location).toBe('/sign-in')
    expect((await other.get('/account')).statusCode).toBe(303)
  })
})

describe('a student whose device did not unlock the passkey, and who is made an admin later', () => {
  async function aPromoted() {
    const { person, device } = await aHolder()
    const visitor = new Visitor(world, school)
    await signInWith(visitor, device, { verified: false })
    await school.db
      .update('school_members')
      .set({ roles: ['admin'] })
      .where('user_id', '=', person.id)
      .execute()
    return { person, device, visitor }
  }

  test('a finder of the device reaches no page and no form of the admin area, until the person proves more', async () => {
    const { person, visitor } = await aPromoted()
    const { form_token = '' } = hiddenFields((await visitor.get('/account')).body, '/sign-out')
    expect((await visitor.get('/admin/students')).headers.location).toBe(
      '/confirm?return_to=%2Fadmin%2Fstudents',
    )
    const forced = await visitor.post('/admin/settings/sign-up', { form_token, sign_up: 'on' })
    expect(forced.headers.location).toContain('/confirm')
    const asks = await visitor.get('/confirm?return_to=%2Fadmin%2Fstudents')
    expect(asks.body).toContain('your device did not check that it is you')
    const fields = { ...hiddenFields(asks.body, '/confirm'), password: PASSWORD }
    expect((await visitor.post('/confirm', fields)).headers.location).toBe('/admin/students')
    expect((await visitor.get('/admin/students')).statusCode).toBe(200)
    expect(await methodsOf(person)).toContainEqual(['password'])
  })

  test('a finder of the device confirms nothing by the same device', async () => {
    const { device, visitor } = await aPromoted()
    const page = await visitor.get('/confirm?return_to=%2Fadmin')
    const fields = hiddenFields(page.body, '/confirm')
    const passkey = device.prove(questionOn(page), { verified: false })
    const refused = await visitor.post('/confirm/passkey', { ...fields, passkey })
    expect(refused.statusCode).toBe(403)
    expect((await visitor.get('/admin')).statusCode).toBe(303)
  })

  test('a finder of the device allows no operator client', async () => {
    const { visitor } = await aPromoted()
    const scope = 'openid profile school:read'
    const query = authorizeParameters(school, CLAUDE, aPkce(), { scope, resource: undefined })
    const page = await visitor.follow(await visitor.get(`/oauth/authorize?${query}`))
    const answer = await visitor.decide(page, 'allow')
    expect(answer.headers.location).toMatch(/^\/confirm\?request=/)
  })
})

describe('a school that demands a second factor of operators', () => {
  test('accepts a passkey, and not the password of a person who has one', async () => {
    const { visitor, device } = await aHolder('owner')
    await world.database.db
      .updateTable('schools')
      .set({ operator_factor_from: new Date(Date.now() - 1000) })
      .where('id', '=', school.id)
      .execute()
    world.context.directory.forget(school.id)
    const refused = await visitor.get('/admin')
    expect(refused.statusCode).toBe(403)
    expect(refused.body).toContain('Sign in once more with your passkey')
    const other = new Visitor(world, school)
    await signInWith(other, device)
    expect((await other.get('/admin')).statusCode).toBe(200)
  })
})

describe('acr and amr', () => {
  test('after a passkey are phr and swk, with mfa only if the device unlocked it', async () => {
    const { person, device } = await aHolder()
    const visitor = new Visitor(world, school)
    await signInWith(visitor, device)
    expect(await claimsFor(visitor, person, 'phr')).toEqual({ acr: 'phr', amr: ['swk', 'mfa'] })
    expect(await claimsFor(visitor, person, MFA)).toEqual({ acr: MFA, amr: ['swk', 'mfa'] })
    const other = new Visitor(world, school)
    await signInWith(other, device, { verified: false })
    expect(await claimsFor(other, person, 'phr')).toEqual({ acr: 'phr', amr: ['swk'] })
  })

  test('a person with a passkey is asked once to sign in with it, and may go on without', async () => {
    const { person, visitor, device } = await aHolder()
    const query = authorizeParameters(school, client, aPkce(), { acr_values: 'phr' })
    const form = await visitor.follow(await visitor.get(`/oauth/authorize?${query}`))
    expect(form.body).toContain('name="password"')
    const consent = await visitor.follow(await visitor.signIn(form, person))
    expect(consent.body).toContain('value="allow"')
    const other = await signedIn(world, school, person)
    const chosen = await signInWith(other, device, {}, `/oauth/authorize?${query}`)
    expect((await other.follow(chosen)).body).toContain('value="allow"')
  })
})

test('the finder of a key without a PIN changes nothing of the account at a school where its person is a student', async () => {
  const { person, device } = await aHolder()
  // Elsewhere the person runs a school.
  const own = await world.aSchool()
  await world.aMember(own, ['owner'], person)
  const finder = new Visitor(world, school)
  expect((await signInWith(finder, device, { verified: false })).statusCode).toBe(303)
  for (const path of ['/account/email', '/account/second-factor/new', '/account/passkeys']) {
    const answer = await finder.follow(await finder.get(path))
    if (path === '/account/passkeys') {
      const added = await addPasskey(finder, new PasskeyDevice(school.origin)).catch(() => answer)
      expect(added.headers.location).not.toBe('/account/passkeys?done=added')
    } else expect(answer.body).toContain('Confirm that it is you')
  }
  const leaving = await submit(finder, '/account/delete', '/account/delete', { part: 'account' })
  expect(leaving.body).toContain('Confirm that it is you')
  expect(
    await world.database.db
      .selectFrom('deletion_requests')
      .select('id')
      .where('user_id', '=', person.id)
      .execute(),
  ).toEqual([])
  // The key once more is not more.
  const confirm = await finder.get('/confirm?return_to=/account/email')
  const again = await finder.post('/confirm/passkey', {
    ...hiddenFields(confirm.body, '/confirm'),
    passkey: device.prove(questionOn(confirm), { verified: false }),
  })
  expect(again.statusCode).toBe(403)
})
