import { hash } from '@node-rs/argon2'
import { beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { aSetup, ask } from '../../support/authorization.ts'
import { type Answer, hiddenFields, Visitor } from '../../support/browser-like.ts'
import { sharedWorld, type TestPerson, type TestSchool } from '../../support/world.ts'

const PATH = '/sign-in/new-password'
const SHORT = 'short one'
const LONG = 'nine lanterns and a crow'
const world = await sharedWorld()
let school: TestSchool
let stored: string

beforeAll(async () => {
  school = await world.aSchool()
  stored = await hash(SHORT, { memoryCost: 19_456, timeCost: 2, parallelism: 1 })
})

/** A member from before the rule. */
async function anOldMember(where: TestSchool = school): Promise<TestPerson> {
  const person = await world.aMember(where)
  await world.database.db
    .updateTable('users')
    .set({ password_hash: stored })
    .where('id', '=', person.id)
    .execute()
  return { ...person, password: SHORT }
}

const sessionsOf = async ({ id }: TestPerson) =>
  (
    await world.database.db
      .selectFrom('browser_sessions')
      .select('id')
      .where('user_id', '=', id)
      .execute()
  ).length

const choose = (visitor: Visitor, page: Answer, password: string) =>
  visitor.post(PATH, { ...hiddenFields(page.body, PATH), new_password: password })

describe('a password from before the rule', () => {
  verifies(
    'pages.password.replaced',
    'is replaced at the next sign-in, and no session begins before that',
    async () => {
      const ada = await anOldMember()
      const visitor = new Visitor(world, school)
      const page = await visitor.signIn(
        await visitor.get('/sign-in?return_to=%2Faccount%2Fapps'),
        ada,
      )
      expect(page.statusCode).toBe(200)
      expect(page.body).toContain('Choose a longer password')
      expect(await sessionsOf(ada)).toBe(0)
      expect((await visitor.get('/account')).statusCode).toBe(303)
      const refused = await choose(visitor, page, 'fourteen chars')
      expect(refused.statusCode).toBe(400)
      expect(refused.body).toContain('Use at least 15')
      const done = await choose(visitor, refused, LONG)
      expect(done.headers.location).toBe('/account/apps')
      expect((await visitor.get('/account')).statusCode).toBe(200)
      const again = new Visitor(world, school)
      const entered = await again.signIn(await again.get('/sign-in'), ada, LONG)
      expect(entered.headers.location).toBe('/account')
      const old = await again.signIn(await again.get('/sign-in'), ada, SHORT)
      expect(old.statusCode).toBe(401)
    },
  )

  verifies(
    'pages.password.replaced',
    'the app that waits is not forgotten, and gets its code',
    async () => {
      const setup = await aSetup(world)
      const { person } = setup
      await world.database.db
        .updateTable('users')
        .set({ password_hash: stored })
        .where('id', '=', person.id)
        .execute()
      const visitor = new Visitor(world, setup.school)
      const form = await visitor.follow(await ask(setup, {}, visitor))
      const page = await visitor.signIn(form, { ...person, password: SHORT })
      const consent = await visitor.follow(await choose(visitor, page, LONG))
      const decided = await visitor.decide(consent, 'allow')
      expect(String(decided.headers.location)).toContain('code=')
    },
  )

  verifies(
    'pages.password.replaced',
    'its proof works once, at its school, in its browser, and not after another change',
    async () => {
      const ada = await anOldMember()
      const visitor = new Visitor(world, school)
      const page = await visitor.signIn(await visitor.get('/sign-in'), ada)
      const fields = { ...hiddenFields(page.body, PATH), new_password: LONG }
      const stranger = new Visitor(world, school)
      expect((await stranger.post(PATH, fields)).statusCode).toBe(403)
      // With a form of its own, it could sign the person in here under the password that it
      // chooses.
      const ofStranger = hiddenFields((await stranger.get('/sign-in')).body, '/sign-in')
      const planted = { ...fields, form_token: ofStranger.form_token ?? '' }
      expect((await stranger.post(PATH, planted)).headers.location).toBe('/sign-in')
      expect(await sessionsOf(ada)).toBe(0)
      const elsewhere = await world.aSchool()
      const other = new Visitor(world, elsewhere)
      const own = hiddenFields((await other.get('/sign-in')).body, '/sign-in')
      const carried = await other.post(PATH, { ...fields, form_token: own.form_token ?? '' })
      expect(carried.headers.location).toBe('/sign-in')
      const [first, second] = await Promise.all([
        visitor.post(PATH, fields),
        visitor.post(PATH, { ...fields, new_password: `${LONG} 2` }),
      ])
      expect([first.headers.location, second.headers.location].sort()).toEqual([
        '/account',
        '/sign-in',
      ])
      expect((await stranger.get('/account')).statusCode).toBe(303)
    },
  )

  test('ends all other sessions when it is replaced', async () => {
    const ada = await anOldMember()
    const visitor = new Visitor(world, school)
    const page = await visitor.signIn(await visitor.get('/sign-in'), ada)
    const { id } = ada
    await school.db
      .insert('browser_sessions', {
        id,
        secret_hash: Buffer.alloc(32),
        user_id: id,
        expires_at: new Date(Date.now() + 1e9),
      })
      .execute()
    await choose(visitor, page, LONG)
    expect(await sessionsOf(ada)).toBe(1)
  })
})
