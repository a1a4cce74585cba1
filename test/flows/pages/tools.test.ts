import { describe, expect, test } from 'vitest'
import { UNREVIEWED_SCOPES } from '../../../src/domain/clients/scope-catalogue.ts'
import { verifies } from '../../spec/verifies.ts'
import { nameAskedFor } from '../../support/admin-browser.ts'
import type { Visitor } from '../../support/browser-like.ts'
import { aPair, userinfo } from '../../support/client-like.ts'
import { getFrom } from '../../support/oauth-world.ts'
import {
  aBetaSchool,
  anOwner,
  setBeta,
  signedIn,
  submit,
  switchOff,
} from '../../support/operator-like.ts'
import { aTool } from '../../support/tools.ts'
import { CALLBACK, sharedWorld, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()
const TOOLS = '/admin/developers/tools'
const CLIENTS = '/admin/clients'

type Fields = Partial<Record<'slug' | 'name' | 'redirect_uris', string>> & { scopes?: string[] }

const form = ({ slug, name, redirect_uris, scopes }: Fields = {}): [string, string][] => [
  ['slug', slug ?? 'reports'],
  ['name', name ?? 'Monthly reports'],
  ['redirect_uris', redirect_uris ?? `${CALLBACK}\r\nhttp://localhost/oauth/callback\r\n`],
  ...(scopes ?? ['openid', 'courses:read', 'courses:write']).map((scope): [string, string] => [
    'scopes',
    scope,
  ]),
]

const make = (visitor: Visitor, fields: Fields = {}) =>
  submit(visitor, `${TOOLS}/new`, TOOLS, form(fields))

/** The scopes whose boxes are ticked. */
const ticked = (page: string): string[] =>
  [...page.matchAll(/<input[^>]*name="scopes"[^>]*>/g)]
    .filter(([box]) => / checked\b/.test(box))
    .map(([box]) => /value="([^"]*)"/.exec(box)?.[1] ?? '')

const rowsOf = ({ db }: TestSchool) => db.from('clients').selectAll().execute()

const advertised = async (school: TestSchool) =>
  (await getFrom(world, school, '/.well-known/openid-configuration')).json()
    .client_id_metadata_document_supported

