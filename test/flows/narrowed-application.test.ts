import { describe, expect, test } from 'vitest'
import { changeApplication } from '../../src/domain/clients/application-operations.ts'
import { reviewClient, withdrawReview } from '../../src/domain/clients/client-operations.ts'
import { UNREVIEWED_SCOPES } from '../../src/domain/clients/scope-catalogue.ts'
import { verifies } from '../spec/verifies.ts'
import { ask, expectErrorRedirect } from '../support/authorization.ts'
import { authorizeAs } from '../support/browser-like.ts'
import { aPair, exchange, refresh, userinfo } from '../support/client-like.ts'
import { aCode, auditOf, isLive, pairRow } from '../support/oauth-world.ts'
import { aBetaSchool, anOwner, setBeta, submit } from '../support/operator-like.ts'
import { outputOf, performByCommandLine } from '../support/performing.ts'
import { CALLBACK, sharedWorld, type TestClient, type TestSchool } from '../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const ada = await world.aMember(school)
const ALL = ['openid', 'profile', 'email', 'account:read', 'account:write']

async function holds({ clientId }: TestClient, scopes: readonly string[]): Promise<void> {
  const input = { client_id: clientId, scopes: [...scopes] }
  outputOf(await performByCommandLine(school, changeApplication, input))
}

/** An application that a member gave `openid`, `account:read` and `account:write`. */
async function anAuthorizedApp() {
  const client = await world.aPublicClient(school)
  const scope = 'openid account:read account:write'
  return { client, pair: await aPair(world, school, client, ada, { scope }) }
}

