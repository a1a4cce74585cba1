import { describe, expect, test } from 'vitest'
import {
  changeApplication,
  createApplication,
  deleteApplication,
} from '../../../src/domain/clients/application-operations.ts'
import { verifies } from '../../spec/verifies.ts'
import { aPkce, authorizeAs, authorizeParameters, Visitor } from '../../support/browser-like.ts'
import { aPair, refresh, userinfo } from '../../support/client-like.ts'
import { aBetaSchool, anOwner, setBeta, submit, switchOff } from '../../support/operator-like.ts'
import { performByCommandLine } from '../../support/performing.ts'
import { sharedWorld, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()
const ID = 'member-api-explorer'
const PAGE = '/member/explorer'
const APPS = '/admin/developers/applications'

const clientAt = (school: TestSchool) => ({
  clientId: ID,
  secret: undefined,
  redirectUri: `${school.origin}${PAGE}`,
})

const rowsOf = (school: TestSchool) =>
  school.db.from('clients').select(['client_id', 'redirect_uris', 'disabled_at']).execute()

/** The status of an authorization request of the explorer. */
async function authorizing(school: TestSchool): Promise<number> {
  const query = authorizeParameters(school, clientAt(school), aPkce(), { scope: 'account:read' })
  return (await new Visitor(world, school).get(`/oauth/authorize?${query}`)).statusCode
}

describe('the explorer', () => {
  test('writes its client at the first consent, not when the page is opened', async () => {
    const school = await aBetaSchool(world)
    expect((await new Visitor(world, school).get(PAGE)).statusCode).toBe(200)
    expect(await rowsOf(school)).toEqual([])
    const callback = await authorizeAs(
      world,
      school,
      clientAt(school),
      await world.aMember(school),
      { scope: 'account:read' },
    )
    expect(callback.get('code')).not.toBeNull()
    expect(await rowsOf(school)).toEqual([
      { client_id: ID, redirect_uris: [`${school.origin}${PAGE}`], disabled_at: null },
    ])
    const audited = await school.db.from('audit_entries').select(['action', 'client_id']).execute()
    expect(audited.map(({ action }) => action)).not.toContain('client.created')
  })

  verifies(
    'pages.explorer.beta',
    'without the beta feature says that it is off, gets no authorization and keeps what lives',
    async () => {
      const school = await aBetaSchool(world)
      const scope = { scope: 'account:read' }
      const pair = await aPair(world, school, clientAt(school), await world.aMember(school), scope)
      await setBeta(world, school, false)
      const page = await new Visitor(world, school).get(PAGE)
      expect(page.statusCode).toBe(404)
      expect(page.body).toContain('The explorer is off at this school')
      expect(page.body).toContain('MCP connections')
      expect(page.body).not.toContain('<script')
      expect(await authorizing(school)).toBe(400)
      expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
      const refreshed = await refresh(world, school, clientAt(school), pair.refresh_token)
      expect(refreshed.statusCode).toBe(200)
      await setBeta(world, school, true)
      expect((await new Visitor(world, school).get(PAGE)).statusCode).toBe(200)
      expect(await authorizing(school)).toBe(303)
    },
  )

  verifies(
    'pages.explorer.built-in',
    'is listed as built in before its first use, and an operator switches it off and on',
    async () => {
      const school = await aBetaSchool(world)
      const owner = await anOwner(world, school)
      const own = `${APPS}/${ID}`
      const list = await owner.get(APPS)
      expect(list.body).toContain(`href="${own}"`)
      expect(list.body).toContain('Built in')
      const { body } = await owner.get(own)
      expect(body).toContain('Built in')
      expect(body).not.toContain('Save details')
      expect(body).not.toContain('Delete this application')
      const off = await switchOff(owner, ID)
      expect(off.headers.location).toBe(`${own}?done=off`)
      // No fact of the page changes with the row that now exists.
      for (const shown of [body, (await owner.follow(off)).body]) {
        expect(shown).toContain('You can end its access and switch it off')
        expect(shown).not.toContain('no longer let the app do')
        expect(shown).not.toContain('<dt>Created</dt>')
      }
      const audited = await school.db.from('audit_entries').select('action').execute()
      expect(audited.filter(({ action }) => action.startsWith('client.'))).toEqual([
        { action: 'client.disabled' },
      ])
      const page = await owner.get(PAGE)
      expect(page.statusCode).toBe(404)
      expect(page.body).toContain('The school switched it off')
      expect(await authorizing(school)).toBe(400)
      await submit(owner, own, '/admin/clients/standing')
      expect((await owner.get(PAGE)).statusCode).toBe(200)
      expect(await authorizing(school)).toBe(303)
    },
  )

  verifies(
    'pages.explorer.built-in',
    'cannot be changed, deleted, or imitated by an application with its id',
    async () => {
      const school = await aBetaSchool(world)
      const owner = await anOwner(world, school)
      const token = { form_token: '' }
      await switchOff(owner, ID)
      const { body } = await owner.get(`${APPS}/${ID}`)
      token.form_token = /name="form_token" value="([^"]+)"/.exec(body)?.[1] ?? ''
      for (const path of ['', '/secret', '/delete']) {
        const answer = await owner.post(`${APPS}/${ID}${path}`, { ...token, name: 'Mine' })
        expect(answer.statusCode, path).toBe(409)
      }
      expect((await owner.get(`${APPS}/${ID}/delete`)).statusCode).toBe(409)
      const named = { client_id: ID }
      for (const outcome of [
        await performByCommandLine(school, changeApplication, { ...named, name: 'Mine' }),
        await performByCommandLine(school, deleteApplication, named),
      ]) {
        expect(outcome).toMatchObject({ kind: 'conflict', code: 'built_in' })
      }
      const details = {
        name: 'Mine',
        redirect_uris: ['https://evil.example/callback'],
        scopes: ['account:read'],
        confidential: false,
      }
      for (const client_id of [ID, ID.toUpperCase()]) {
        const made = { ...details, client_id }
        expect(await performByCommandLine(school, createApplication, made)).toMatchObject({
          kind: 'conflict',
          code: 'taken',
        })
      }
      expect(await rowsOf(school)).toMatchObject([
        { client_id: ID, redirect_uris: [`${school.origin}${PAGE}`] },
      ])
    },
  )
})
