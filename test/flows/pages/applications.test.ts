import { describe, expect, test } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { nameAskedFor } from '../../support/admin-browser.ts'
import { authorizeAs, hiddenFields, type Visitor } from '../../support/browser-like.ts'
import { aPair, exchange, refresh, userinfo } from '../../support/client-like.ts'
import { aCode } from '../../support/oauth-world.ts'
import {
  aBetaSchool,
  anOwner,
  setBeta,
  signedIn,
  submit,
  switchOff,
} from '../../support/operator-like.ts'
import { CALLBACK, sharedWorld, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()
const APPS = '/admin/developers/applications'

const form = (overrides: Record<string, string> = {}): [string, string][] => [
  ['name', overrides.name ?? 'Study Planner'],
  ['redirect_uris', overrides.redirect_uris ?? `${CALLBACK}\r\nhttps://app.example/callback\r\n`],
  ['scopes', 'openid'],
  ['scopes', overrides.scope ?? 'account:read'],
  ...(overrides.confidential === undefined
    ? []
    : ([['confidential', overrides.confidential]] as [string, string][])),
]

async function make(visitor: Visitor, overrides: Record<string, string> = {}) {
  return await submit(visitor, `${APPS}/new`, APPS, form(overrides))
}

async function applicationsOf(school: TestSchool) {
  return await school.db
    .from('clients')
    .selectAll()
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .execute()
}

async function actionsAt(school: TestSchool): Promise<string[]> {
  const rows = await school.db.from('audit_entries').select('action').orderBy('id').execute()
  return rows.map(({ action }) => action).filter((action) => !action.startsWith('session.'))
}

describe('OAuth applications', () => {
  verifies(
    ['pages.applications.create', 'pages.applications.client-id', 'client.public.no-secret'],
    'an operator creates a public application, and a member uses its client_id',
    async () => {
      const school = await aBetaSchool(world)
      const owner = await anOwner(world, school)
      const made = await make(owner)
      expect(made.statusCode).toBe(303)
      const [row] = await applicationsOf(school)
      const clientId = row?.client_id ?? ''
      expect(made.headers.location).toBe(`${APPS}/${clientId}?done=created`)
      const page = await owner.follow(made)
      expect(page.body).toContain(clientId)
      expect(row).toMatchObject({
        kind: 'application',
        audience: 'member',
        confidential: false,
        redirect_uris: [CALLBACK, 'https://app.example/callback'],
        secret_hash: null,
      })
      const ada = await world.aMember(school)
      const client = { clientId, secret: undefined, redirectUri: CALLBACK }
      const pair = await aPair(world, school, client, ada, { scope: 'openid account:read' })
      expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
      expect(await actionsAt(school)).toContain('client.created')
    },
  )

  verifies(
    [
      'pages.applications.confidential-checkbox',
      'pages.applications.secret-shown',
      'client.confidential.secret-issued',
    ],
    'the checkbox makes it confidential; its secret is shown once, and reloading creates no other',
    async () => {
      const school = await aBetaSchool(world)
      const owner = await anOwner(world, school)
      const blank = await owner.get(`${APPS}/new`)
      expect(blank.body).toMatch(/<label for="confidential">Confidential application<\/label>/)
      expect(blank.body).not.toMatch(/name="confidential"[^>]*checked/)
      const made = await make(owner, { confidential: 'on' })
      expect(made.statusCode).toBe(303)
      const sent = [made.headers['set-cookie']].flat().join()
      expect(sent).toMatch(/schoolgate-secret[^=]*=[\w-]+; Path=\/; HttpOnly; SameSite=Lax/)
      expect(sent + made.headers.location).not.toContain('sg_cs_')
      const shown = await owner.follow(made)
      expect(shown.headers['cache-control']).toBe('no-store')
      const secret = /sg_cs_[\w-]+/.exec(shown.body)?.[0] ?? ''
      const again = await owner.get(String(made.headers.location))
      expect(again.headers.location).toContain('done=secret-shown')
      const warning = /class="alert alert-warning".*?A secret is shown once/s
      expect((await owner.follow(again)).body).toMatch(warning)
      const [row, second] = await applicationsOf(school)
      expect(second).toBeUndefined()
      const clientId = row?.client_id ?? ''
      for (const path of [APPS, `${APPS}/${clientId}`, '/admin/audit']) {
        expect((await owner.get(path)).body).not.toContain(secret)
      }
      const ada = await world.aMember(school)
      const client = { clientId, secret, redirectUri: CALLBACK }
      await aPair(world, school, client, ada, { scope: 'openid account:read' })
      const callback = await authorizeAs(world, school, client, ada, { scope: 'openid' })
      const bare = { ...client, secret: undefined }
      const refused = await exchange(
        world,
        school,
        bare,
        callback.get('code') ?? '',
        callback.pkce?.verifier ?? '',
      )
      expect(refused.statusCode).toBe(401)
    },
  )

  test('the cookie with a new secret works only for the same person and application', async () => {
    const school = await aBetaSchool(world)
    const owner = await anOwner(world, school)
    const made = await make(owner, { confidential: 'on' })
    const page = String(made.headers.location)
    const carried = String([made.headers['set-cookie']].flat()[0]).split(';')[0] ?? ''
    const [name = '', value = ''] = carried.split('=')
    const thief = await anOwner(world, school)
    thief.plant(name, value)
    expect((await thief.get(page)).statusCode).toBe(303)
    const other = await world.aConfidentialClient(school)
    const elsewhere = await owner.get(`${APPS}/${other.clientId}/secret`)
    expect(elsewhere.statusCode).toBe(303)
    expect((await owner.get(page)).body).toContain('sg_cs_')
  })

  verifies(
    ['pages.applications.scopes', 'client.admin-made.member-scopes-only'],
    'the form offers member and identity scopes, and no forged form adds another',
    async () => {
      const school = await aBetaSchool(world)
      const owner = await anOwner(world, school)
      const { body } = await owner.get(`${APPS}/new`)
      const offered = [...body.matchAll(/name="scopes" value="([^"]*)"/g)].map(([, name]) => name)
      expect(offered).toEqual(['openid', 'profile', 'email', 'account:read', 'account:write'])
      for (const scope of ['courses:read', 'members:write', 'everything']) {
        const refused = await make(owner, { scope })
        expect(refused.statusCode).toBe(422)
        expect(refused.body).toContain(`${scope} is not for member applications`)
      }
      expect(await applicationsOf(school)).toEqual([])
    },
  )

  verifies(
    'client.scopes.chosen-at-creation',
    'an application gets only the scopes chosen for it',
    async () => {
      const school = await aBetaSchool(world)
      await make(await anOwner(world, school))
      const [row] = await applicationsOf(school)
      const client = { clientId: row?.client_id ?? '', secret: undefined, redirectUri: CALLBACK }
      const ada = await world.aMember(school)
      const answer = await authorizeAs(world, school, client, ada, {
        scope: 'openid account:write',
      })
      expect(answer.get('error')).toBe('invalid_scope')
    },
  )

  verifies(
    ['pages.applications.list-shows-kind', 'pages.applications.page-shows-kind'],
    'the list and the page say whether an application is public or confidential',
    async () => {
      const school = await aBetaSchool(world)
      const open = await world.aPublicClient(school, { name: 'Open' })
      const kept = await world.aConfidentialClient(school)
      const owner = await anOwner(world, school)
      const list = (await owner.get(APPS)).body
      const rowOf = (clientId: string) =>
        list.split('<li>').find((row) => row.includes(`${APPS}/${clientId}"`)) ?? ''
      expect(rowOf(open.clientId)).toContain('Public')
      expect(rowOf(open.clientId)).not.toContain('Confidential')
      expect(rowOf(kept.clientId)).toContain('Confidential')
      expect((await owner.get(`${APPS}/${open.clientId}`)).body).toContain('Public: no secret')
      expect((await owner.get(`${APPS}/${kept.clientId}`)).body).toContain('Confidential: sends')
    },
  )

  test('the problem with a redirect URI is shown beside the field, and nothing is saved', async () => {
    const school = await aBetaSchool(world)
    const owner = await anOwner(world, school)
    const refused = await make(owner, {
      name: '',
      redirect_uris: 'http://app.example/cb\nhttps://fine.example/cb\njavascript:alert(1)',
    })
    expect(refused.statusCode).toBe(422)
    const errors = /<ul id="redirect_uris-error"[^>]*>(.*?)<\/ul>/s.exec(refused.body)?.[1] ?? ''
    expect(errors).toContain('http://app.example/cb: Use https')
    expect(errors).toContain('javascript:alert(1):')
    expect(errors).not.toContain('fine.example')
    expect(refused.body).toContain('https://fine.example/cb')
    expect(await applicationsOf(school)).toEqual([])
  })

  test('redirect URIs after sign-out are registered and removed, and wrong ones refused', async () => {
    const school = await aBetaSchool(world)
    const client = await world.aPublicClient(school)
    const owner = await anOwner(world, school)
    const page = `${APPS}/${client.clientId}`
    const save = (uris: string) =>
      submit(owner, page, page, [...form(), ['post_logout_redirect_uris', uris]])
    expect((await save('https://app.example/\r\nhttp://127.0.0.1:8400/out')).statusCode).toBe(303)
    const saved = ['https://app.example/', 'http://127.0.0.1:8400/out']
    expect((await applicationsOf(school))[0]?.post_logout_redirect_uris).toEqual(saved)
    expect((await owner.get(page)).body).toContain(saved.join('\n'))
    const refused = await save('http://app.example/\njavascript:alert(1)')
    expect(refused.statusCode).toBe(422)
    expect(refused.body).toContain('id="post_logout_redirect_uris-error"')
    expect((await applicationsOf(school))[0]?.post_logout_redirect_uris).toEqual(saved)
    await save('')
    expect((await applicationsOf(school))[0]?.post_logout_redirect_uris).toEqual([])
  })

  test('the scheme of an app is explained before it is typed, and when another one is refused', async () => {
    const owner = await anOwner(world, await aBetaSchool(world))
    const explained = 'com.example.app:/callback'
    expect((await owner.get(`${APPS}/new`)).body).toContain(explained)
    const refused = await make(owner, { redirect_uris: 'myapp://cb' })
    expect(refused.statusCode).toBe(422)
    expect(refused.body).toMatch(
      /myapp:\/\/cb: [^<]*a domain backwards, such as com\.example\.app:/,
    )
    expect((await make(owner, { redirect_uris: explained })).statusCode).toBe(303)
  })

  test('the addresses of the school are there to copy', async () => {
    const school = await aBetaSchool(world)
    const owner = await anOwner(world, school)
    const { body, headers } = await owner.get(APPS)
    for (const path of ['', '/member/graphql', '/mcp', '/mcp/member']) {
      expect(body).toContain(`>${school.origin}${path}<`)
    }
    expect(body.match(/data-copies="/g)).toHaveLength(5)
    expect(String(headers['content-security-policy'])).toMatch(/script-src [^ ]*\/assets\/copy\./)
  })

  test('editing keeps authorizations, and has an audit entry', async () => {
    const school = await aBetaSchool(world)
    const client = await world.aPublicClient(school)
    const owner = await anOwner(world, school)
    const ada = await world.aMember(school)
    const pair = await aPair(world, school, client, ada)
    const page = `${APPS}/${client.clientId}`
    const saved = await submit(owner, page, page, form({ name: 'Renamed' }))
    expect(saved.headers.location).toBe(`${page}?done=saved`)
    expect((await owner.get(page)).body).toContain('Renamed')
    expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
    expect(await actionsAt(school)).toContain('client.changed')
    const [row] = await applicationsOf(school)
    expect(row?.scopes).toEqual(['account:read', 'openid'])
  })

  verifies(
    'client.deleted.ends-tokens',
    'deleting asks first, with the number of people and for the name, and then ends all authorizations',
    async () => {
      const school = await aBetaSchool(world)
      const client = await world.aPublicClient(school)
      const owner = await anOwner(world, school)
      const ada = await world.aMember(school)
      const ben = await world.aMember(school)
      const pairs = [
        await aPair(world, school, client, ada),
        await aPair(world, school, client, ada),
        await aPair(world, school, client, ben),
      ]
      const asking = `${APPS}/${client.clientId}/delete`
      const question = (await owner.get(asking)).body
      expect(question).toContain('2 people have given it access')
      for (const confirm_name of ['', 'Another app']) {
        const refused = await submit(owner, asking, asking, { confirm_name })
        expect(refused.statusCode).toBe(422)
        expect(refused.body).toContain('<title>Error: Delete application')
      }
      expect((await userinfo(world, school, pairs[0]?.access_token)).statusCode).toBe(200)
      const deleted = await submit(owner, asking, asking, nameAskedFor(question))
      expect(deleted.headers.location).toBe(`${APPS}?done=deleted`)
      for (const pair of pairs) {
        expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
      }
      expect((await owner.get(`${APPS}/${client.clientId}`)).statusCode).toBe(404)
      expect(await actionsAt(school)).toContain('client.deleted')
    },
  )

  test('deleting asks for the name also if no person uses the application: its id is never given again', async () => {
    const school = await aBetaSchool(world)
    const { clientId } = await world.aPublicClient(school, { name: 'Planner' })
    const owner = await anOwner(world, school)
    const asking = `${APPS}/${clientId}/delete`
    const refused = await submit(owner, asking, asking)
    expect(refused.statusCode).toBe(422)
    expect(refused.body).toContain('This is another name. Nothing was deleted.')
    expect((await owner.get(`${APPS}/${clientId}`)).statusCode).toBe(200)
    const deleted = await submit(owner, asking, asking, { confirm_name: 'planner' })
    expect(deleted.headers.location).toBe(`${APPS}?done=deleted`)
  })

  test('the page of an application lists its people, and can end its access for one of them', async () => {
    const school = await aBetaSchool(world)
    const client = await world.aPublicClient(school)
    const owner = await anOwner(world, school)
    const ada = await world.aMember(school)
    const ben = await world.aMember(school)
    const adas = await aPair(world, school, client, ada)
    const bens = await aPair(world, school, client, ben)
    const late = await aCode(world, school, client, ada)
    const page = `${APPS}/${client.clientId}`
    const { body } = await owner.get(page)
    expect(body).toContain(ada.email)
    expect(body).toContain(ben.email)
    const { form_token = '' } = hiddenFields(body, '/sign-out')
    const fields = { form_token, client: client.clientId, person: ada.id }
    const ended = await owner.post('/admin/clients/end', fields)
    expect(ended.headers.location).toBe(`${page}?done=ended`)
    expect((await userinfo(world, school, adas.access_token)).statusCode).toBe(401)
    expect((await userinfo(world, school, bens.access_token)).statusCode).toBe(200)
    const refused = await exchange(world, school, client, late.code, late.pkce.verifier)
    expect(refused.json().error).toBe('invalid_grant')
    expect((await owner.get(page)).body).not.toContain(ada.email)
  })

  verifies(
    'pages.security.escaping',
    'a name with markup and right-to-left characters is escaped in the list',
    async () => {
      const school = await aBetaSchool(world)
      const owner = await anOwner(world, school)
      const name = '<script>alert(1)</script>\u202egnp.exe'
      expect((await make(owner, { name })).body).toContain('change the text direction')
      expect(await applicationsOf(school)).toEqual([])
      // Names from before that rule are still stored.
      await make(owner)
      await school.db.update('clients').set({ name }).execute()
      const { body } = await owner.get(APPS)
      expect(body).toContain('&lt;script>alert(1)&lt;/script>gnp.exe')
      expect(body).not.toContain('<script>')
      expect(body).not.toContain('\u202e')
    },
  )
})

describe('the beta feature', () => {
  verifies(
    'pages.applications.behind-beta',
    'the area appears when an operator switches "MCP connections" on',
    async () => {
      const school = await world.aSchool()
      const owner = await anOwner(world, school)
      const before = await owner.get('/admin')
      expect(before.body).not.toContain(`href="${APPS}"`)
      expect(before.body).not.toContain('>Developers<')
      for (const path of [APPS, `${APPS}/new`]) {
        const hidden = await owner.get(path)
        expect(hidden.statusCode).toBe(404)
        expect(hidden.body).toContain('href="/admin/settings"')
        expect(hidden.body).toContain('Switch it on in Settings')
      }
      const on = await submit(owner, '/admin/settings', '/admin/settings/beta', {
        mcp_connections: 'on',
      })
      expect(on.statusCode).toBe(303)
      const after = await owner.follow(on)
      expect(after.body).toContain(`href="${APPS}"`)
      expect(after.body).toContain('>Developers<')
      expect((await owner.get(APPS)).statusCode).toBe(200)
      expect(await actionsAt(school)).toEqual(['school.changed'])
      await submit(owner, '/admin/settings', '/admin/settings/beta')
      expect((await owner.get(APPS)).statusCode).toBe(404)
    },
  )

  verifies(
    'pages.applications.beta-reveals-only',
    'with it off, clients and tokens still work, and no form creates or changes one',
    async () => {
      const school = await aBetaSchool(world)
      const client = await world.aPublicClient(school)
      const owner = await anOwner(world, school)
      const page = `${APPS}/${client.clientId}`
      const hidden = hiddenFields((await owner.get(page)).body, page)
      const ada = await world.aMember(school)
      const pair = await aPair(world, school, client, ada)
      await setBeta(world, school, false)
      expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
      expect((await refresh(world, school, client, pair.refresh_token)).statusCode).toBe(200)
      await aPair(world, school, client, ada)
      const forms = [APPS, page, `${page}/secret`, `${page}/old-secret`, `${page}/delete`]
      for (const action of forms) {
        const answer = await owner.post(action, [...Object.entries(hidden), ...form()])
        expect(answer.statusCode, action).toBe(404)
      }
      expect(await applicationsOf(school)).toHaveLength(1)
    },
  )
})

describe('connected apps', () => {
  verifies(
    'pages.clients.always',
    'with the beta feature off, an operator still sees every application, ends access and switches it off',
    async () => {
      const school = await world.aSchool()
      const client = await world.aPublicClient(school, { name: 'Study Planner' })
      const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
      const hers = await aPair(world, school, client, ada)
      const his = await aPair(world, school, client, ben)
      const owner = await anOwner(world, school)
      expect((await owner.get('/admin')).body).toContain('href="/admin/clients"')
      const page = `/admin/clients/view?id=${client.clientId}`
      expect((await owner.get('/admin/clients')).body).toContain(`href="${page}"`)
      const { body } = await owner.get(page)
      expect(body).toContain('Study Planner')
      expect(body).toContain(ada.email)
      const { form_token = '' } = hiddenFields(body, '/sign-out')
      const end = { form_token, client: client.clientId, person: ada.id }
      const ended = await owner.post('/admin/clients/end', end)
      expect(ended.headers.location).toBe(`${page}&done=ended`)
      expect((await userinfo(world, school, hers.access_token)).statusCode).toBe(401)
      const question = await owner.get(`/admin/clients/standing?id=${client.clientId}`)
      expect(question.body).toContain('1 person has given it access')
      expect((await userinfo(world, school, his.access_token)).statusCode).toBe(200)
      const off = await switchOff(owner, client.clientId)
      expect(off.headers.location).toBe(`${page}&done=off`)
      expect((await userinfo(world, school, his.access_token)).statusCode).toBe(401)
      expect((await owner.get(page)).body).toContain('Switched off')
      const asked = await owner.get(`/admin/clients/standing?id=${client.clientId}`)
      expect(asked.headers.location).toBe(page)
      await submit(owner, page, '/admin/clients/standing')
      expect((await userinfo(world, school, his.access_token)).statusCode).toBe(200)
    },
  )

  test('with the beta feature on, the page of an application is in the Developers area', async () => {
    const school = await aBetaSchool(world)
    const client = await world.aPublicClient(school)
    const owner = await anOwner(world, school)
    const answer = await owner.get(`/admin/clients/view?id=${client.clientId}`)
    expect(answer.headers.location).toBe(`${APPS}/${client.clientId}`)
  })

  test('pages that moved out of the Developers area redirect, with their query', async () => {
    const owner = await anOwner(world, await world.aSchool())
    for (const [from, to] of [
      ['/admin/developers/clients', '/admin/clients'],
      ['/admin/developers/clients/view?id=a%3Ab&done=off', '/admin/clients/view?id=a%3Ab&done=off'],
      ['/admin/developers/keys', '/admin/keys'],
    ] as const) {
      const answer = await owner.get(from)
      expect([answer.statusCode, answer.headers.location]).toEqual([303, to])
    }
  })
})

describe('another school', () => {
  test('an application of one school is not in the admin area of another', async () => {
    const school = await aBetaSchool(world)
    const elsewhere = await aBetaSchool(world)
    const client = await world.aConfidentialClient(school)
    const person = await world.aMember(school, ['owner'])
    await world.aMember(elsewhere, ['owner'], person)
    const pair = await aPair(world, school, client, await world.aMember(school))
    const intruder = await signedIn(world, elsewhere, person)
    const page = `${APPS}/${client.clientId}`
    const { form_token = '' } = hiddenFields((await intruder.get(APPS)).body, '/sign-out')
    expect((await intruder.get(APPS)).body).not.toContain(client.clientId)
    const asks = [`${page}/delete`, `${page}/renew`, `${page}/old-secret`]
    const off = `/admin/clients/standing?id=${client.clientId}`
    for (const path of [page, ...asks, off, `${APPS}/a%00b`]) {
      expect((await intruder.get(path)).statusCode).toBe(404)
    }
    const posts: [string, Record<string, string>][] = [
      [page, { name: 'Taken over' }],
      [`${page}/secret`, {}],
      [`${page}/old-secret`, {}],
      [`${page}/delete`, {}],
      ['/admin/clients/standing', { client: client.clientId, standing: 'off' }],
      ['/admin/clients/end', { client: client.clientId, person: person.id }],
      ['/admin/clients/end-all', { client: client.clientId }],
      ['/admin/clients/review', { client: client.clientId }],
    ]
    for (const [path, fields] of posts) {
      expect((await intruder.post(path, { form_token, ...fields })).statusCode, path).toBe(404)
    }
    expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
    expect(await actionsAt(elsewhere)).toEqual([])
  })
})

describe('redirect URIs after sign-out', () => {
  const AFTER = 'https://app.example/signed-out'
  const stored = async (school: TestSchool) =>
    (await applicationsOf(school)).map((row) => row.post_logout_redirect_uris)
  const FIELD = 'name="post_logout_redirect_uris"'

  verifies(
    'logout.registered-where-signed',
    'are in the form where ID tokens are signed, and are saved and removed there',
    async () => {
      const school = await aBetaSchool(world)
      const owner = await anOwner(world, school)
      expect((await owner.get(`${APPS}/new`)).body).toContain(FIELD)
      const fields = (after: string): [string, string][] => [
        ...form(),
        ['post_logout_redirect_uris', after],
      ]
      await submit(owner, `${APPS}/new`, APPS, fields(AFTER))
      expect(await stored(school)).toEqual([[AFTER]])
      const [row] = await applicationsOf(school)
      const page = `${APPS}/${row?.client_id}`
      expect((await owner.get(page)).body).toContain(FIELD)
      await submit(owner, page, page, fields(''))
      expect(await stored(school)).toEqual([[]])
    },
  )

  verifies(
    'logout.registered-where-signed',
    'are not in the form where none are signed, and saving it keeps them',
    async () => {
      for (const variant of ['newer', 'older'] as const) {
        const school = await world.aSchool({ variant, signing: 'none', mcpConnections: true })
        const owner = await anOwner(world, school)
        expect((await owner.get(`${APPS}/new`)).body).not.toContain(FIELD)
        await make(owner)
        const [row] = await applicationsOf(school)
        await school.db
          .update('clients')
          .set({ post_logout_redirect_uris: [AFTER] })
          .execute()
        const page = `${APPS}/${row?.client_id}`
        expect((await owner.get(page)).body).not.toContain(FIELD)
        const wrong = await submit(owner, page, page, form({ name: '' }))
        expect(wrong.statusCode).toBe(422)
        expect(wrong.body).not.toContain(FIELD)
        const saved = await submit(owner, page, page, form({ name: 'Renamed' }))
        expect(saved.headers.location).toContain('done=saved')
        const [after] = await applicationsOf(school)
        expect(after).toMatchObject({ name: 'Renamed', post_logout_redirect_uris: [AFTER] })
      }
    },
  )
})