describe('an application that an operator narrowed', () => {
  verifies(
    'token.narrowed.refresh',
    'gets at a refresh what was authorized and it still holds, and is told so in scope',
    async () => {
      const { client, pair } = await anAuthorizedApp()
      await holds(client, ['openid', 'account:read', 'email'])
      const answer = await refresh(world, school, client, pair.refresh_token)
      expect([answer.statusCode, answer.json().scope]).toEqual([200, 'account:read openid'])
      expect((await pairRow(world, answer.json())).scopes).toEqual(['account:read', 'openid'])
    },
  )

  verifies(
    'token.narrowed.access-token-stays',
    'keeps the scopes of its access tokens until they expire',
    async () => {
      const { client, pair } = await anAuthorizedApp()
      await holds(client, ['openid'])
      expect((await pairRow(world, pair)).scopes).toContain('account:write')
      expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
    },
  )

  verifies(
    'token.narrowed.widened-again',
    'gets a scope back with the first refresh after it was widened, never more than was authorized',
    async () => {
      const { client, pair } = await anAuthorizedApp()
      await holds(client, ['openid'])
      const narrow = (await refresh(world, school, client, pair.refresh_token)).json()
      expect(narrow.scope).toBe('openid')
      await holds(client, ALL)
      const wide = (await refresh(world, school, client, narrow.refresh_token)).json()
      expect(wide.scope).toBe('account:read account:write openid')
    },
  )

  verifies(
    'token.narrowed.nothing-left',
    'is refused with invalid_grant if nothing is left, and gets its scopes when they come back',
    async () => {
      const { client, pair } = await anAuthorizedApp()
      await holds(client, ['email', 'profile'])
      const entries = await auditOf(school, async () => {
        for (const scope of [undefined, 'openid']) {
          const answer = await refresh(world, school, client, pair.refresh_token, { scope })
          expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_grant'])
          expect(answer.json().error_description).toContain('every scope')
        }
      })
      // The same refusal twice is one entry.
      expect(entries.map(({ action, outcome }) => [action, outcome])).toEqual([
        ['token.refused', 'invalid_grant'],
      ])
      expect(await isLive(world, pair)).toBe(true)
      await holds(client, ALL)
      expect((await refresh(world, school, client, pair.refresh_token)).json().scope).toBe(
        'account:read account:write openid',
      )
    },
  )

  verifies(
    'token.narrowed.asked-for-lost',
    'that asks a refresh for what it lost gets the rest of what it asked for, or invalid_scope if there is none',
    async () => {
      const { client, pair } = await anAuthorizedApp()
      await holds(client, ['openid', 'account:read'])
      const ask = (scope: string) => refresh(world, school, client, pair.refresh_token, { scope })
      expect((await ask('account:read account:write')).json().scope).toBe('account:read')
      const lost = await ask('account:write')
      expect([lost.statusCode, lost.json().error]).toEqual([400, 'invalid_scope'])
      expect(lost.json().error_description).toContain('account:write')
      const never = await ask('account:read email')
      expect([never.statusCode, never.json().error]).toEqual([400, 'invalid_scope'])
      expect((await ask('openid')).json().scope).toBe('openid')
    },
  )

  verifies(
    'authorize.scope.beyond-client',
    'that asks a person for what it lost is refused with invalid_scope, and nothing changes',
    async () => {
      const { client, pair } = await anAuthorizedApp()
      await holds(client, ['openid', 'account:read'])
      const entries = await auditOf(school, async () => {
        const scope = 'openid account:write'
        const answer = await authorizeAs(world, school, client, ada, { scope })
        expect(answer.get('error')).toBe('invalid_scope')
        expect(answer.get('error_description')).toContain('account:write')
        expect(answer.has('code')).toBe(false)
      })
      expect(entries).toEqual([])
      expect(await isLive(world, pair)).toBe(true)
    },
  )

  verifies(
    'token.narrowed.exchange',
    'between consent and exchange gets the part it still holds; the authorization keeps all of it',
    async () => {
      const client = await world.aPublicClient(school)
      const scope = 'openid account:read account:write'
      const { code, pkce } = await aCode(world, school, client, ada, { scope })
      await holds(client, ['account:read'])
      const answer = await exchange(world, school, client, code, pkce.verifier)
      expect(answer.json()).toMatchObject({ scope: 'account:read' })
      expect(answer.json()).not.toHaveProperty('id_token')
      await holds(client, ALL)
      const wide = await refresh(world, school, client, answer.json().refresh_token)
      expect(wide.json().scope).toBe('account:read account:write openid')
    },
  )

  verifies(
    'token.narrowed.nothing-left',
    'before the exchange of a code is refused with invalid_grant if nothing is left, and the code stays',
    async () => {
      const client = await world.aPublicClient(school)
      const { code, pkce } = await aCode(world, school, client, ada, { scope: 'account:write' })
      await holds(client, ['openid'])
      const trade = () => exchange(world, school, client, code, pkce.verifier)
      const refused = await trade()
      expect([refused.statusCode, refused.json().error]).toEqual([400, 'invalid_grant'])
      await holds(client, ALL)
      expect((await trade()).json().scope).toBe('account:write')
    },
  )
})

