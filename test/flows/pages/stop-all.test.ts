import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { aPair, exchange, refresh, userinfo } from '../../support/client-like.ts'
import { finishJobs } from '../../support/jobs.ts'
import { aCode, auditOf } from '../../support/oauth-world.ts'
import { anOwner, signedIn, submit } from '../../support/operator-like.ts'
import { sharedWorld, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()
const STOP_ALL = '/admin/clients/stop-all'

/** Two apps, each with the access of one person. */
async function aSchoolWithApps() {
  const school = await world.aSchool()
  const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
  const [planner, site] = [await world.aPublicClient(school), await world.aPublicClient(school)]
  const hers = await aPair(world, school, planner, ada)
  const his = await aPair(world, school, site, ben)
  return { school, ada, planner, hers, his, owner: await anOwner(world, school) }
}

const nameOf = async (school: TestSchool) => {
  const { rows } = await school.db.run(
    sql<{ name: string }>`select name from schools where id = ${school.id}`,
  )
  return rows[0]?.name ?? ''
}

const liveRows = async (school: TestSchool) => {
  const { rows } = await school.db.run(sql<{ live: number }>`
    select count(*)::int as live from authorizations
    where school_id = ${school.id} and revoked_at is null`)
  return rows[0]?.live
}

test('all access of all apps ends at once at one school, and only after its name was typed', async () => {
  const { school, ada, planner, hers, his, owner } = await aSchoolWithApps()
  const other = await aSchoolWithApps()
  const question = (await owner.get(STOP_ALL)).body
  expect(question).toContain('2 apps and assistants lose access at once')
  expect(question).toContain('to the accounts of 2 people')
  const wrong = await submit(owner, STOP_ALL, STOP_ALL, { confirm_name: 'Another school' })
  expect(wrong.statusCode).toBe(422)
  expect(wrong.body).toContain('Nothing was stopped.')
  expect((await userinfo(world, school, hers.access_token)).statusCode).toBe(200)
  const confirm_name = await nameOf(school)
  const entries = await auditOf(school, async () => {
    const stopped = await submit(owner, STOP_ALL, STOP_ALL, { confirm_name })
    expect(stopped.headers.location).toBe('/admin/clients?done=all-stopped')
  })
  expect(entries).toMatchObject([
    { action: 'authorization.ended', detail: { by: 'operator', all_clients: 2 } },
  ])
  for (const pair of [hers, his]) {
    expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
  }
  const refused = await refresh(world, school, planner, hers.refresh_token)
  expect(refused.json().error).toBe('invalid_grant')
  expect((await userinfo(world, other.school, other.hers.access_token)).statusCode).toBe(200)
  const again = await aPair(world, school, planner, ada)
  expect(await liveRows(school)).toBe(3)
  await finishJobs(world)
  expect(await liveRows(school)).toBe(1)
  expect(await liveRows(other.school)).toBe(2)
  expect((await userinfo(world, school, again.access_token)).statusCode).toBe(200)
})

test('a code that an app kept back gives no access after all were stopped', async () => {
  const { school, ada, planner, owner } = await aSchoolWithApps()
  const { code, pkce } = await aCode(world, school, planner, ada)
  const confirm_name = await nameOf(school)
  await submit(owner, STOP_ALL, STOP_ALL, { confirm_name })
  const answer = await exchange(world, school, planner, code, pkce.verifier)
  expect(answer.json().error).toBe('invalid_grant')
})

test('codes that are exchanged while all apps are stopped give no access', async () => {
  const { school, ada, planner, owner } = await aSchoolWithApps()
  const codes = []
  for (let n = 0; n < 4; n++) codes.push(await aCode(world, school, planner, ada))
  const confirm_name = await nameOf(school)
  const [, ...answers] = await Promise.all([
    submit(owner, STOP_ALL, STOP_ALL, { confirm_name }),
    ...codes.map(({ code, pkce }) => exchange(world, school, planner, code, pkce.verifier)),
  ])
  const confirmed = await owner.get('/admin/clients')
  expect(confirmed.statusCode).toBe(200)
  for (const answer of answers) {
    if (answer.statusCode !== 200) continue
    const { access_token } = answer.json()
    expect((await userinfo(world, school, access_token)).statusCode).toBe(401)
  }
})

test('a student cannot stop the apps of the school', async () => {
  const { school, ada, hers } = await aSchoolWithApps()
  const student = await signedIn(world, school, ada)
  expect((await student.get(STOP_ALL)).statusCode).toBe(403)
  expect((await student.post(STOP_ALL, { confirm_name: await nameOf(school) })).statusCode).toBe(
    403,
  )
  expect((await userinfo(world, school, hers.access_token)).statusCode).toBe(200)
})
