import { describe, expect, test } from 'vitest'
import { aSetup, ask, expectPage, locationOf } from '../support/authorization.ts'
import { hiddenFields, Visitor } from '../support/browser-like.ts'
import { signedIn, submit } from '../support/operator-like.ts'
import {
  addPasskey,
  PasskeyDevice,
  questionOn,
  sendProof,
  signInWith,
} from '../support/passkey-device.ts'
import { sharedWorld, type TestPerson, type TestSchool } from '../support/world.ts'

const world = await sharedWorld()
const setup = await aSetup(world)
const { school } = setup

/** A member of the school with a passkey on a device. */
async function aHolder(roles?: string[], options?: { isSynced: boolean }, at = school) {
  const person = await world.aMember(at, roles)
  const device = new PasskeyDevice(at.origin, options)
  const owner = await signedIn(world, at, person)
  const added = await addPasskey(owner, device)
  expect(added.headers.location).toBe('/account/passkeys?done=added')
  return { person, device, owner }
}

const stranger = (at: TestSchool = school) => new Visitor(world, at)

const whoIs = async (visitor: Visitor, { email }: TestPerson): Promise<boolean> =>
  (await visitor.get('/account')).body.includes(email)

async function expectRefused(visitor: Visitor, answer: Awaited<ReturnType<Visitor['get']>>) {
  expectPage(answer, 401)
  expect(answer.body).toContain('This passkey was not accepted')
  expect((await visitor.get('/account')).statusCode).toBe(303)
}

describe('a passkey', () => {
  test('signs in without an email, and the session says what was proved', async () => {
    const { person, device } = await aHolder()
    const visitor = stranger()
    expect(locationOf(await signInWith(visitor, device))).toBe('/account')
    expect(await whoIs(visitor, person)).toBe(true)
    const sessions = await school.db
      .from('browser_sessions')
      .select('methods')
      .where('user_id', '=', person.id)
      .orderBy('created_at')
      .execute()
    expect(sessions.map(({ methods }) => methods)).toEqual([['password'], ['passkey']])
  })

  test('continues to the app that waits, and to the page that asked for the sign-in', async () => {
    const { device } = await aHolder()
    const visitor = stranger()
    const page = await visitor.follow(await ask(setup, {}, visitor))
    const proven = await sendProof(visitor, page, device.prove(questionOn(page)))
    expect(locationOf(proven)).toMatch(/^\/consent\?request=/)
    expectPage(await visitor.follow(proven), 200)
    const other = await signInWith(stranger(), device, {}, '/account/apps')
    expect(locationOf(other)).toBe('/account/apps')
  })

  test('notes the first sign-in at the school, as a password does', async () => {
    const { person, device } = await aHolder()
    await school.db
      .update('school_members')
      .set({ signed_in_at: null })
      .where('user_id', '=', person.id)
      .execute()
    await signInWith(stranger(), device)
    const [row] = await school.db
      .from('school_members')
      .select('signed_in_at')
      .where('user_id', '=', person.id)
      .execute()
    expect(row?.signed_in_at).toBeInstanceOf(Date)
  })

  test('takes no more statements than a password', async () => {
    const { person, device } = await aHolder()
    const visitor = stranger()
    const page = await visitor.get('/sign-in')
    const proof = device.prove(questionOn(page))
    const byPasskey = await world.database.statementsOf(() => sendProof(visitor, page, proof))
    const other = stranger()
    const form = await other.get('/sign-in')
    const byPassword = await world.database.statementsOf(() => other.signIn(form, person))
    expect(byPasskey.length).toBeLessThanOrEqual(byPassword.length)
  })

  test('of a device that counts works again and again while it counts up', async () => {
    const { device } = await aHolder()
    for (const counter of [1, 2, 7]) {
      expect(locationOf(await signInWith(stranger(), device, { counter }))).toBe('/account')
    }
  })

  test('leaves the form for email and password as it is, without any script', async () => {
    const page = await stranger().get('/sign-in')
    const [, form = ''] = /<form([\s\S]*)<\/form>/.exec(page.body) ?? []
    expect(form).toMatch(/<button [^>]*data-passkey="prove"[^>]* hidden/)
    expect(page.headers['content-security-policy']).toMatch(
      new RegExp(`script-src ${school.origin}/assets/passkeys\\.[0-9a-f]{12}\\.js$`),
    )
    expect(page.headers['content-security-policy']).not.toContain('connect-src')
  })
})

