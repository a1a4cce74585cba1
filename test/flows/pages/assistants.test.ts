import { describe, expect } from 'vitest'
import { createApplication } from '../../../src/domain/clients/application-operations.ts'
import { ASSISTANT_IDS, templateOf } from '../../../src/domain/clients/assistants.ts'
import { disableClient } from '../../../src/domain/clients/client-operations.ts'
import { verifies } from '../../spec/verifies.ts'
import { Visitor } from '../../support/browser-like.ts'
import { aBetaSchool, anOwner, setBeta, signedIn, submit } from '../../support/operator-like.ts'
import { outputOf, performByCommandLine as perform } from '../../support/performing.ts'
import { sharedWorld, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()
const PAGE = '/account/assistants'
const LIST = '/admin/developers/assistants'
const CLAUDE = `${LIST}/claude`

const filled: [string, string][] = [
  ['name', 'Our Claude'],
  ['redirect_uris', 'https://claude.ai/api/mcp/auth_callback'],
  ['scopes', 'openid'],
  ['scopes', 'account:read'],
]

async function offer(school: TestSchool, name = 'Claude'): Promise<string> {
  const made = await perform(school, createApplication, {
    name,
    redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
    scopes: ['openid', 'account:read'],
    confidential: false,
    assistant: 'claude',
  })
  return outputOf(made).client_id
}

const asMember = async (school: TestSchool) =>
  await signedIn(world, school, await world.aMember(school))

const rowsOf = (school: TestSchool) => school.db.from('clients').selectAll().execute()

describe('in the admin area', () => {
  verifies('assistants.template', 'every template has a form with its callbacks', async () => {
    const school = await aBetaSchool(world)
    const owner = await anOwner(world, school)
    const list = (await owner.get(LIST)).body
    for (const assistant of ASSISTANT_IDS) {
      expect(list).toContain(`href="${LIST}/${assistant}"`)
      const { body } = await owner.get(`${LIST}/${assistant}`)
      const { name, redirectUris } = templateOf(assistant)
      expect(body).toContain(`Connect ${name}`)
      for (const uri of redirectUris(`${school.origin}/mcp/member`)) expect(body).toContain(uri)
      expect([...body.matchAll(/name="scopes" value="[^"]*" checked/g)]).toHaveLength(5)
    }
    expect((await owner.get(`${LIST}/siri`)).statusCode).toBe(404)
  })

  verifies(
    'assistants.template',
    'the fields can be changed, the application remembers its template, and its page and audit say so',
    async () => {
      const school = await aBetaSchool(world)
      const owner = await anOwner(world, school)
      const { location } = (await submit(owner, CLAUDE, CLAUDE, filled)).headers
      const [row] = await rowsOf(school)
      expect(row).toMatchObject({
        name: 'Our Claude',
        redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
        scopes: ['account:read', 'openid'],
        confidential: false,
        audience: 'member',
        assistant: 'claude',
      })
      const page = (await owner.get(String(location))).body
      expect(page).toContain(`href="${PAGE}"`)
      expect((await owner.get(LIST)).body).toContain(`>Our Claude<`)
      const entries = await school.db.from('audit_entries').selectAll().execute()
      const entry = entries.find(({ client_id }) => client_id !== null)
      expect(entry).toMatchObject({ action: 'client.created', detail: { assistant: 'claude' } })
    },
  )

  verifies(
    'assistants.template',
    'an assistant that is switched off stays on the page, with the way to switch it on again',
    async () => {
      const school = await aBetaSchool(world)
      const owner = await anOwner(world, school)
      const rowOf = async () =>
        /<p class="row-title">\s*Claude.*?<\/li>/s.exec((await owner.get(LIST)).body)?.[0] ?? ''
      expect(await rowOf()).not.toContain('Connect another')
      const clientId = await offer(school)
      expect(await rowOf()).toContain('Offered')
      expect(await rowOf()).toContain('Connect another')
      await perform(school, disableClient, { client_id: clientId })
      const row = await rowOf()
      expect(row).toContain('>Off</span>')
      expect(row).not.toContain('Offered')
      const application = `/admin/developers/applications/${clientId}`
      expect(row).toContain(`href="${application}"`)
      expect((await owner.get(application)).body).toContain('>Switch on</button>')
    },
  )

  verifies(
    'assistants.template',
    'what may be written is what any application may have: wrong fields come back, and nothing is made',
    async () => {
      const school = await aBetaSchool(world)
      const owner = await anOwner(world, school)
      const refused = await submit(owner, CLAUDE, CLAUDE, [
        ['name', ''],
        ['redirect_uris', 'http://evil.example/callback'],
        ['scopes', 'courses:write'],
        ['confidential', 'on'],
      ])
      expect(refused.statusCode).toBe(422)
      expect(refused.body).toContain('http://evil.example/callback: Use https')
      expect(refused.body).toContain('courses:write is not for member applications')
      expect(await rowsOf(school)).toEqual([])
      // A forged field is not read: an assistant keeps no secret.
      const secret = await submit(owner, CLAUDE, CLAUDE, [...filled, ['confidential', 'on']])
      expect(secret.headers.location).toMatch(/done=connected$/)
      expect(secret.headers['set-cookie']).toBeUndefined()
    },
  )

  verifies(
    'assistants.template',
    'a student, a forged form and another school’s owner connect nothing; without the beta feature it is absent',
    async () => {
      const school = await aBetaSchool(world)
      const owner = await anOwner(world, school)
      expect((await (await asMember(school)).get(LIST)).statusCode).toBe(403)
      expect((await owner.post(CLAUDE, filled)).statusCode).toBe(403)
      const other = await anOwner(world, await aBetaSchool(world))
      const stranger = new Visitor(world, school)
      for (const [name, value] of Object.entries(other.cookies())) stranger.plant(name, value)
      expect((await stranger.get(LIST)).statusCode).toBe(303)
      expect(await rowsOf(school)).toEqual([])
      await setBeta(world, school, false)
      for (const path of [LIST, CLAUDE]) expect((await owner.get(path)).statusCode).toBe(404)
    },
  )
})

describe('Use with an assistant', () => {
  verifies(
    'assistants.page',
    'shows a member the address, the client_id and the steps of what the school offers, and no other',
    async () => {
      const school = await aBetaSchool(world)
      const clientId = await offer(school)
      const elsewhere = await offer(await aBetaSchool(world))
      await world.aPublicClient(school, { name: 'Study Planner' })
      const member = await asMember(school)
      const { body } = await member.get(PAGE)
      expect(body).toContain(`${school.origin}/mcp/member`)
      expect(body).toContain(
        `--client-id ${clientId} ${school.subdomain} ${school.origin}/mcp/member`,
      )
      expect(body).not.toContain(elsewhere)
      expect(body).not.toContain('Study Planner')
      expect(body).not.toContain('ChatGPT')
      expect((await member.get('/account/settings')).body).toContain('with <bdi>Claude</bdi>.')
    },
  )

  verifies(
    'assistants.page',
    'says what an assistant can change only where one may, and that a school below localhost is on this computer',
    async () => {
      const school = await aBetaSchool(world)
      await offer(school)
      const member = await asMember(school)
      const read = (await member.get(PAGE)).body
      expect(read).not.toContain('mark notifications as read')
      expect(read).not.toContain('on your own computer')
      await school.db
        .update('clients')
        .set({ scopes: ['account:read', 'account:write'] })
        .execute()
      expect((await member.get(PAGE)).body).toContain('mark notifications as read')
      const local = `http://${school.subdomain}.localhost:3000`
      await world.database.db
        .updateTable('schools')
        .set({ origin: local })
        .where('id', '=', school.id)
        .execute()
      world.context.directory.forget()
      const moved = { ...school, origin: local }
      expect((await (await asMember(moved)).get(PAGE)).body).toContain('on your own computer')
    },
  )

  verifies(
    'assistants.page',
    'an application that is switched off or deleted is not offered',
    async () => {
      const school = await aBetaSchool(world)
      const off = await offer(school, 'Switched off')
      const gone = await offer(school, 'Deleted')
      await perform(school, disableClient, { client_id: off })
      await school.db
        .update('clients')
        .set({ deleted_at: new Date() })
        .where('client_id', '=', gone)
        .execute()
      const { body } = await (await asMember(school)).get(PAGE)
      expect(body).toContain('offers no assistant yet')
      expect(body).not.toContain('Switched off')
    },
  )

  verifies(
    'assistants.none',
    'where the school offers none, a member is told whom to ask, and an owner where to add one',
    async () => {
      const school = await aBetaSchool(world)
      await world.database.db
        .updateTable('schools')
        .set({ contact_email: 'hello@school.test' })
        .where('id', '=', school.id)
        .execute()
      world.context.directory.forget(school.id)
      const member = await asMember(school)
      const told = (await member.get(PAGE)).body
      expect(told).toContain('offers no assistant yet')
      expect(told).toContain('href="mailto:hello@school.test"')
      expect(told).not.toContain(LIST)
      expect((await member.get('/account/settings')).body).toContain('offers no assistant yet')
      const owner = await anOwner(world, school)
      expect((await owner.get(PAGE)).body).toContain(`href="${LIST}"`)
    },
  )

  verifies(
    'assistants.none',
    'where the beta feature is off, an owner is told where to switch it on, and not to ask an owner',
    async () => {
      const school = await world.aSchool()
      const [member, owner] = [await asMember(school), await anOwner(world, school)]
      const told = (await owner.get(PAGE)).body
      expect(told).toContain('href="/admin/settings"')
      expect(told).not.toContain('Ask the school')
      expect((await member.get(PAGE)).body).toContain('Ask the school')
      const off = await owner.get(LIST)
      expect(off.statusCode).toBe(404)
      expect(off.body).toContain('assistants for members')
      expect(off.body).toContain('href="/admin/settings">')
      expect((await owner.get('/admin/settings')).body).toContain('name="mcp_connections"')
    },
  )

  verifies(
    'assistants.none',
    'without the beta feature no page leads there, and what the school made before is still offered',
    async () => {
      const school = await world.aSchool()
      const [member, owner] = [await asMember(school), await anOwner(world, school)]
      for (const path of ['/account/settings', '/account/apps', '/docs', '/mcp/member']) {
        expect((await member.get(path)).body, path).not.toContain(PAGE)
      }
      expect((await owner.get(PAGE)).body).not.toContain(LIST)
      const invitation = 'If you build one, start here.'
      expect((await member.get('/')).body).not.toContain(invitation)
      const clientId = await offer(school)
      expect((await member.get(PAGE)).body).toContain(clientId)
      expect((await member.get('/account/settings')).body).toContain(PAGE)
      await setBeta(world, school, true)
      expect((await member.get('/')).body).toContain(invitation)
      for (const path of ['/account/settings', '/account/apps', '/docs', '/mcp/member']) {
        expect((await member.get(path)).body, path).toContain(PAGE)
      }
    },
  )

  verifies(
    'assistants.page',
    'needs a sign-in, and a person without a role is told so',
    async () => {
      const school = await aBetaSchool(world)
      await offer(school)
      const { headers } = await new Visitor(world, school).get(PAGE)
      expect(headers.location).toContain('/sign-in?return_to=%2Faccount%2Fassistants')
      const eve = await world.aMember(school)
      const visitor = await signedIn(world, school, eve)
      await school.db
        .update('school_members')
        .set({ roles: [] })
        .where('user_id', '=', eve.id)
        .execute()
      const { body } = await visitor.get(PAGE)
      expect(body).toContain('You have no role at')
      expect(body).not.toContain('/mcp/member')
    },
  )

  verifies(
    ['assistants.copy', 'pages.security.headers'],
    'its policy lets one script run, by its whole address, and no other file of the origin',
    async () => {
      const school = await aBetaSchool(world)
      await offer(school)
      const member = await asMember(school)
      const { body, headers } = await member.get(PAGE)
      const [, script = ''] = /<script src="([^"]*)" defer><\/script>/.exec(body) ?? []
      expect(script).toMatch(/^\/assets\/copy\.[0-9a-f]{12}\.js$/)
      const policy = String(headers['content-security-policy'])
      expect(policy).toContain(`script-src ${school.origin}${script}`)
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toMatch(/unsafe|script-src 'self'|\*/)
      expect(body.match(/<script/g)).toHaveLength(1)
      const loaded = await member.get(script)
      expect(loaded.headers['content-type']).toBe('text/javascript; charset=utf-8')
      expect((await member.get('/account/apps')).headers['content-security-policy']).not.toContain(
        'script-src',
      )
    },
  )

  verifies('pages.security.escaping', 'markup in the name of an application is text', async () => {
    const school = await aBetaSchool(world)
    await offer(school, '<script>alert(1)</script>')
    const member = await asMember(school)
    for (const path of [PAGE, '/account/settings']) {
      expect((await member.get(path)).body).not.toContain('<script>alert')
    }
  })
})
