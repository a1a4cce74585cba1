import { describe, expect, test } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import {
  aSetup,
  auditOf,
  expectErrorRedirect,
  expectPage,
  locationOf,
  type Setup,
  signedIn,
} from '../support/authorization.ts'
import { Visitor } from '../support/browser-like.ts'
import { aWorld } from '../support/world.ts'

const world = await aWorld()

const codesOf = ({ school }: Setup) => school.db.from('authorization_codes').select('id').execute()

/** Changes that an operator makes while a person reads the consent page. */
const changes: Record<string, (setup: Setup) => Promise<unknown>> = {
  'was deleted': ({ school }) =>
    school.db.update('clients').set({ deleted_at: new Date() }).execute(),
  'was disabled': ({ school }) =>
    school.db.update('clients').set({ disabled_at: new Date() }).execute(),
  'lost its redirect URI': ({ school }) =>
    school.db
      .update('clients')
      .set({ redirect_uris: ['https://elsewhere.example/cb'] })
      .execute(),
  'lost a scope': ({ school }) =>
    school.db
      .update('clients')
      .set({ scopes: ['openid'] })
      .execute(),
}

describe('between the consent page and the answer', () => {
  for (const [what, change] of Object.entries(changes)) {
    test(`the client ${what}: nothing is granted, and the browser is not redirected`, async () => {
      const setup = await aSetup(world)
      const { visitor, page } = await signedIn(setup)
      await change(setup)
      for (const decision of ['allow', 'deny'] as const) {
        const answer = await visitor.decide(page, decision)
        expectPage(answer, 400)
        expect(answer.body).toContain('This app has changed')
      }
      expect(await codesOf(setup)).toEqual([])
    })
  }

  test('the person lost their role: Allow is refused and recorded, and they can return to the app', async () => {
    const setup = await aSetup(world)
    const { visitor, page } = await signedIn(setup)
    await setup.school.db.update('school_members').set({ roles: [] }).execute()
    const refused = await visitor.decide(page, 'allow')
    expectPage(refused, 403)
    expect(refused.body).toContain('not a member')
    expect(await codesOf(setup)).toEqual([])
    expect(await auditOf(setup.school)).toMatchObject([
      {
        action: 'authorization.refused',
        outcome: 'access_denied',
        detail: { standing: 'no_role' },
      },
    ])
    expectErrorRedirect(setup, await visitor.decide(refused, 'deny'), 'access_denied')
  })

  test('the session ended: the answer is not accepted, and the person goes to sign-in', async () => {
    const setup = await aSetup(world)
    const { visitor, page } = await signedIn(setup)
    await setup.school.db.delete('browser_sessions').execute()
    const answer = await visitor.decide(page, 'allow')
    expect([answer.statusCode, answer.headers.location]).toEqual([
      303,
      expect.stringMatching(/^\/sign-in\?/),
    ])
    expect(await codesOf(setup)).toEqual([])
  })

  test('the person was deleted: no session, no code', async () => {
    const setup = await aSetup(world)
    const { visitor, page } = await signedIn(setup)
    await world.database.pool.query(
      'update users set deleted_at = now(), email = null, password_hash = null where id = $1',
      [setup.person.id],
    )
    const answer = await visitor.decide(page, 'allow')
    expect([answer.statusCode, answer.headers.location]).toEqual([
      303,
      expect.stringMatching(/^\/sign-in\?/),
    ])
    expect(await codesOf(setup)).toEqual([])
  })
})

describe('people without a role at the school', () => {
  test('see the schools where they have one, and can return to the app', async () => {
    const setup = await aSetup(world)
    const elsewhere = await world.aSchool()
    const left = await world.aSchool()
    const person = await world.aMember(elsewhere)
    await world.aMember(left, [], person)
    const { visitor, page } = await signedIn({ ...setup, person })
    expectPage(page, 403)
    const places = [...page.body.matchAll(/<a href="(http[^"]*)"/g)].map(([, to]) => to)
    expect(places).toEqual([elsewhere.origin])
    expect(page.body).not.toContain('>Allow<')
    expectErrorRedirect(setup, await visitor.decide(page, 'deny'), 'access_denied')
    expect(await codesOf(setup)).toEqual([])
  })
})

describe('operator clients', async () => {
  const setup = await aSetup(world)
  const operator = {
    ...setup,
    client: { clientId: 'claude', secret: undefined, redirectUri: 'http://127.0.0.1/callback' },
  }
  const asking = { scope: 'openid courses:read courses:write' }

  for (const role of ['student', 'lecturer']) {
    verifies(
      [
        'client.operator.who-may-authorize',
        'client.operator.others-told',
        'pages.consent.operator-roles',
      ],
      `a ${role} sees why they may not authorize one, and can return with access_denied`,
      async () => {
        const person = await world.aMember(setup.school, [role])
        const { visitor, page } = await signedIn({ ...operator, person }, asking)
        expectPage(page, 403)
        expect(page.body).toContain('for owners and admins')
        expect(page.body).not.toContain('>Allow<')
        expectPage(await visitor.decide(page, 'allow'), 403)
        expectErrorRedirect(operator, await visitor.decide(page, 'deny'), 'access_denied')
        expect(await codesOf(setup)).toEqual([])
      },
    )
  }

  for (const role of ['owner', 'admin']) {
    verifies('client.operator.who-may-authorize', `an ${role} may authorize one`, async () => {
      const person = await world.aMember(setup.school, [role])
      const { visitor, page } = await signedIn({ ...operator, person }, asking)
      expect(locationOf(await visitor.decide(page, 'allow'))).toContain('code=')
    })
  }

  verifies(
    'client.operator.who-may-authorize',
    'an admin who became a student meanwhile may not',
    async () => {
      const own = await aSetup(world)
      const person = await world.aMember(own.school, ['admin'])
      const { visitor, page } = await signedIn(
        { ...operator, ...own, client: operator.client, person },
        asking,
      )
      expectPage(page, 200)
      await own.school.db
        .update('school_members')
        .set({ roles: ['student'] })
        .where('user_id', '=', person.id)
        .execute()
      expectPage(await visitor.decide(page, 'allow'), 403)
      expect(await codesOf(own)).toEqual([])
    },
  )

  test('an owner of another school may not authorize one here', async () => {
    const elsewhere = await world.aSchool()
    const person = await world.aMember(elsewhere, ['owner'])
    await world.aMember(setup.school, ['student'], person)
    const visitor = new Visitor(world, setup.school)
    const { page } = await signedIn({ ...operator, person }, asking, visitor)
    expectPage(page, 403)
  })
})