describe('an attacker', () => {
  test('who sends a recorded answer again gets no second session', async () => {
    const { device } = await aHolder()
    const visitor = stranger()
    const page = await visitor.get('/sign-in')
    const proof = device.prove(questionOn(page))
    expect(locationOf(await sendProof(visitor, page, proof))).toBe('/account')
    await visitor.post('/sign-out', hiddenFields((await visitor.get('/account')).body, '/sign-out'))
    const again = await sendProof(visitor, page, proof)
    expectPage(again, 400)
    expect(again.body).toContain('Please use your passkey again')
    expect((await visitor.get('/account')).statusCode).toBe(303)
  })

  test('who sends the answer of a key that counts again does not switch the key off', async () => {
    const { device } = await aHolder()
    const visitor = stranger()
    const page = await visitor.get('/sign-in')
    const proof = device.prove(questionOn(page), { counter: 5 })
    expect(locationOf(await sendProof(visitor, page, proof))).toBe('/account')
    await visitor.post('/sign-out', hiddenFields((await visitor.get('/account')).body, '/sign-out'))
    expectPage(await sendProof(visitor, page, proof), 400)
    expect(locationOf(await signInWith(stranger(), device, { counter: 6 }))).toBe('/account')
  })

  test('who sends it twice at the same time gets one session', async () => {
    const { person, device } = await aHolder()
    const visitor = stranger()
    const page = await visitor.get('/sign-in')
    const proof = device.prove(questionOn(page))
    const answers = await Promise.all([1, 2, 3, 4].map(() => sendProof(visitor, page, proof)))
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([303, 400, 400, 400])
    const sessions = await school.db
      .from('browser_sessions')
      .select('id')
      .where('user_id', '=', person.id)
      .execute()
    expect(sessions).toHaveLength(2)
  })

  test('who sends an older answer after a newer one was used is refused', async () => {
    const { device } = await aHolder()
    const [first, second] = [stranger(), stranger()]
    const old = await first.get('/sign-in')
    await new Promise((resolve) => setTimeout(resolve, 5))
    await signInWith(second, device)
    expectPage(await sendProof(first, old, device.prove(questionOn(old))), 400)
  })

  test('who took an answer from another browser cannot use it in their own', async () => {
    const { device } = await aHolder()
    const page = await stranger().get('/sign-in')
    const proof = device.prove(questionOn(page))
    const thief = stranger()
    const own = await thief.get('/sign-in')
    // The challenge of the victim's form, in a form of the thief.
    const stolen = hiddenFields(page.body, '/sign-in').passkey_challenge ?? ''
    const fields = { ...hiddenFields(own.body, '/sign-in'), passkey_challenge: stolen }
    const answer = await thief.post('/sign-in/passkey', { ...fields, passkey: proof })
    expectPage(answer, 400)
    // The form of the victim, in the browser of the thief.
    expect((await sendProof(thief, page, proof)).statusCode).toBe(403)
    // The answer, with a challenge of the thief.
    await expectRefused(thief, await sendProof(thief, own, proof))
  })

  test.each([
    ['forged', (sealed: string) => `${sealed.slice(0, -4)}AAAA`],
    ['missing', () => ''],
    ['not base64url', (sealed: string) => `${sealed}!`],
  ])('with a %s challenge is told to try again', async (_, change) => {
    const { device } = await aHolder()
    const visitor = stranger()
    const page = await visitor.get('/sign-in')
    const fields = hiddenFields(page.body, '/sign-in')
    const answer = await visitor.post('/sign-in/passkey', {
      ...fields,
      passkey_challenge: change(fields.passkey_challenge ?? ''),
      passkey: device.prove(questionOn(page)),
    })
    expectPage(answer, 400)
  })

  test.each([
    ['of another origin', { origin: 'https://evil.example' }],
    ['of another port', { origin: `${school.origin}:8080` }],
    ['for another host', { rpId: 'evil.example' }],
    ['to another challenge', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['to another kind of question', { type: 'webauthn.create' }],
    ['without a person at the device', { present: false }],
    ['from a frame of another site', { crossOrigin: true, topOrigin: 'https://evil.example' }],
    ['with the handle of another person', { userHandle: 'A'.repeat(43) }],
    ['without a handle', { userHandle: null }],
  ])('with an answer %s is refused', async (_, use) => {
    const { device } = await aHolder()
    const visitor = stranger()
    await expectRefused(visitor, await signInWith(visitor, device, use))
    expect(locationOf(await signInWith(visitor, device))).toBe('/account')
  })

  test('with the id of a passkey and a key of their own is refused', async () => {
    const victim = await aHolder()
    const own = await aHolder()
    const visitor = stranger()
    const page = await visitor.get('/sign-in')
    const proof = JSON.parse(own.device.prove(questionOn(page)))
    const theirs = JSON.parse(victim.device.prove(questionOn(page)))
    const forged = {
      ...proof,
      id: theirs.id,
      rawId: theirs.id,
      response: { ...proof.response, userHandle: theirs.response.userHandle },
    }
    await expectRefused(visitor, await sendProof(visitor, page, JSON.stringify(forged)))
  })

  test('with a challenge of their own school cannot use it at another', async () => {
    const evil = await world.aSchool()
    const { device } = await aHolder()
    const there = await stranger(evil).get('/sign-in')
    const visitor = stranger()
    const here = await visitor.get('/sign-in')
    const proof = device.prove(questionOn(there))
    const sealed = hiddenFields(there.body, '/sign-in').passkey_challenge ?? ''
    const fields = { ...hiddenFields(here.body, '/sign-in'), passkey_challenge: sealed }
    expectPage(await visitor.post('/sign-in/passkey', { ...fields, passkey: proof }), 400)
    await expectRefused(visitor, await sendProof(visitor, here, proof))
  })

  test('with a passkey of one school signs in nowhere else, even the same person', async () => {
    const other = await world.aSchool()
    const { person, device } = await aHolder()
    await world.aMember(other, ['student'], person)
    const visitor = stranger(other)
    const rpId = new URL(other.origin).hostname
    const answer = await signInWith(visitor, device, { origin: other.origin, rpId })
    await expectRefused(visitor, answer)
  })

  test.each([
    ['', 401],
    ['null', 401],
    ['{"id":', 401],
    ['[]', 401],
    [`{"a":${'['.repeat(5000)}`, 401],
    [JSON.stringify({ id: 'AA', rawId: 'AA', type: 'public-key', response: {} }), 401],
    [JSON.stringify({ id: 'A\0', rawId: 'A\0', type: 'public-key', response: {} }), 401],
  ])('who sends %j gets a page, not a fault', async (passkey, status) => {
    const visitor = stranger()
    expectPage(await sendProof(visitor, await visitor.get('/sign-in'), passkey), status)
  })

  test('from another site cannot send the form', async () => {
    const { device } = await aHolder()
    const visitor = stranger()
    const page = await visitor.get('/sign-in')
    const fields = hiddenFields(page.body, '/sign-in')
    const passkey = device.prove(questionOn(page))
    const headers = { origin: 'https://evil.example' }
    const answer = await visitor.post('/sign-in/passkey', { ...fields, passkey }, headers)
    expect(answer.statusCode).toBe(403)
  })
})

describe('a copied passkey', () => {
  const entries = async (userId: string) =>
    await school.db
      .from('audit_entries')
      .select(['action', 'outcome'])
      .where('actor_user_id', '=', userId)
      .where('action', '=', 'passkey.cloned')
      .execute()

  test('whose counter goes backwards is refused from then on, and the log says so once', async () => {
    const { person, device, owner } = await aHolder()
    await signInWith(stranger(), device, { counter: 9 })
    for (const counter of [9, 5, 10]) {
      const visitor = stranger()
      await expectRefused(visitor, await signInWith(visitor, device, { counter }))
    }
    expect(await entries(person.id)).toEqual([
      { action: 'passkey.cloned', outcome: 'access_denied' },
    ])
    expect((await owner.get('/account/passkeys')).body).toContain('may have been copied')
  })

  test('is not what a forged answer with a low counter looks like', async () => {
    const { person, device } = await aHolder()
    await signInWith(stranger(), device, { counter: 9 })
    const visitor = stranger()
    const page = await visitor.get('/sign-in')
    const proof = JSON.parse(device.prove(questionOn(page), { counter: 3 }))
    const { signature } = JSON.parse(device.prove(questionOn(page), { counter: 4 })).response
    const forged = { ...proof, response: { ...proof.response, signature } }
    await expectRefused(visitor, await sendProof(visitor, page, JSON.stringify(forged)))
    expect(await entries(person.id)).toEqual([])
    expect(locationOf(await signInWith(visitor, device, { counter: 10 }))).toBe('/account')
  })
})

describe('a device that did not check its owner', () => {
  test('signs in a student', async () => {
    const { device } = await aHolder()
    const answer = await signInWith(stranger(), device, { verified: false })
    expect(locationOf(answer)).toBe('/account')
  })

  test.each(['owner', 'admin'])('does not sign in an %s, who is told what to do', async (role) => {
    const { device } = await aHolder([role])
    const visitor = stranger()
    const answer = await signInWith(visitor, device, { verified: false })
    expectPage(answer, 403)
    expect(answer.body).toContain('Your device did not check that it is you')
    expect((await visitor.get('/account')).statusCode).toBe(303)
    expect(locationOf(await signInWith(visitor, device))).toBe('/admin')
  })
})

describe('a removed passkey', () => {
  test('is refused like one that never was, and the browser is told to forget it', async () => {
    const { device } = await aHolder()
    await school.db.delete('passkeys').where('credential_id', '=', idOf(device)).execute()
    const visitor = stranger()
    const answer = await signInWith(visitor, device)
    await expectRefused(visitor, answer)
    const [, told = ''] = /data-passkey-unknown="([^"]*)"/.exec(answer.body) ?? []
    expect(JSON.parse(told.replaceAll('&quot;', '"'))).toEqual({
      rpId: new URL(school.origin).hostname,
      credentialId: device.credentialId,
    })
  })

  test('takes as many statements as one that exists with a wrong signature', async () => {
    const { device } = await aHolder()
    const count = async () => {
      const visitor = stranger()
      const page = await visitor.get('/sign-in')
      const proof = device.prove(questionOn(page), { origin: 'https://evil.example' })
      return (await world.database.statementsOf(() => sendProof(visitor, page, proof))).length
    }
    const known = await count()
    await school.db.delete('passkeys').where('credential_id', '=', idOf(device)).execute()
    expect(await count()).toBe(known)
  })
})

