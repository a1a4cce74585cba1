import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { SMALL_CLIENT } from '../../../src/domain/grants/end-access.ts'
import { verifies } from '../../spec/verifies.ts'
import { nameAskedFor } from '../../support/admin-browser.ts'
import { aPair, exchange, refresh, userinfo } from '../../support/client-like.ts'
import { finishJobs } from '../../support/jobs.ts'
import { aCode, auditOf } from '../../support/oauth-world.ts'
import { aBetaSchool, anOwner, signedIn, submit } from '../../support/operator-like.ts'
import { aWorld, type TestClient, type TestPerson, type TestSchool } from '../../support/world.ts'

const world = await aWorld()

/** A client with many authorizations of one person, made by PostgreSQL. */
async function aLargeClient() {
  const school = await aBetaSchool(world)
  const client = await world.aPublicClient(school)
  const member = await world.aMember(school)
  await school.db.run(sql`
    insert into authorizations (id, school_id, client_id, user_id, audience, scopes)
    select gen_random_uuid(), ${school.id}, ${client.clientId}, ${member.id}, 'member', '{openid}'
    from generate_series(1, ${sql.lit(SMALL_CLIENT + 200)})`)
  const pair = await aPair(world, school, client, member)
  const owner = await anOwner(world, school)
  return { school, client, member, pair, owner }
}

type Large = Awaited<ReturnType<typeof aLargeClient>>

const endAccess = ({ owner, client }: Large) =>
  submit(owner, `/admin/clients/end-all?id=${client.clientId}`, '/admin/clients/end-all')

const liveRows = async (school: TestSchool) => {
  const { rows } = await school.db.run(sql<{ live: number }>`
    select count(*)::int as live from authorizations
    where school_id = ${school.id} and revoked_at is null`)
  return rows[0]?.live
}

async function expectNoAccess(
  school: TestSchool,
  client: TestClient,
  pair: { access_token: string; refresh_token: string },
) {
  expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
  const refused = await refresh(world, school, client, pair.refresh_token)
  expect([refused.statusCode, refused.json().error]).toEqual([400, 'invalid_grant'])
}

const appsOf = async (school: TestSchool, member: TestPerson) =>
  (await (await signedIn(world, school, member)).get('/account/apps')).body

describe('a client with many authorizations', () => {
  verifies(
    'jobs.end-access.at-once',
    'loses all access in the request that ends it, before any row of an authorization changed',
    async () => {
      const large = await aLargeClient()
      const { school, client, member, pair } = large
      expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
      const entries = await auditOf(school, async () => {
        expect((await endAccess(large)).statusCode).toBe(303)
      })
      expect(entries).toMatchObject([{ action: 'authorization.ended', client_id: client.clientId }])
      expect(await liveRows(school)).toBe(SMALL_CLIENT + 201)
      await expectNoAccess(school, client, pair)
      expect(await appsOf(school, member)).not.toContain(`App ${client.clientId}`)
      const again = await aPair(world, school, client, member)
      expect((await userinfo(world, school, again.access_token)).statusCode).toBe(200)
      const silent = await auditOf(school, () => finishJobs(world))
      expect(silent).toEqual([])
      expect(await liveRows(school)).toBe(1)
      await expectNoAccess(school, client, pair)
      expect((await userinfo(world, school, again.access_token)).statusCode).toBe(200)
    },
  )

  test('is refused at once when it is deleted, and stays so', async () => {
    const large = await aLargeClient()
    const { school, client, pair, owner } = large
    const page = `/admin/developers/applications/${client.clientId}/delete`
    const { body } = await owner.get(page)
    expect((await submit(owner, page, page, nameAskedFor(body))).statusCode).toBe(303)
    expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
    expect((await refresh(world, school, client, pair.refresh_token)).statusCode).toBe(401)
    await finishJobs(world)
    expect(await liveRows(school)).toBe(0)
  })

  test('gets no access by codes that it exchanges while its access ends', async () => {
    const large = await aLargeClient()
    const { school, client, member } = large
    const codes = []
    for (let n = 0; n < 8; n++) codes.push(await aCode(world, school, client, member))
    const [ended, ...answers] = await Promise.all([
      endAccess(large),
      ...codes.map(({ code, pkce }) => exchange(world, school, client, code, pkce.verifier)),
    ])
    expect(ended.statusCode).toBe(303)
    for (const answer of answers) {
      if (answer.statusCode === 200) await expectNoAccess(school, client, answer.json())
      else expect(answer.json().error).toBe('invalid_grant')
    }
  })
})
