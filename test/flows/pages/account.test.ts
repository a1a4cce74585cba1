import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { verifies } from '../../spec/verifies.ts'
import { hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aPair, exchange, refresh, userinfo } from '../../support/client-like.ts'
import { aCode } from '../../support/oauth-world.ts'
import { PASSWORD, sharedWorld, type TestPerson, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()

async function signedIn(school: TestSchool, person: TestPerson): Promise<Visitor> {
  const visitor = new Visitor(world, school)
  await visitor.signIn(await visitor.get('/sign-in'), person)
  return visitor
}

async function addAuthorizations(
  school: TestSchool,
  clientId: string,
  person: TestPerson,
  ids: readonly string[],
): Promise<void> {
  const scopes = ['openid']
  await school.db
    .insert(
      'authorizations',
      ids.map((id) => ({
        id,
        client_id: clientId,
        user_id: person.id,
        audience: 'member' as const,
        scopes,
      })),
    )
    .execute()
  await world.database.db
    .insertInto('token_pairs')
    .values(
      ids.map((id) => ({
        id: uuidv7(),
        authorization_id: id,
        scopes,
        access_hash: randomBytes(32),
        refresh_hash: randomBytes(32),
        access_expires_at: sql<Date>`now() + interval '2 hours'`,
        refresh_expires_at: sql<Date>`now() + interval '90 days'`,
      })),
    )
    .execute()
}

async function liveAuthorizations(school: TestSchool): Promise<number> {
  const live = school.db.from('authorizations').where('revoked_at', 'is', null)
  return (await live.select('id').execute()).length
}

/** The forms that end the access of an app, in the order of the page. */
function endForms(html: string): Record<string, string>[] {
  return [...html.matchAll(/<form[^>]*action="\/account\/apps\/end".*?<\/form>/gs)].map(([form]) =>
    hiddenFields(form, '/account/apps/end'),
  )
}

verifies('pages.paths', 'the pages are where the documentation says', async () => {
  const school = await world.aSchool()
  const owner = await world.aMember(school, ['owner'])
  const anyone = new Visitor(world, school)
  for (const path of ['/', '/docs', '/sign-in']) {
    expect((await anyone.get(path)).statusCode, path).toBe(200)
  }
  const visitor = await signedIn(school, owner)
  for (const path of [
    '/',
    '/docs',
    '/account',
    '/account/settings',
    '/account/apps',
    '/sign-out',
  ]) {
    expect((await visitor.get(path)).statusCode, path).toBe(200)
  }
})

test('a page that needs a sign-in leads to it, and the sign-in leads back', async () => {
  const school = await world.aSchool()
  const ada = await world.aMember(school)
  const visitor = new Visitor(world, school)
  const turned = await visitor.get('/account/apps?done=ended')
  expect(turned.statusCode).toBe(303)
  expect(turned.headers.location).toBe('/sign-in?return_to=%2Faccount%2Fapps%3Fdone%3Dended')
  const page = await visitor.follow(turned)
  const back = await visitor.signIn(page, ada)
  expect(back.statusCode).toBe(303)
  expect(back.headers.location).toBe('/account/apps?done=ended')
})

test('a wrong password keeps the page to return to', async () => {
  const school = await world.aSchool()
  const ada = await world.aMember(school)
  const visitor = new Visitor(world, school)
  const page = await visitor.get('/sign-in?return_to=%2Faccount%2Fpassword')
  const refused = await visitor.signIn(page, ada, 'not the password')
  expect(refused.statusCode).toBe(401)
  const back = await visitor.signIn(refused, ada)
  expect(back.headers.location).toBe('/account/password')
})

test.each([
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '/%2Fevil.example',
  '/%5Cevil.example',
  '/\t/evil.example',
  '/.//evil.example',
])('sign-in does not redirect to %j, given in the link or in the form', async (target) => {
  const school = await world.aSchool()
  const ada = await world.aMember(school)
  const visitor = new Visitor(world, school)
  const page = await visitor.get(`/sign-in?return_to=${encodeURIComponent(target)}`)
  expect(page.body).not.toContain('evil.example')
  const fields = hiddenFields(page.body, '/sign-in')
  const posted = await visitor.post('/sign-in', {
    ...fields,
    return_to: target,
    email: ada.email,
    password: PASSWORD,
  })
  expect(posted.headers.location).toBe('/account')
})

verifies(
  'pages.account.apps',
  'ending an app on one device ends its pairs at once, and not those of the other device',
  async () => {
    const school = await world.aSchool()
    const client = await world.aPublicClient(school, { name: 'Study Planner' })
    const ada = await world.aMember(school)
    const phone = await aPair(world, school, client, ada)
    const laptop = await aPair(world, school, client, ada)
    const young = (await refresh(world, school, client, laptop.refresh_token)).json()
    await userinfo(world, school, phone.access_token)

    const visitor = await signedIn(school, ada)
    const page = await visitor.get('/account/apps')
    expect(page.body).toContain('Study Planner')
    expect(page.body).toContain('last used around')
    expect(page.body).toContain('not used yet')
    const [all, first] = endForms(page.body)
    expect(all).toHaveProperty('client', client.clientId)

    // The latest authorization comes first: it is the laptop.
    const ended = await visitor.post('/account/apps/end', first ?? {})
    expect(ended.statusCode).toBe(303)
    expect((await userinfo(world, school, laptop.access_token)).statusCode).toBe(401)
    expect((await userinfo(world, school, young.access_token)).statusCode).toBe(401)
    expect((await refresh(world, school, client, young.refresh_token)).json().error).toBe(
      'invalid_grant',
    )
    expect((await userinfo(world, school, phone.access_token)).statusCode).toBe(200)

    const after = await visitor.follow(ended)
    expect(after.body).toContain('Ended.')
    expect(endForms(after.body)).toHaveLength(1)
    const entry = await school.db
      .from('audit_entries')
      .select(['actor_user_id', 'client_id'])
      .where('action', '=', 'authorization.ended')
      .executeTakeFirstOrThrow()
    expect(entry).toEqual({ actor_user_id: ada.id, client_id: client.clientId })
  },
)

test('ending an app on all devices ends every pair, and the page is empty', async () => {
  const school = await world.aSchool()
  const client = await world.aPublicClient(school)
  const ada = await world.aMember(school)
  const pairs = [
    await aPair(world, school, client, ada),
    await aPair(world, school, client, ada),
    await aPair(world, school, client, ada),
  ]
  const visitor = await signedIn(school, ada)
  const [all] = endForms((await visitor.get('/account/apps')).body)
  const after = await visitor.follow(await visitor.post('/account/apps/end', all ?? {}))
  expect(after.body).toContain('No app has access')
  for (const pair of pairs) {
    expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
  }
})

verifies(
  'pages.account.apps',
  'a code that is not exchanged yet is refused after the person ends the app; codes of others work',
  async () => {
    const school = await world.aSchool()
    const client = await world.aPublicClient(school)
    const other = await world.aPublicClient(school)
    const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
    await aPair(world, school, client, ada)
    const late = await aCode(world, school, client, ada)
    const elsewhere = await aCode(world, school, other, ada)
    const bens = await aCode(world, school, client, ben)

    const visitor = await signedIn(school, ada)
    const [only] = endForms((await visitor.get('/account/apps')).body)
    await visitor.post('/account/apps/end', only ?? {})

    const refused = await exchange(world, school, client, late.code, late.pkce.verifier)
    expect([refused.statusCode, refused.json().error]).toEqual([400, 'invalid_grant'])
    expect(endForms((await visitor.get('/account/apps')).body)).toEqual([])
    for (const [app, { code, pkce }] of [
      [other, elsewhere],
      [client, bens],
    ] as const) {
      expect((await exchange(world, school, app, code, pkce.verifier)).statusCode).toBe(200)
    }
  },
)

test('a person cannot end an authorization of another person, or their own at another school', async () => {
  const school = await world.aSchool()
  const elsewhere = await world.aSchool()
  const client = await world.aPublicClient(school)
  const ada = await world.aMember(school)
  await world.aMember(elsewhere, ['student'], ada)
  const ben = await world.aMember(school)
  const pair = await aPair(world, school, client, ada)
  const { id } = await school.db
    .from('authorizations')
    .select('id')
    .where('user_id', '=', ada.id)
    .executeTakeFirstOrThrow()

  const strangers = [await signedIn(school, ben), await signedIn(elsewhere, ada)]
  for (const stranger of strangers) {
    const page = await stranger.get('/account/apps')
    const form_token = hiddenFields(page.body, '/sign-out').form_token ?? ''
    for (const field of [{ authorization: id }, { client: client.clientId }]) {
      const answer = await stranger.post('/account/apps/end', { form_token, ...field })
      expect(answer.headers.location).toBe('/account/apps?done=nothing')
    }
  }
  expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
})

verifies(
  'pages.security.form-token',
  'a form posted from another site ends no app and no session',
  async () => {
    const school = await world.aSchool()
    const client = await world.aPublicClient(school)
    const ada = await world.aMember(school)
    const pair = await aPair(world, school, client, ada)
    const visitor = await signedIn(school, ada)
    const [fields] = endForms((await visitor.get('/account/apps')).body)
    const other = await signedIn(school, await world.aMember(school))
    const stolen = hiddenFields((await other.get('/account')).body, '/sign-out').form_token ?? ''
    const { form_token: _, ...bare } = fields ?? {}
    const forged = [
      await visitor.post('/account/apps/end', bare),
      await visitor.post('/account/apps/end', { ...bare, form_token: stolen }),
      await visitor.post('/account/apps/end', fields ?? {}, { origin: 'https://evil.example' }),
      await visitor.post('/account/apps/end', fields ?? {}, { 'sec-fetch-site': 'cross-site' }),
      await visitor.post('/sign-out', { form_token: stolen }),
    ]
    for (const answer of forged) expect(answer.statusCode).toBe(403)
    expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
    expect((await visitor.get('/account')).statusCode).toBe(200)
  },
)

test('signing out by the form ends the session, and a link to it does not', async () => {
  const school = await world.aSchool()
  const visitor = await signedIn(school, await world.aMember(school))
  const page = await visitor.get('/sign-out')
  expect((await visitor.get('/account')).statusCode).toBe(200)
  const out = await visitor.post('/sign-out', hiddenFields(page.body, '/sign-out'))
  expect(out.statusCode).toBe(303)
  expect((await visitor.get('/account')).headers.location).toContain('/sign-in')
  const { count } = await school.db
    .from('browser_sessions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  expect(count).toBe(0)
})

test('the home page shows only published objects', async () => {
  const school = await world.aSchool()
  const course = (slug: string, state: 'draft' | 'published') => ({
    id: crypto.randomUUID(),
    slug,
    title: `Course ${slug}`,
    state,
    currency: 'USD',
    price_amount: 1250,
    published_at: state === 'published' ? new Date() : null,
  })
  await school.db
    .insert('courses', [course('open', 'published'), course('secret', 'draft')])
    .execute()
  const event = (slug: string, state: 'draft' | 'published', days: number) => ({
    id: crypto.randomUUID(),
    slug,
    title: `Event ${slug}`,
    state,
    currency: 'USD',
    online_url: 'https://room.example/secret',
    starts_at: new Date(Date.now() + days * 86_400_000),
    ends_at: new Date(Date.now() + days * 86_400_000 + 3_600_000),
  })
  await school.db
    .insert('events', [
      event('soon', 'published', 3),
      event('past', 'published', -3),
      event('draft', 'draft', 3),
    ])
    .execute()
  const { body } = await new Visitor(world, school).get('/')
  expect(body).toContain('Course open')
  expect(body).toContain('$12.50')
  expect(body).toContain('Event soon')
  for (const hidden of ['Course secret', 'Event past', 'Event draft', 'room.example']) {
    expect(body).not.toContain(hidden)
  }
})

verifies(
  'pages.account.apps.switched-off',
  'an app that the school switched off is listed as such, and its access can be ended',
  async () => {
    const school = await world.aSchool()
    const client = await world.aPublicClient(school, { name: 'Study Planner' })
    const ada = await world.aMember(school)
    await aPair(world, school, client, ada)
    const visitor = await signedIn(school, ada)
    const off = 'This app is switched off at this school'
    expect((await visitor.get('/account/apps')).body).not.toContain(off)
    await school.db.update('clients').set({ disabled_at: new Date() }).execute()
    const page = await visitor.get('/account/apps')
    expect(page.body).toContain(off)
    const [only] = endForms(page.body)
    await visitor.post('/account/apps/end', only ?? {})
    expect((await visitor.get('/account/apps')).body).toContain('No app has access')
  },
)

test('a thousand authorizations are shown in pages, and each can be ended', async () => {
  const school = await world.aSchool()
  const ada = await world.aMember(school)
  const client = await world.aPublicClient(school)
  const ids = Array.from({ length: 120 }, () => uuidv7()).toSorted()
  await addAuthorizations(school, client.clientId, ada, ids)
  const visitor = await signedIn(school, ada)
  const seen: string[] = []
  let url: string | undefined = '/account/apps'
  for (let pages = 0; url !== undefined && pages < 5; pages++) {
    const { body } = await visitor.get(url)
    seen.push(...endForms(body).flatMap(({ authorization }) => authorization ?? []))
    url = /href="(\/account\/apps\?before=[^"]*)"/.exec(body)?.[1]
    expect(body).toContain('End all access of this app')
  }
  expect(seen).toEqual(ids.toReversed())
  expect((await visitor.get('/account/settings')).body).toContain(
    'Apps have access to your account here.',
  )
  const [oldest] = endForms((await visitor.get(`/account/apps?before=${ids[1]}`)).body).filter(
    ({ authorization }) => authorization !== undefined,
  )
  const ended = await visitor.post('/account/apps/end', Object.entries(oldest ?? {}))
  expect(ended.headers.location).toBe('/account/apps?done=ended')
  expect(await liveAuthorizations(school)).toBe(119)
})
