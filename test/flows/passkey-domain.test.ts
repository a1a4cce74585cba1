import { describe, expect, test } from 'vitest'
import { Visitor } from '../support/browser-like.ts'
import { signedIn } from '../support/operator-like.ts'
import { addPasskey, PasskeyDevice, questionOn, signInWith } from '../support/passkey-device.ts'
import { aWorld, sharedWorld, type TestSchool, type World } from '../support/world.ts'

const DOMAIN = 'schools.test'
const ELSEWHERE = 'https://north.example'

const passkeys = { domain: DOMAIN, origins: [ELSEWHERE] }
const world = await aWorld({ passkeys })

async function aSchoolAt(where: World, host: string): Promise<TestSchool> {
  const made = await where.aSchool()
  const origin = `http://${host}`
  await where.database.pool.query('update schools set origin = $2 where id = $1', [made.id, origin])
  where.context.directory.forget()
  return { ...made, origin }
}

const good = await aSchoolAt(world, `good.${DOMAIN}`)
const evil = await aSchoolAt(world, `evil.${DOMAIN}`)

async function aHolder(at: TestSchool) {
  const person = await world.aMember(at)
  const device = new PasskeyDevice(at.origin)
  const added = await addPasskey(await signedIn(world, at, person), device)
  expect(added.headers.location).toContain('done=added')
  return { person, device }
}

describe('passkeys of a domain', () => {
  test('belong to it at the schools below it, and to the host elsewhere', async () => {
    const outside = await world.aSchool()
    const idAt = async (at: TestSchool) =>
      questionOn(await new Visitor(world, at).get('/sign-in')).rpId
    expect(await idAt(good)).toBe(DOMAIN)
    expect(await idAt(outside)).toBe(new URL(outside.origin).hostname)
  })

  test('survive a move of the school to another name below it', async () => {
    const school = await aSchoolAt(world, `before.${DOMAIN}`)
    const { device } = await aHolder(school)
    const origin = `http://after.${DOMAIN}`
    await world.database.pool.query('update schools set origin = $2 where id = $1', [
      school.id,
      origin,
    ])
    world.context.directory.forget()
    const visitor = new Visitor(world, { ...school, origin })
    expect((await signInWith(visitor, device, { origin })).headers.location).toBe('/account')
  })

  test('a hostile school below the same domain cannot pass on what its page was answered', async () => {
    const { device } = await aHolder(good)
    const visitor = new Visitor(world, good)
    // The page of the hostile school asks with a challenge of the good one; the browser names the
    // page that asked.
    const answer = await signInWith(visitor, device, { origin: evil.origin })
    expect(answer.statusCode).toBe(401)
  })

  test('a passkey made at one school signs in at no other, whatever the domain', async () => {
    const { person, device } = await aHolder(good)
    await world.aMember(evil, ['owner'], person)
    const visitor = new Visitor(world, evil)
    const answer = await signInWith(visitor, device, { origin: evil.origin })
    expect(answer.statusCode).toBe(401)
    // The browser would forget the passkey of the other school.
    expect(answer.body).not.toContain('data-passkey-unknown')
  })

  test('a passkey that a hostile school made for the handle of a person does not open their account', async () => {
    const own = await signedIn(world, good, await world.aMember(good))
    const victim = questionOn(await own.get('/account/passkeys')).user?.id ?? ''
    await addPasskey(own, new PasskeyDevice(good.origin))
    const attacker = await aHolder(evil)
    const visitor = new Visitor(world, good)
    const use = { origin: good.origin, userHandle: victim }
    expect((await signInWith(visitor, attacker.device, use)).statusCode).toBe(401)
  })
})

describe('related origins', () => {
  const wellKnown = async (where: World, host: string) =>
    await where.app.inject({ url: '/.well-known/webauthn', headers: { host } })

  test('are listed at the domain, only those that the administrator named', async () => {
    const answer = await wellKnown(world, DOMAIN)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toContain('application/json')
    expect(answer.json()).toEqual({ origins: [ELSEWHERE] })
  })

  test('are listed nowhere else', async () => {
    for (const host of [`good.${DOMAIN}`, 'unknown.test']) {
      expect((await wellKnown(world, host)).statusCode).toBe(404)
    }
  })

  test('are off unless the installation names a domain', async () => {
    const plain = await sharedWorld()
    const school = await plain.aSchool()
    for (const host of [DOMAIN, new URL(school.origin).host]) {
      expect((await wellKnown(plain, host)).statusCode).toBe(404)
    }
  })
})
