import { expect, test } from 'vitest'
import { enterCode, enterPassword, withSecondFactor } from '../support/authenticator.ts'
import { aSetup, expectErrorRedirect, locationOf, signedIn } from '../support/authorization.ts'
import { hiddenFields, Visitor } from '../support/browser-like.ts'
import { CLAUDE } from '../support/oauth-world.ts'
import { ageProof } from '../support/old-proof.ts'
import { PASSWORD, sharedWorld } from '../support/world.ts'

const world = await sharedWorld()
const member = await aSetup(world)
const { school } = member
const asking = { scope: 'openid courses:read courses:write' }

async function anOwner() {
  const person = await world.aMember(school, ['owner'])
  return { ...member, client: CLAUDE, person }
}

const codesOf = async ({ id }: { id: string }) =>
  await school.db.from('authorization_codes').select('id').where('user_id', '=', id).execute()

test('a thief with an old session of an owner allows no operator client, however often Allow is sent', async () => {
  const setup = await anOwner()
  const { visitor: thief, page } = await signedIn(setup, asking)
  await ageProof(world, setup.person)
  for (let n = 0; n < 2; n++) {
    const answer = await thief.decide(page, 'allow')
    expect(locationOf(answer)).toMatch(/^\/confirm\?request=/)
    const asks = await thief.follow(answer)
    expect(asks.body).toContain('Confirm that it is you')
    const fields = hiddenFields(asks.body, '/confirm')
    expect((await thief.post('/confirm', { ...fields, password: 'a guess' })).statusCode).toBe(401)
  }
  expect(await codesOf(setup.person)).toEqual([])
  expectErrorRedirect(setup, await thief.decide(page, 'deny'), 'access_denied')
})

test('the owner confirms, sees the same question again and allows it, also if the request is long', async () => {
  const setup = await anOwner()
  const state = 's'.repeat(3000)
  const { visitor, page } = await signedIn(setup, { ...asking, state })
  await ageProof(world, setup.person)
  const asks = await visitor.follow(await visitor.decide(page, 'allow'))
  // Headers of other pages would end the popup of an app, and the redirect to it.
  expect(asks.headers['cross-origin-opener-policy']).toBeUndefined()
  expect(asks.headers['content-security-policy']).not.toContain('form-action')
  expect(asks.body).toMatch(/<a href="\/consent\?request=[^"]+">Cancel/)
  const fields = { ...hiddenFields(asks.body, '/confirm'), password: PASSWORD }
  const again = await visitor.follow(await visitor.post('/confirm', fields))
  expect(again.body).toContain('value="allow"')
  const callback = new URL(locationOf(await visitor.decide(again, 'allow')))
  expect(callback.searchParams.get('code')).toMatch(/^sg_/)
  expect(callback.searchParams.get('state')).toBe(state)
})

test('a thief of a trusted browser, who knows the password, needs a code to allow an operator client', async () => {
  const setup = await anOwner()
  const { app } = await withSecondFactor(world, school, setup.person)
  const visitor = new Visitor(world, school)
  const step = await enterPassword(visitor, setup.person)
  await enterCode(visitor, step, app.code(), { trust: 'yes' })
  const { page } = await signedIn(setup, { ...asking, prompt: 'login' }, visitor)
  const asks = await visitor.follow(await visitor.decide(page, 'allow'))
  expect(asks.body).toContain('code from your authenticator app')
  expect(await codesOf(setup.person)).toEqual([])
})

test('a forged request leads the confirmation nowhere', async () => {
  const { person } = await anOwner()
  const visitor = new Visitor(world, school)
  await enterPassword(visitor, person)
  expect((await visitor.get('/confirm?request=forged')).headers.location).toBe('/account')
})

test('member clients are allowed with an old session, as before', async () => {
  const { visitor, page } = await signedIn(member)
  await ageProof(world, member.person)
  expect(locationOf(await visitor.decide(page, 'allow'))).toContain('code=')
})
