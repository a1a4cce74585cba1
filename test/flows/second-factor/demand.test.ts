import { describe, expect, test } from 'vitest'
import {
  enterCode,
  enterPassword,
  switchOn,
  withSecondFactor,
} from '../../support/authenticator.ts'
import { aPkce, authorizeParameters, hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aPair, userinfo } from '../../support/client-like.ts'
import { anOperatorPair, CLAUDE } from '../../support/oauth-world.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { sharedWorld, type TestSchool } from '../../support/world.ts'

const SETTINGS = '/admin/settings'
const DEMAND = `${SETTINGS}/factor`
const world = await sharedWorld()
const { db } = world.database

const demand = (visitor: Visitor, days: number) =>
  submit(visitor, SETTINGS, DEMAND, { grace_days: String(days) })

async function demandFrom(school: TestSchool, from: Date | null): Promise<void> {
  await db
    .updateTable('schools')
    .set({ operator_factor_from: from })
    .where('id', '=', school.id)
    .execute()
  world.context.directory.forget(school.id)
}

const AN_HOUR_AGO = () => new Date(Date.now() - 3_600_000)
const IN_DAYS = (days: number) => new Date(Date.now() + (days - 0.5) * 86_400_000)

async function demandedFrom(school: TestSchool): Promise<Date | null> {
  const row = await db
    .selectFrom('schools')
    .select('operator_factor_from')
    .where('id', '=', school.id)
    .executeTakeFirstOrThrow()
  return row.operator_factor_from
}

describe('the setting', () => {
  test('is for owners who have a second factor themselves, so that nobody locks out themselves', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school, ['owner'])
    const visitor = await signedIn(world, school, ada)
    expect((await visitor.get(SETTINGS)).body).toContain('Set up your own first')
    const { form_token = '' } = hiddenFields((await visitor.get(SETTINGS)).body, '/sign-out')
    const forced = await visitor.post(DEMAND, { form_token, demanded: 'yes', grace_days: '0' })
    expect(forced.headers.location).toBe(`${SETTINGS}?done=demand-refused`)
    expect(await demandedFrom(school)).toBeNull()
    await switchOn(visitor)
    expect((await demand(visitor, 7)).headers.location).toBe(`${SETTINGS}?done=saved`)
    expect((await visitor.get(SETTINGS)).body).toContain('It is required in 7 days')
    const entries = await school.db
      .from('audit_entries')
      .select('detail')
      .where('action', '=', 'school.changed')
      .execute()
    expect(entries).toMatchObject([
      { detail: { changed: { operator_factor_from: [null, expect.any(String)] } } },
    ])
    await submit(visitor, SETTINGS, DEMAND)
    expect(await demandedFrom(school)).toBeNull()
  })

  test('an admin cannot change it, not even with a form of their own', async () => {
    const school = await world.aSchool()
    const admin = await world.aMember(school, ['admin'])
    const visitor = await signedIn(world, school, admin)
    await switchOn(visitor)
    const page = await visitor.get(SETTINGS)
    expect(page.body).toContain('Only an owner can change this.')
    const { form_token = '' } = hiddenFields(page.body, '/sign-out')
    const forced = await visitor.post(DEMAND, { form_token, demanded: 'yes', grace_days: '0' })
    expect(forced.headers.location).toBe(`${SETTINGS}?done=demand-refused`)
    expect(await demandedFrom(school)).toBeNull()
  })

  test('takes no more than thirty days, whatever a form says', async () => {
    const school = await world.aSchool()
    const visitor = await signedIn(world, school, await world.aMember(school, ['owner']))
    await switchOn(visitor)
    for (const days of ['31', '-1', '1e9', 'x', '0.5']) {
      const answer = await submit(visitor, SETTINGS, DEMAND, { grace_days: days })
      expect(answer.headers.location, days).toBe(`${SETTINGS}?done=demand-refused`)
    }
  })
})

