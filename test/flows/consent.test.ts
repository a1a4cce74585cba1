import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openPending, sealPending } from '../../src/domain/grants/pending-authorization.ts'
import { verifies } from '../spec/verifies.ts'
import { alter } from '../support/alter.ts'
import {
  aSetup,
  ask,
  auditOf,
  expectErrorRedirect,
  expectPage,
  locationOf,
  signedIn,
  writtenRows,
} from '../support/authorization.ts'
import { aPkce, authorizeAs, hiddenFields, Visitor } from '../support/browser-like.ts'
import { aPair, exchange, userinfo } from '../support/client-like.ts'
import { aWorld } from '../support/world.ts'

const world = await aWorld()
const setup = await aSetup(world)

describe('the consent page', () => {
  verifies(
    [
      'authorize.consent.every-time',
      'trouble.public-client-skips-consent',
      'pages.consent.interactive',
      'flow.no-claim-step',
    ],
    'is shown at every authorization of public and confidential clients, also after earlier consent',
    async () => {
      const confidential = await world.aConfidentialClient(setup.school)
      for (const client of [setup.client, confidential]) {
        const own = { ...setup, client }
        const { visitor, page } = await signedIn(own)
        expect(locationOf(await visitor.decide(page, 'allow'))).toContain('code=')
        for (const prompt of [undefined, 'consent']) {
          const again = await visitor.follow(await ask(own, { prompt }, visitor))
          expectPage(again, 200)
          expect(again.body).toContain('>Allow</button>')
        }
      }
    },
  )

  verifies(
    ['pages.consent.buttons', 'pages.security.headers'],
    'is one form where Allow and Deny look the same; switching the account is another form',
    async () => {
      const { page } = await signedIn(setup)
      expectPage(page, 200)
      const forms = [...page.body.matchAll(/<form[^>]*action="([^"]*)"/g)].map(([, to]) => to)
      expect(forms.sort()).toEqual(['/consent', '/sign-out'])
      const buttons = page.body.matchAll(
        /<button type="submit" name="decision" value="(\w+)" class="([^"]*)"/g,
      )
      expect([...buttons].map(([, value, look]) => [value, look])).toEqual([
        ['deny', 'button button-choice'],
        ['allow', 'button button-choice'],
      ])
      expect(page.body).toContain(setup.person.email)
    },
  )

  verifies(
    'pages.security.escaping',
    'shows a client name with <script> or right-to-left characters escaped, here and at sign-in',
    async () => {
      for (const [name, shown] of [
        ['<script>alert(1)</script>', '&lt;script>alert(1)&lt;/script>'],
        ['"><img src=x onerror=alert(1)>', '&quot;>&lt;img src=x onerror=alert(1)>'],
        ['Bank\u202egpj.exe', 'Bankgpj.exe'],
        ['\u2066Your\u2069 \u200bSchool\u0007', 'Your School'],
        ['\u202e\u200b', 'An app without a name'],
      ] as const) {
        const client = await world.aPublicClient(setup.school, { name })
        const visitor = new Visitor(world, setup.school)
        const signIn = await visitor.follow(await ask({ ...setup, client }, {}, visitor))
        const consent = await visitor.follow(await visitor.signIn(signIn, setup.person))
        for (const page of [signIn, consent]) {
          expectPage(page, 200)
          expect(page.body).not.toMatch(/<script>|<img src=x|[\u200b\u202a-\u202e\u2066-\u2069]/)
        }
        expect(consent.body).toContain(shown)
      }
    },
  )
})

describe('the answer', () => {
  verifies(
    ['authorize.denied', 'fapi2-security-profile-final-user-rejects-authentication'],
    'Deny is access_denied by redirect, and leaves no code, only the audit row',
    async () => {
      const own = await aSetup(world)
      const { visitor, page } = await signedIn(own)
      expectErrorRedirect(own, await visitor.decide(page, 'deny'), 'access_denied')
      expect(await own.school.db.from('authorization_codes').selectAll().execute()).toEqual([])
      expect(await auditOf(own.school)).toEqual([
        {
          action: 'authorization.denied',
          outcome: 'access_denied',
          actor_user_id: own.person.id,
          client_id: own.client.clientId,
          detail: {},
        },
      ])
    },
  )

  verifies(
    ['house.audit.events', 'authorize.approval.redirect'],
    'Allow is a code, and an audit row with person, client and scopes, without the code',
    async () => {
      const own = await aSetup(world)
      const { visitor, page } = await signedIn(own, { scope: 'openid account:read' })
      const code = new URL(locationOf(await visitor.decide(page, 'allow'))).searchParams.get('code')
      const audit = await auditOf(own.school)
      expect(audit).toEqual([
        {
          action: 'authorization.granted',
          outcome: 'ok',
          actor_user_id: own.person.id,
          client_id: own.client.clientId,
          detail: { scopes: ['account:read', 'openid'] },
        },
      ])
      expect(JSON.stringify(audit)).not.toContain(code)
    },
  )

  test('that is neither Allow nor Deny shows the page again and writes nothing', async () => {
    const { visitor, page } = await signedIn(setup)
    const before = await writtenRows(setup)
    const fields = hiddenFields(page.body, '/consent')
    for (const decision of ['', 'Allow', 'yes']) {
      const answer = await visitor.post('/consent', { ...fields, decision })
      expectPage(answer, 400)
      expect(answer.body).toContain('>Allow</button>')
    }
    expectPage(await visitor.post('/consent', fields), 400)
    expect(await writtenRows(setup)).toBe(before)
  })

  test('grants exactly the scopes on the page, also if the form adds others', async () => {
    const own = await aSetup(world)
    const { visitor, page } = await signedIn(own, { scope: 'openid' })
    const fields = hiddenFields(page.body, '/consent')
    await visitor.post('/consent', {
      ...fields,
      decision: 'allow',
      scope: 'account:write',
      redirect_uri: 'https://evil.example',
      client_id: 'other',
    })
    const [code] = await own.school.db.from('authorization_codes').selectAll().execute()
    expect(code).toMatchObject({ scopes: ['openid'], redirect_uri: own.client.redirectUri })
  })

  verifies(
    'client.member.any-role',
    'may authorize a member client if the person has any role here, also student',
    async () => {
      for (const role of ['student', 'lecturer', 'admin', 'owner']) {
        const person = await world.aMember(setup.school, [role])
        const pair = await aPair(world, setup.school, setup.client, person)
        expect((await userinfo(world, setup.school, pair.access_token)).json().sub).toBe(person.id)
      }
    },
  )
})