describe('a client with a metadata document', () => {
  const url = 'https://tool.example/client.json'
  const client: TestClient = { clientId: url, secret: undefined, redirectUri: CALLBACK }

  /** The row as the first consent makes it, reviewed, and a pair with a write scope. */
  async function aReviewedClient() {
    const at = await world.aSchool({ openRegistration: true })
    await setBeta(world, at, true)
    await at.db
      .insert('clients', {
        client_id: url,
        kind: 'document',
        audience: 'operator',
        name: 'Tool',
        redirect_uris: [CALLBACK],
        scopes: UNREVIEWED_SCOPES.toArray(),
      })
      .execute()
    outputOf(await performByCommandLine(at, reviewClient, { client_id: url }))
    await world.database.db
      .insertInto('client_documents')
      .values({
        url,
        document: JSON.stringify({ clientId: url, name: 'Tool', redirectUris: [CALLBACK] }),
        expires_at: new Date(Date.now() + 3_600_000),
      })
      .onConflict((conflict) => conflict.column('url').doNothing())
      .execute()
    const owner = await world.aMember(at, ['owner'])
    const scope = 'openid courses:read courses:write'
    return { at, owner, pair: await aPair(world, at, client, owner, { scope }) }
  }

  const withdraw = (at: TestSchool) => performByCommandLine(at, withdrawReview, { client_id: url })

  verifies(
    'client.review.withdrawn',
    'loses its write scopes with the review, at the next refresh, and gets them back with it',
    async () => {
      const { at, owner, pair } = await aReviewedClient()
      expect(pair.scope).toContain('courses:write')
      expect(outputOf(await withdraw(at))).toMatchObject({ changed: true })
      expect(outputOf(await withdraw(at))).toMatchObject({ changed: false })
      const narrow = (await refresh(world, at, client, pair.refresh_token)).json()
      expect(narrow.scope).toBe('courses:read openid')
      const setup = { world, school: at, client, person: owner }
      expectErrorRedirect(setup, await ask(setup, { scope: 'courses:write' }), 'invalid_scope')
      outputOf(await performByCommandLine(at, reviewClient, { client_id: url }))
      const wide = (await refresh(world, at, client, narrow.refresh_token)).json()
      expect(wide.scope).toBe('courses:read courses:write openid')
    },
  )

  test('has a button for it on its page, and an audit entry', async () => {
    const { at, pair } = await aReviewedClient()
    const owner = await anOwner(world, at)
    const page = `/admin/clients/view?id=${encodeURIComponent(url)}`
    const entries = await auditOf(at, async () => {
      const done = await submit(owner, page, '/admin/clients/withdraw-review')
      expect((await owner.follow(done)).body).toContain('The review is withdrawn')
    })
    expect(entries).toMatchObject([{ action: 'client.changed', detail: { reviewed: false } }])
    expect((await refresh(world, at, client, pair.refresh_token)).json().scope).toBe(
      'courses:read openid',
    )
  })
})

describe('ending all access of an application', () => {
  verifies(
    'client.end-access',
    'asks first, then ends every authorization and waiting code at once, and may be authorized again',
    async () => {
      const at = await aBetaSchool(world)
      const client = await world.aPublicClient(at)
      const [ben, cleo] = [await world.aMember(at), await world.aMember(at)]
      const pairs = [
        await aPair(world, at, client, ben),
        await aPair(world, at, client, ben),
        await aPair(world, at, client, cleo),
      ]
      const other = await aPair(world, at, await world.aPublicClient(at), ben)
      const waiting = await aCode(world, at, client, cleo)
      const owner = await anOwner(world, at)
      const page = `/admin/developers/applications/${client.clientId}`
      const shown = (await owner.get(page)).body
      expect(shown).toContain('ends after two hours at the latest')
      const question = `/admin/clients/end-all?id=${client.clientId}`
      expect(shown).toContain(`href="${question}"`)
      expect((await owner.get(question)).body).toContain('2 people have given it access')
      expect(await isLive(world, pairs[0] ?? other)).toBe(true)
      const entries = await auditOf(at, async () => {
        const done = await submit(owner, question, '/admin/clients/end-all')
        expect(done.headers.location).toBe(`${page}?done=all-ended`)
      })
      expect(entries).toMatchObject([
        {
          action: 'authorization.ended',
          client_id: client.clientId,
          detail: { by: 'operator', people: 2, via: 'admin_area' },
        },
      ])
      for (const pair of pairs) {
        expect((await userinfo(world, at, pair.access_token)).statusCode).toBe(401)
        expect((await refresh(world, at, client, pair.refresh_token)).json().error).toBe(
          'invalid_grant',
        )
      }
      const late = await exchange(world, at, client, waiting.code, waiting.pkce.verifier)
      expect(late.json().error).toBe('invalid_grant')
      expect((await userinfo(world, at, other.access_token)).statusCode).toBe(200)
      await aPair(world, at, client, ben)
    },
  )

  test('of an application of another school is not found', async () => {
    const [at, elsewhere] = [await aBetaSchool(world), await aBetaSchool(world)]
    const client = await world.aPublicClient(at)
    const pair = await aPair(world, at, client, await world.aMember(at))
    const intruder = await anOwner(world, elsewhere)
    const question = `/admin/clients/end-all?id=${client.clientId}`
    expect((await intruder.get(question)).statusCode).toBe(404)
    expect(await isLive(world, pair)).toBe(true)
  })
})
