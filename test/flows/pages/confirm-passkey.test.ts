import { expect, test } from 'vitest'
import { type Answer, hiddenFields, type Visitor } from '../../support/browser-like.ts'
import { ageProof } from '../../support/old-proof.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { addPasskey, PasskeyDevice, questionOn } from '../../support/passkey-device.ts'
import { sharedWorld, type TestPerson } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const KEYS = '/admin/keys'
const PUBLISH = `${KEYS}/publish`

/** An owner with a passkey, whose last proof is eleven minutes old. */
async function aHolder(at = school) {
  const person = await world.aMember(at, ['owner'])
  const visitor = await signedIn(world, at, person)
  const device = new PasskeyDevice(at.origin)
  await addPasskey(visitor, device)
  await ageProof(world, person)
  return { person, visitor, device }
}

const send = (visitor: Visitor, page: Answer, passkey: string) =>
  visitor.post('/confirm/passkey', { ...hiddenFields(page.body, '/confirm'), passkey })

const methodsOf = async ({ id }: TestPerson) => {
  const rows = await school.db
    .from('browser_sessions')
    .select('methods')
    .where('user_id', '=', id)
    .execute()
  return rows.map(({ methods }) => methods)
}

const isAsked = async (visitor: Visitor) =>
  (await submit(visitor, KEYS, PUBLISH)).body.includes('Confirm that it is you')

test('a passkey confirms, and the form that was sent is kept until then', async () => {
  const { visitor, device, person } = await aHolder()
  const asked = await submit(visitor, KEYS, PUBLISH)
  const found = await send(visitor, asked, device.prove(questionOn(asked)))
  expect(found.body).toContain('Nothing was lost')
  const done = await visitor.post(PUBLISH, hiddenFields(found.body, PUBLISH))
  expect(done.headers.location).toBe(`${KEYS}?done=published`)
  expect((await methodsOf(person)).flat()).toContain('passkey')
})

test('only people with a passkey here are offered one', async () => {
  const { visitor } = await aHolder()
  expect((await visitor.get('/confirm')).body).toContain('data-passkey="prove"')
  const person = await world.aMember(school, ['owner'])
  const other = await signedIn(world, school, person)
  await ageProof(world, person)
  expect((await other.get('/confirm')).body).not.toContain('data-passkey')
})

test('a person without a password is asked for the passkey alone, and no word says otherwise', async () => {
  const { visitor, device, person } = await aHolder()
  expect((await visitor.get('/confirm')).body).toContain('Try again, or use your password.')
  await world.database.db
    .updateTable('users')
    .set({ password_hash: null })
    .where('id', '=', person.id)
    .execute()
  const page = await visitor.get('/confirm')
  expect(page.body).not.toContain('name="password"')
  expect(page.body).not.toContain('your password')
  expect(page.body).toContain('data-passkey-cancelled="No passkey was used. Try again."')
  const typed = { ...hiddenFields(page.body, '/confirm'), password: '' }
  expect((await visitor.post('/confirm', typed)).statusCode).toBe(400)
  const proof = device.prove(questionOn(page))
  expect((await send(visitor, page, proof)).headers.location).toBe('/account')
})

test('the passkey of another person proves nothing, and never becomes their session', async () => {
  const { visitor, person } = await aHolder()
  const thief = await aHolder()
  const page = await visitor.get('/confirm')
  const refused = await send(visitor, page, thief.device.prove(questionOn(page)))
  expect(refused.statusCode).toBe(401)
  expect(refused.body).toContain('This passkey was not accepted')
  expect(await isAsked(visitor)).toBe(true)
  expect((await visitor.get('/account')).body).toContain(person.email)
})

test('an answer that was recorded confirms no second time', async () => {
  const { visitor, device, person } = await aHolder()
  const page = await visitor.get('/confirm')
  const proof = device.prove(questionOn(page))
  expect((await send(visitor, page, proof)).headers.location).toBe('/account')
  await ageProof(world, person)
  expect((await send(visitor, page, proof)).statusCode).toBe(400)
  expect(await isAsked(visitor)).toBe(true)
})

test('an answer to the question of the sign-in page does not confirm', async () => {
  const { visitor, device } = await aHolder()
  const signIn = await visitor.get('/sign-in')
  const page = await visitor.get('/confirm')
  const fields = hiddenFields(signIn.body, '/sign-in')
  const answer = await visitor.post('/confirm/passkey', {
    ...hiddenFields(page.body, '/confirm'),
    passkey_challenge: fields.passkey_challenge ?? '',
    passkey: device.prove(questionOn(signIn)),
  })
  expect(answer.statusCode).toBe(400)
})

test('an owner needs a device that checks who holds it', async () => {
  const { visitor, device } = await aHolder()
  const page = await visitor.get('/confirm')
  const refused = await send(visitor, page, device.prove(questionOn(page), { verified: false }))
  expect(refused.statusCode).toBe(403)
  expect(await isAsked(visitor)).toBe(true)
})

test('a passkey that was removed confirms nothing', async () => {
  const { visitor, device, person } = await aHolder()
  const page = await visitor.get('/confirm')
  await school.db.delete('passkeys').where('user_id', '=', person.id).execute()
  expect((await send(visitor, page, device.prove(questionOn(page)))).statusCode).toBe(401)
})

test('a form of another session, or from another site, confirms nothing', async () => {
  const { visitor, device, person } = await aHolder()
  const page = await visitor.get('/confirm')
  const proof = device.prove(questionOn(page))
  const elsewhere = await signedIn(world, school, person)
  expect((await send(elsewhere, page, proof)).statusCode).toBe(403)
  const fields = { ...hiddenFields(page.body, '/confirm'), passkey: proof }
  const foreign = { origin: 'https://evil.example' }
  expect((await visitor.post('/confirm/passkey', fields, foreign)).statusCode).toBe(403)
})