const idOf = (device: PasskeyDevice): Buffer => Buffer.from(device.credentialId, 'base64url')

test('wrong answers of one address close this way in for it, and leave passwords alone', async () => {
  const { person, device } = await aHolder()
  const visitor = stranger()
  const page = await visitor.get('/sign-in')
  const wrong = device.prove(questionOn(page), { origin: 'https://evil.example' })
  await world.database.pool.query('delete from sign_in_throttles')
  for (let failure = 0; failure < 100; failure++) {
    expect((await sendProof(visitor, page, wrong)).statusCode).toBe(401)
  }
  const refused = await sendProof(visitor, page, device.prove(questionOn(page)))
  expectPage(refused, 429)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  const byPassword = await visitor.signIn(await visitor.get('/sign-in'), person)
  expect(locationOf(byPassword)).toBe('/account')
  await world.database.pool.query('delete from sign_in_throttles')
})

test('junk answers of a thief close passkeys neither for a known browser, nor for an open session, nor at another school', async () => {
  const { device, owner } = await aHolder()
  const elsewhere = await world.aSchool()
  const other = await aHolder(undefined, undefined, elsewhere)
  const thief = stranger()
  const page = await thief.get('/sign-in')
  await world.database.pool.query('delete from sign_in_throttles')
  for (let failure = 0; failure < 100; failure++) {
    const junk = device.prove(questionOn(page), { origin: 'https://evil.example' })
    expect((await sendProof(thief, page, junk)).statusCode).toBe(401)
  }
  expect((await signInWith(stranger(), device)).statusCode).toBe(429)
  // The step-up of a session that is open.
  const confirm = await owner.get('/confirm?by_factor=yes&return_to=/account')
  const confirmed = await owner.post('/confirm/passkey', {
    ...hiddenFields(confirm.body, '/confirm'),
    passkey: device.prove(questionOn(confirm)),
  })
  expect(confirmed.statusCode).toBe(303)
  await submit(owner, '/account', '/sign-out')
  expect(locationOf(await signInWith(owner, device))).toBe('/account')
  expect(locationOf(await signInWith(stranger(elsewhere), other.device))).toBe('/account')
  await world.database.pool.query('delete from sign_in_throttles')
})
