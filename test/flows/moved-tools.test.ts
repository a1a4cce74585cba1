import { describe, expect } from 'vitest'
import { createApplication } from '../../src/domain/clients/application-operations.ts'
import { filledIn } from '../../src/domain/clients/assistants.ts'
import { verifies } from '../spec/verifies.ts'
import { ask, expectPage } from '../support/authorization.ts'
import { aPair, exchange, refresh, userinfo } from '../support/client-like.ts'
import { aListeningSchool } from '../support/listening-school.ts'
import { aCode } from '../support/oauth-world.ts'
import { performByCommandLine as perform } from '../support/performing.ts'
import { aTool } from '../support/tools.ts'
import { aWorld, sharedWorld, type TestSchool, type World } from '../support/world.ts'

const READ = { scope: 'courses:read' }

async function move(at: World, school: TestSchool, origin: string): Promise<TestSchool> {
  const { pool } = at.database
  await pool.query('update schools set origin = $1 where id = $2', [origin, school.id])
  at.context.directory.forget()
  return { ...school, origin }
}

verifies(
  'tool.moves-with-origin',
  'the callback of Codex, which is made from the address, follows the school and no other school',
  async () => {
    const world = await sharedWorld()
    const callbacksOf = async ({ db }: TestSchool) =>
      (await db.from('clients').select('redirect_uris').execute()).map((row) => row.redirect_uris)
    const offerCodex = async (school: TestSchool) => {
      const { name, redirectUris, scopes } = filledIn('codex', school.origin)
      await perform(school, createApplication, {
        name,
        redirect_uris: [...redirectUris, 'http://127.0.0.1/callback/other'],
        scopes: [...scopes],
        confidential: false,
        assistant: 'codex',
      })
    }
    const [school, other] = [await world.aSchool(), await world.aSchool()]
    for (const one of [school, other]) await offerCodex(one)
    const kept = await callbacksOf(other)
    const moved = await move(world, school, 'https://moved.example:8443')
    expect(await callbacksOf(moved)).toEqual([
      [...filledIn('codex', moved.origin).redirectUris, 'http://127.0.0.1/callback/other'],
    ])
    expect(await callbacksOf(other)).toEqual(kept)
  },
)

/** Its clients, with the live authorizations of each. */
async function clientsOf(school: TestSchool) {
  const rows = await school.db
    .from('clients')
    .select(['client_id', 'kind', 'deleted_at'])
    .orderBy('kind')
    .execute()
  const live = await school.db
    .from('authorizations')
    .select('client_id')
    .where('revoked_at', 'is', null)
    .execute()
  return rows.map(({ client_id, kind, deleted_at }) => ({
    client_id,
    kind,
    deleted: deleted_at !== null,
    live: live.filter((one) => one.client_id === client_id).length,
  }))
}

describe('a school that moves to an origin whose tools it knows as documents', () => {
  verifies(
    'tool.address.own-only',
    'back to its own old origin, has its tools there again, and what it gave the document ends',
    async () => {
      const both = await aWorld({ loopbackDocuments: true })
      const home = await aListeningSchool(both, { openRegistration: true })
      const person = await both.aMember(home, ['owner'])
      const tool = await aTool(both, home)
      const other = await both.aSchool({ openRegistration: true })
      // Another school reads the document, so a copy of it is kept.
      await aPair(both, other, tool, await both.aMember(other, ['owner']), READ)
      const mine = await aPair(both, home, tool, person, READ)

      const away = await move(both, home, `http://away-${home.subdomain}.test`)
      const foreign = await aPair(both, away, tool, person, READ)
      const { code, pkce } = await aCode(both, away, tool, person, READ)

      await move(both, away, home.origin)
      expect((await userinfo(both, home, mine.access_token)).statusCode).toBe(200)
      expect((await userinfo(both, home, foreign.access_token)).statusCode).toBe(401)
      expect((await refresh(both, home, tool, foreign.refresh_token)).statusCode).toBe(400)
      expect((await exchange(both, home, tool, code, pkce.verifier)).statusCode).toBe(400)
      const [gone, ...rest] = await clientsOf(home)
      expect(rest).toEqual([{ client_id: tool.clientId, kind: 'tool', deleted: false, live: 1 }])
      expect(gone).toMatchObject({ kind: 'document', deleted: true, live: 0 })
      expect(gone?.client_id.startsWith(`${tool.clientId}#`)).toBe(true)
      const asked = { world: both, school: home, person }
      const client = { ...tool, clientId: gone?.client_id ?? '' }
      expectPage(await ask({ ...asked, client }, READ), 400)

      // Again and again: nothing is left that stands in the way.
      await move(both, await move(both, home, away.origin), home.origin)
      expect(await clientsOf(home)).toEqual([gone, ...rest])
      await aPair(both, home, tool, person, READ)
    },
  )

  verifies(
    'tool.address.own-only',
    'may swap its origin with another school, although both have a tool of the same name',
    async () => {
      const both = await aWorld({ loopbackDocuments: true })
      const first = await aListeningSchool(both)
      const second = await both.aSchool({ openRegistration: true })
      const firstTool = await aTool(both, first)
      const secondTool = await aTool(both, second)
      const ada = await both.aMember(first, ['owner'])
      const bob = await both.aMember(second, ['owner'])
      const kept = await aPair(both, first, firstTool, ada, READ)
      const foreign = await aPair(both, second, firstTool, bob, READ)

      const between = await move(both, first, 'http://between.test')
      const moved = await move(both, second, first.origin)
      const other = await move(both, between, second.origin)
      expect(await clientsOf(moved)).toMatchObject([
        { kind: 'document', deleted: true, live: 0 },
        { client_id: firstTool.clientId, kind: 'tool', deleted: false, live: 0 },
      ])
      expect(await clientsOf(other)).toEqual([
        { client_id: secondTool.clientId, kind: 'tool', deleted: false, live: 1 },
      ])
      expect((await userinfo(both, other, kept.access_token)).statusCode).toBe(200)
      expect((await userinfo(both, moved, foreign.access_token)).statusCode).toBe(401)
      await aPair(both, moved, firstTool, bob, READ)
    },
  )
})
