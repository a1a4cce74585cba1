import { expect } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import {
  aSetup,
  ask,
  expectErrorRedirect,
  expectPage,
  signedIn,
  writtenRows,
} from '../support/authorization.ts'
import { aPair, exchange, postForm, refresh } from '../support/client-like.ts'
import { aCode, anOperatorPair, getFrom } from '../support/oauth-world.ts'
import { aWorld } from '../support/world.ts'

/** Assistants send offline_access to every server (OpenID Connect Core §11). */
const world = await aWorld()
const setup = await aSetup(world)
const { school, client, person } = setup

verifies(
  'scope.offline-access',
  'it changes nothing at the authorization: consent, code, tokens and metadata do not show it',
  async () => {
    const plain = await aPair(world, school, client, person, { scope: 'openid account:read' })
    const pair = await aPair(world, school, client, person, {
      scope: 'offline_access openid  account:read offline_access',
    })
    expect(pair.scope).toBe(plain.scope)
    expect(pair.refresh_token).toMatch(/^sg_rt_/)
    const { page } = await signedIn(setup, { scope: 'openid offline_access' })
    expectPage(page, 200)
    expect(page.body).not.toContain('offline')
    const operator = await world.aMember(school, ['owner'])
    const scope = 'courses:read offline_access'
    expect((await anOperatorPair(world, school, operator, { scope })).scope).toBe('courses:read')
    for (const path of ['oauth-authorization-server', 'oauth-protected-resource/mcp']) {
      expect((await getFrom(world, school, `/.well-known/${path}`)).body).not.toContain('offline')
    }
  },
)

verifies(
  'scope.offline-access',
  'alone it is invalid_scope before sign-in, with the reason; another spelling is an unknown scope',
  async () => {
    const before = await writtenRows(setup)
    for (const scope of ['offline_access', ' offline_access offline_access ']) {
      const told = expectErrorRedirect(setup, await ask(setup, { scope }), 'invalid_scope')
      expect(told.get('error_description')).toContain('every authorization has a refresh token')
    }
    for (const scope of ['openid Offline_access', 'openid offline', 'openid offline_access:read']) {
      expectErrorRedirect(setup, await ask(setup, { scope }), 'invalid_scope')
    }
    expect(await writtenRows(setup)).toBe(before)
  },
)

verifies(
  ['scope.offline-access', 'token.refresh.never-wider'],
  'a refresh may name it too: it neither widens nor narrows, and alone it is invalid_scope',
  async () => {
    const pair = await aPair(world, school, client, person, { scope: 'openid account:read' })
    const scopeOf = async (scope: string) =>
      (await refresh(world, school, client, pair.refresh_token, { scope })).json()
    expect((await scopeOf('account:read offline_access openid')).scope).toBe('account:read openid')
    expect((await scopeOf('openid offline_access')).scope).toBe('openid')
    expect(await scopeOf('offline_access')).toMatchObject({ error: 'invalid_scope' })
    const wider = await scopeOf('offline_access account:write')
    expect(wider.error).toBe('invalid_scope')
    expect(wider.error_description).toContain('account:write')
    expect(wider.error_description).not.toContain('offline')
  },
)

verifies(
  'scope.offline-access',
  'a registration that names it gets the scopes of the platform, without it',
  async () => {
    const body = { client_name: 'Claude', scope: 'openid offline_access' }
    const answer = await postForm(world, school, '/api/oauth/register', JSON.stringify(body), {
      'content-type': 'application/json',
    })
    expect(answer.statusCode).toBe(201)
    expect(answer.body).not.toContain('offline')
  },
)

verifies(
  'scope.offline-access',
  'a scope parameter of the code exchange is not read, so it may hold offline_access',
  async () => {
    const { code, pkce } = await aCode(world, school, client, person)
    const overrides = { scope: 'offline_access' }
    const answer = await exchange(world, school, client, code, pkce.verifier, overrides)
    expect(answer.statusCode).toBe(200)
    expect(answer.json().scope).not.toContain('offline')
  },
)