describe('operator tools in the admin area', () => {
  verifies(
    ['tool.managed', 'tool.advertised'],
    'an owner makes, sees, narrows, switches off and on, and deletes a tool',
    async () => {
      const school = await aBetaSchool(world)
      const owner = await anOwner(world, school)
      expect((await owner.get(TOOLS)).body).toContain('You created no tools yet')
      const made = await make(owner)
      expect(made.headers.location).toBe(`${TOOLS}/reports?done=created`)
      const clientId = `${school.origin}/clients/reports.json`
      const client = { clientId, secret: undefined, redirectUri: CALLBACK }
      expect((await owner.follow(made)).body).toContain(clientId)
      expect((await owner.get(TOOLS)).body).toContain('Monthly reports')
      expect(await advertised(school)).toBe(true)

      const admin = await world.aMember(school, ['admin'])
      const pair = await aPair(world, school, client, admin, { scope: 'courses:write' })
      const page = `${TOOLS}/reports`
      const saved = await submit(owner, page, page, form({ name: 'Reports', scopes: ['openid'] }))
      expect(saved.headers.location).toBe(`${page}?done=saved`)
      expect(await rowsOf(school)).toMatchObject([{ name: 'Reports', scopes: ['openid'] }])

      const off = await switchOff(owner, clientId)
      const notice = await owner.follow(off)
      expect(notice.body).toContain('Switched off. It can do nothing here from now on')
      expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
      await submit(owner, page, `${CLIENTS}/standing`)
      expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)

      const question = await owner.get(`${page}/delete`)
      expect(question.body).toContain('1 person has')
      const asking = `${page}/delete`
      expect((await submit(owner, asking, asking)).statusCode).toBe(422)
      const deleted = await submit(owner, asking, asking, { confirm_name: 'reports' })
      expect((await owner.follow(deleted)).body).toContain(
        'The tool is deleted, and its access has ended',
      )
      expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
      expect((await owner.get(page)).statusCode).toBe(404)
      expect(await advertised(school)).toBe(false)
    },
  )

  for (const [wrong, fields] of Object.entries({
    slug: { slug: 'Not a slug' },
    name: { name: '' },
    redirect_uris: { redirect_uris: 'https://tool.example/callback' },
    scopes: { scopes: ['account:read'] },
  } satisfies Record<string, Fields>)) {
    verifies(
      'tool.input.refused',
      `a wrong ${wrong} is told at its field, the other fields keep what was typed, and nothing is saved`,
      async () => {
        const school = await aBetaSchool(world)
        const owner = await anOwner(world, school)
        const refused = await make(owner, { slug: 'typed-slug', name: 'Typed name', ...fields })
        expect(refused.statusCode).toBe(422)
        expect(refused.body).toContain(`<a href="#${wrong}">`)
        expect(refused.body).toContain(`id="${wrong}-error"`)
        if (wrong !== 'name') expect(refused.body).toContain('Typed name')
        expect(await rowsOf(school)).toEqual([])
        expect(await advertised(school)).toBe(false)
      },
    )
  }

  verifies(
    'tool.scopes.default',
    'a new form has identity and all read scopes ticked, a refused one what was sent',
    async () => {
      const school = await aBetaSchool(world)
      const owner = await anOwner(world, school)
      const empty = await owner.get(`${TOOLS}/new`)
      expect(ticked(empty.body).sort()).toEqual(UNREVIEWED_SCOPES.toArray().sort())
      expect(empty.body).toContain('take away what it must not see')
      const refused = await make(owner, { name: '', scopes: ['courses:write'] })
      expect(ticked(refused.body)).toEqual(['courses:write'])
    },
  )

  verifies(
    'tool.slug.never-again',
    'a slug that the school had is told at its field; one of another school is free',
    async () => {
      const [school, other] = [await aBetaSchool(world), await aBetaSchool(world)]
      const owner = await anOwner(world, school)
      await aTool(world, other)
      expect((await make(owner)).statusCode).toBe(303)
      expect((await make(owner)).body).toContain('already has a tool reports')
      const asking = `${TOOLS}/reports/delete`
      const name = nameAskedFor((await owner.get(asking)).body)
      expect((await submit(owner, asking, asking, name)).statusCode).toBe(303)
      const refused = await make(owner)
      expect([refused.statusCode, refused.body]).toEqual([
        422,
        expect.stringContaining('never used again'),
      ])
    },
  )

  verifies(
    'tool.shown-as-own',
    'consent, connected apps, the list of clients and the audit log say that the school made it',
    async () => {
      const school = await aBetaSchool(world)
      const person = await world.aMember(school, ['owner'])
      const owner = await signedIn(world, school, person)
      const client = await aTool(world, school)
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: client.clientId,
        redirect_uri: client.redirectUri,
        scope: 'courses:read',
        code_challenge: 'c'.repeat(43),
        code_challenge_method: 'S256',
      })
      const consent = await owner.follow(await owner.get(`/oauth/authorize?${query}`))
      expect(consent.body).toContain('Monthly reports')
      expect(consent.body).toContain('Made by')
      expect(consent.body).not.toContain('Not reviewed')
      await aPair(world, school, client, person, { scope: 'courses:read', visitor: owner })
      const apps = (await owner.get('/account/apps')).body
      expect(apps).toContain('Monthly reports')
      expect(apps).toContain('made by this school')
      const list = (await owner.get(CLIENTS)).body
      expect(list).toMatch(/Monthly reports[\s\S]*Made by your school/)
      const audit = (await owner.get('/admin/audit?action=client.created')).body
      expect(audit).toMatch(/Monthly reports[\s\S]*<dt>kind<\/dt><dd>[^/]*tool/)
    },
  )

  test('with the beta feature off, tools work, are listed with the clients and can be switched off there', async () => {
    const school = await aBetaSchool(world)
    const owner = await anOwner(world, school)
    const client = await aTool(world, school)
    await setBeta(world, school, false)
    for (const path of [TOOLS, `${TOOLS}/new`, `${TOOLS}/reports`]) {
      const page = await owner.get(path)
      expect(page.statusCode, path).toBe(404)
      expect(page.body).toContain('operator tools are part of')
    }
    const settings = (await owner.get('/admin/settings')).body
    expect(settings).toContain('tools for owners and admins')
    const done = (await owner.get('/admin/settings?done=mcp-on')).body
    expect(done).toContain('assistants and operator tools under Developers')
    expect((await owner.get(CLIENTS)).body).toContain('Monthly reports')
    const view = `${CLIENTS}/view?id=${encodeURIComponent(client.clientId)}`
    expect((await owner.get(view)).body).toContain(`href="${CLIENTS}/standing?id=`)
    const off = await switchOff(owner, client.clientId)
    expect((await owner.follow(off)).body).toContain('Switched off')
    expect(await rowsOf(school)).toMatchObject([{ disabled_at: expect.any(Date) }])
  })

  test('a student, and a form of another site, change nothing', async () => {
    const school = await aBetaSchool(world)
    const owner = await anOwner(world, school)
    const student = await signedIn(world, school, await world.aMember(school))
    expect((await student.get(TOOLS)).statusCode).toBe(403)
    expect((await student.post(TOOLS, form())).statusCode).toBe(403)
    const forged = await owner.post(TOOLS, form(), { origin: 'https://evil.example' })
    expect(forged.statusCode).toBe(403)
    expect(await rowsOf(school)).toEqual([])
  })
})