describe('the sealed request', () => {
  const sealedOf = (location: string) =>
    new URL(location, setup.school.origin).searchParams.get('request') ?? ''

  test('is refused with a page if it is changed, cut, repeated, of another school or made up', async () => {
    const { visitor, page } = await signedIn(setup)
    const { form_token = '' } = hiddenFields(page.body, '/consent')
    const sealed = sealedOf(locationOf(await ask(setup, {}, visitor)))
    const other = await aSetup(world)
    const foreign = sealedOf(locationOf(await ask(other)))
    const forged: Record<string, string> = {
      altered: alter(sealed, 40),
      cut: sealed.slice(0, -1),
      padded: `${sealed}=`,
      spaced: `${sealed} `,
      'with a line break': `${sealed}\r\nSet-Cookie: a=b`,
      'with more behind': `${sealed}!x`,
      foreign,
      empty: '',
      short: 'AAAA',
      words: 'not a request',
    }
    for (const [how, request] of Object.entries(forged)) {
      for (const path of ['/consent', '/sign-in']) {
        const answer = await visitor.get(`${path}?request=${encodeURIComponent(request)}`)
        expect({ how, path, status: answer.statusCode }).toEqual({ how, path, status: 400 })
        expectPage(answer, 400)
      }
      const posted = await visitor.post('/consent', { form_token, request, decision: 'allow' })
      expectPage(posted, 400)
    }
    expectPage(await visitor.get(`/consent?request=${sealed}`), 200)
  })

  test('of another school is refused even if a client has the same client_id here', async () => {
    const twin = await aSetup(world)
    await twin.school.db
      .update('clients')
      .set({ client_id: setup.client.clientId })
      .where('client_id', '=', twin.client.clientId)
      .execute()
    const foreign = sealedOf(locationOf(await ask({ ...twin, client: setup.client })))
    const { visitor } = await signedIn(setup)
    expectPage(await visitor.get(`/consent?request=${foreign}`), 400)
  })

  test('expires after half an hour, at sign-in and at consent', async () => {
    const { visitor, page } = await signedIn(setup)
    const { keyring } = world.context
    const sealed = hiddenFields(page.body, '/consent').request
    const pending = openPending(keyring, setup.school.id, sealed)
    if (pending === undefined) throw new Error('the request cannot be decrypted')
    const halfAnHourAgo = Date.now() - 30 * 60 * 1000
    const old = sealPending(keyring, setup.school.id, pending, halfAnHourAgo - 1000)
    const young = sealPending(keyring, setup.school.id, pending, halfAnHourAgo + 60_000)
    for (const path of ['/consent', '/sign-in']) {
      const answer = await visitor.get(`${path}?request=${old}`)
      expectPage(answer, 400)
      expect(answer.body).toContain('This request has expired')
      expect((await visitor.get(`${path}?request=${young}`)).statusCode).toBeLessThan(400)
    }
    const { form_token = '' } = hiddenFields(page.body, '/consent')
    const posted = { form_token, request: old, decision: 'allow' }
    expectPage(await visitor.post('/consent', posted), 400)
  })

  test('is not readable for the browser that carries it', async () => {
    const location = locationOf(await ask(setup, { state: 'the-state-of-the-client' }))
    const bytes = Buffer.from(sealedOf(location), 'base64url').toString('latin1')
    expect(bytes).not.toContain('the-state')
    expect(locationOf(await ask(setup))).not.toBe(locationOf(await ask(setup)))
  })
})

verifies(
  ['authorize.code.lifetime', 'authorize.time.database'],
  'a code is valid for five minutes by the clock of the database, not by that of the process',
  async () => {
    const { client, school, person } = setup
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * 60 * 1000 })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const pkce = aPkce()
    const params = await authorizeAs(world, school, client, person, { pkce })
    const code = params.get('code') ?? ''
    const { rows } = await world.database.pool.query<{ seconds: number }>(
      `select extract(epoch from expires_at - created_at)::int as seconds,
         created_at > now() - interval '1 minute' as fresh
       from authorization_codes where client_id = $1 order by created_at desc limit 1`,
      [client.clientId],
    )
    expect(rows).toEqual([{ seconds: 300, fresh: true }])
    expect((await exchange(world, school, client, code, pkce.verifier)).statusCode).toBe(200)
  },
)

verifies(
  'pages.consent.variant',
  'the consent page promises what the Member API of the origin has',
  async () => {
    for (const [variant, words] of [
      ['newer', 'purchases, bookings, payments'],
      ['older', 'products, event registrations'],
    ] as const) {
      const school = await world.aSchool({ variant })
      const client = await world.aPublicClient(school)
      const own = { world, school, client, person: await world.aMember(school) }
      const { page } = await signedIn(own, { scope: 'account:read' })
      expect(page.body, variant).toContain(`See your courses, progress, ${words} and notifications`)
    }
  },
)
