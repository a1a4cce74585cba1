import { describe, expect, test } from 'vitest'
import {
  enterCode,
  enterPassword,
  noCodeUsed,
  type SecondFactorOf,
  withSecondFactor,
} from '../../support/authenticator.ts'
import { type Answer, hiddenFields, Visitor } from '../../support/browser-like.ts'
import { ageProof } from '../../support/old-proof.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { PASSWORD, sharedWorld, type TestPerson } from '../../support/world.ts'

const PAGE = '/account/second-factor'
const world = await sharedWorld()
const school = await world.aSchool()

async function aPersonWithFactor(): Promise<[TestPerson, SecondFactorOf, Visitor]> {
  const ada = await world.aMember(school)
  const factor = await withSecondFactor(world, school, ada)
  const visitor = new Visitor(world, school)
  await enterCode(visitor, await enterPassword(visitor, ada), factor.app.code())
  await noCodeUsed(world, ada)
  return [ada, factor, visitor]
}

const confirm = (visitor: Visitor, page: Answer, fields: Record<string, string>) =>
  visitor.post('/confirm', { ...hiddenFields(page.body, '/confirm'), ...fields })

const methodsOf = async ({ id }: TestPerson) =>
  (
    await school.db.from('browser_sessions').select('methods').where('user_id', '=', id).execute()
  ).map(({ methods }) => methods)

describe('a proof that is older than ten minutes', () => {
  test('does not switch the second factor on or off, nor make new codes', async () => {
    const bob = await world.aMember(school)
    const plain = await signedIn(world, school, bob)
    await ageProof(world, bob)
    expect((await plain.get(`${PAGE}/new`)).headers.location).toContain('/confirm')
    const [ada, , visitor] = await aPersonWithFactor()
    await ageProof(world, ada)
    for (const action of ['codes', 'off']) {
      const answer = await submit(visitor, PAGE, `${PAGE}/${action}`)
      expect(answer.body, action).toContain('Confirm that it is you')
    }
    expect((await visitor.get(PAGE)).body).toContain('10 codes left')
  })

  test('is renewed by a code, and the form that was sent waits for the person', async () => {
    const [ada, { app }, visitor] = await aPersonWithFactor()
    await ageProof(world, ada)
    const asks = await submit(visitor, PAGE, `${PAGE}/off`)
    expect(asks.body).toContain('code from your authenticator app')
    const done = await confirm(visitor, asks, { code: app.code(1) })
    expect(done.statusCode).toBeLessThan(400)
    expect((await submit(visitor, PAGE, `${PAGE}/off`)).headers.location).toBe(`${PAGE}?done=off`)
  })

  test('a thief with the session and the password has no code: the password confirms nothing', async () => {
    const [ada, factor, thief] = await aPersonWithFactor()
    await ageProof(world, ada)
    const asks = await thief.get('/confirm?return_to=%2Faccount')
    expect(asks.body).not.toContain('name="password"')
    for (const fields of [
      { password: PASSWORD },
      { password: PASSWORD, code: PASSWORD },
      { code: factor.app.wrongCode() },
    ]) {
      expect((await confirm(thief, asks, fields)).statusCode).toBeGreaterThanOrEqual(400)
    }
    // Changing the password would give a new session with a new proof.
    expect((await thief.get('/account/password')).headers.location).toContain('/confirm')
    const { form_token = '' } = hiddenFields((await thief.get('/account')).body, '/sign-out')
    const changed = await thief.post('/account/password', {
      form_token,
      current_password: PASSWORD,
      new_password: 'nine lanterns and a crow',
    })
    expect(changed.headers.location).not.toContain('done=password')
    expect((await enterPassword(new Visitor(world, school), ada)).statusCode).toBe(200)
  })

  test('cannot be renewed by guessing codes: ten are the most for a session', async () => {
    const [ada, factor, thief] = await aPersonWithFactor()
    await ageProof(world, ada)
    const asks = await thief.get('/confirm?return_to=%2Faccount')
    const statuses: number[] = []
    for (let n = 0; n < 11; n++) {
      statuses.push((await confirm(thief, asks, { code: factor.app.wrongCode(n) })).statusCode)
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429])
    expect((await confirm(thief, asks, { code: factor.app.code(1) })).statusCode).toBe(429)
  })

  test('a recovery code renews it too, once', async () => {
    const [ada, { recoveryCodes }, visitor] = await aPersonWithFactor()
    const code = recoveryCodes[0] ?? ''
    for (const status of [303, 401]) {
      await ageProof(world, ada)
      const asks = await visitor.get('/confirm?return_to=%2Faccount')
      expect((await confirm(visitor, asks, { code })).statusCode).toBe(status)
    }
  })
})

describe('a trusted browser', () => {
  test('never counts as a proof: a new sign-in there is asked for a code at once', async () => {
    const [ada, { app }] = await aPersonWithFactor()
    const visitor = new Visitor(world, school)
    const step = await enterPassword(visitor, ada)
    await enterCode(visitor, step, app.code(), { trust: 'yes' })
    expect((await enterPassword(visitor, ada)).statusCode).toBe(303)
    const asks = await submit(visitor, PAGE, `${PAGE}/off`)
    expect(asks.body).toContain('code from your authenticator app')
    await confirm(visitor, asks, { code: app.code(1) })
    expect(await methodsOf(ada)).toContainEqual(['password', 'code'])
    expect((await submit(visitor, PAGE, `${PAGE}/off`)).headers.location).toBe(`${PAGE}?done=off`)
  })
})