describe('an owner or admin at a school that demands it', () => {
  test('is told the days that are left, and reaches everything until then', async () => {
    const school = await world.aSchool()
    const visitor = await signedIn(world, school, await world.aMember(school, ['admin']))
    await demandFrom(school, IN_DAYS(3))
    const page = await visitor.get('/admin/students')
    expect(page.statusCode).toBe(200)
    expect(page.body).toContain('In 3 days this area needs a passkey or a second factor')
  })

  test('reaches with a password alone only the page that says how to go on: pages and forms', async () => {
    const school = await world.aSchool({ mcpConnections: true })
    const visitor = await signedIn(world, school, await world.aMember(school, ['owner']))
    const { form_token = '' } = hiddenFields((await visitor.get('/admin')).body, '/sign-out')
    await demandFrom(school, AN_HOUR_AGO())
    for (const path of [
      '/admin',
      '/admin/settings',
      '/admin/students',
      '/admin/keys',
      '/admin/audit',
    ]) {
      const page = await visitor.get(path)
      expect([path, page.statusCode]).toEqual([path, 403])
      expect(page.body).toContain('Set up a second factor')
    }
    for (const path of ['/admin/keys/publish', '/admin/settings/security', DEMAND]) {
      expect((await visitor.post(path, { form_token })).statusCode, path).toBe(403)
    }
    expect((await visitor.get('/account/second-factor')).statusCode).toBe(200)
    await switchOn(visitor)
    expect((await visitor.get('/admin')).statusCode).toBe(200)
  })

  test('who has a second factor is asked for it: a session of the password alone is not enough', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school, ['admin'])
    const { app } = await withSecondFactor(world, school, ada)
    const visitor = new Visitor(world, school)
    const trusting = await enterPassword(visitor, ada)
    await enterCode(visitor, trusting, app.code(), { trust: 'yes' })
    expect((await enterPassword(visitor, ada)).statusCode).toBe(303)
    await demandFrom(school, AN_HOUR_AGO())
    const page = await visitor.get('/admin/students')
    expect(page.statusCode).toBe(403)
    expect(page.body).toContain('/sign-in?return_to=%2Fadmin%2Fstudents')
    // The browser is no longer trusted, and is not offered to be.
    const step = await enterPassword(visitor, ada)
    expect(step.body).toContain('Enter your code')
    expect(step.body).not.toContain('Trust this browser')
    await enterCode(visitor, step, app.code(1), { trust: 'yes' })
    expect((await visitor.get('/admin')).statusCode).toBe(200)
    expect((await enterPassword(visitor, ada)).body).toContain('Enter your code')
  })

  test('students and lecturers are asked for nothing', async () => {
    const school = await world.aSchool()
    await demandFrom(school, AN_HOUR_AGO())
    const visitor = await signedIn(world, school, await world.aMember(school, ['lecturer']))
    expect((await visitor.get('/account')).statusCode).toBe(200)
  })

  test('of another school is not affected', async () => {
    const [strict, other] = [await world.aSchool(), await world.aSchool()]
    await demandFrom(strict, AN_HOUR_AGO())
    const ada = await world.aMember(strict, ['owner'])
    await world.aMember(other, ['owner'], ada)
    const visitor = await signedIn(world, other, ada)
    expect((await visitor.get('/admin')).statusCode).toBe(200)
  })
})

describe('a new authorization of an operator app', () => {
  test('needs the same sign-in; tokens that were given before go on', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school, ['owner'])
    const visitor = await signedIn(world, school, ada)
    const pair = await anOperatorPair(world, school, ada, { visitor })
    await demandFrom(school, AN_HOUR_AGO())
    const scope = 'openid profile school:read'
    const query = authorizeParameters(school, CLAUDE, aPkce(), { scope, resource: undefined })
    const refused = await visitor.follow(await visitor.get(`/oauth/authorize?${query}`))
    expect(refused.statusCode).toBe(403)
    expect(refused.body).toContain('Your sign-in is not enough here')
    const forced = await visitor.decide(refused, 'allow')
    expect(forced.statusCode).toBe(403)
    expect(forced.headers.location).toBeUndefined()
    expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
    // Back to the app is always possible.
    const denied = await visitor.decide(refused, 'deny')
    expect(String(denied.headers.location)).toContain('error=access_denied')
    await switchOn(visitor)
    const asks = await visitor.follow(await visitor.get(`/oauth/authorize?${query}`))
    expect(String((await visitor.decide(asks, 'allow')).headers.location)).toContain('code=')
  })

  test('with a second factor leads to sign-in and back to the app', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school, ['owner'])
    const { app } = await withSecondFactor(world, school, ada)
    const visitor = new Visitor(world, school)
    await enterCode(visitor, await enterPassword(visitor, ada), app.code(), { trust: 'yes' })
    await enterPassword(visitor, ada)
    await demandFrom(school, AN_HOUR_AGO())
    const scope = 'openid profile school:read'
    const query = authorizeParameters(school, CLAUDE, aPkce(), { scope, resource: undefined })
    const refused = await visitor.follow(await visitor.get(`/oauth/authorize?${query}`))
    const [, link = ''] = /href="(\/sign-in\?request=[^"]+)"/.exec(refused.body) ?? []
    const form = await visitor.get(link)
    const step = await visitor.signIn(form, ada)
    const consent = await visitor.follow(await enterCode(visitor, step, app.code(1)))
    expect(String((await visitor.decide(consent, 'allow')).headers.location)).toContain('code=')
  })

  test('member apps ask for nothing more', async () => {
    const school = await world.aSchool()
    await demandFrom(school, AN_HOUR_AGO())
    const ada = await world.aMember(school, ['owner'])
    const client = await world.aPublicClient(school)
    expect((await aPair(world, school, client, ada)).access_token).toMatch(/^sg_at_/)
  })
})
