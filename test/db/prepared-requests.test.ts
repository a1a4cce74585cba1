import { expect, test } from 'vitest'
import { useTool } from '../flows/mcp/tool-endpoint.ts'
import { anOperator } from '../support/admin-api.ts'
import { aPair, exchange, postForm, refresh, revoke, userinfo } from '../support/client-like.ts'
import { aCourse, anEnrollment } from '../support/learning.ts'
import { aToken, read } from '../support/member-api.ts'
import { aCode } from '../support/oauth-world.ts'
import { aWorld } from '../support/world.ts'

/**
 * One shared connection: on a busy machine there would be several, and what is kept can be read
 * from one only.
 */
const world = await aWorld({ databaseSettings: { poolSize: 2 } })
const school = await world.aSchool()
const older = await world.aSchool({ variant: 'older' })
const client = await world.aPublicClient(school)
const olderClient = await world.aPublicClient(older)
const ada = await world.aMember(school)
await anEnrollment(school, ada, await aCourse(school))
const pair = await aPair(world, school, client, ada)
const { code, pkce } = await aCode(world, school, client, ada)
const olderPair = await aPair(world, older, olderClient, await world.aMember(older))
const member = await aToken(world, school, ada)
const operator = await anOperator(world, school)

const KEPT = 'select statement from pg_prepared_statements'

/** The texts of all named statements on any connection. PostgreSQL does not list unnamed ones. */
async function keptTexts(): Promise<Set<string>> {
  const { pool, pipelines } = world.database
  const clients = await Promise.all(Array.from({ length: pool.counts.total }, () => pool.connect()))
  try {
    const kept = await Promise.all([
      ...clients.map((one) => one.query<{ statement: string }>(KEPT)),
      pipelines.run<{ statement: string }>(KEPT, []),
    ])
    return new Set(kept.flatMap(({ rows }) => rows.map(({ statement }) => statement)))
  } finally {
    for (const one of clients) one.release()
  }
}

const SYLLABUS = '{ viewer { id enrolledCourses { nodes { sections { lectures { state } } } } } }'

for (const [endpoint, work] of Object.entries({
  'code exchange': () => exchange(world, school, client, code, pkce.verifier),
  refresh: () => refresh(world, school, client, pair.refresh_token),
  'UserInfo, a first use included': () => userinfo(world, school, pair.access_token),
  introspection: () =>
    postForm(world, older, '/api/oauth/introspect', {
      client_id: olderClient.clientId,
      token: olderPair.access_token,
    }),
  'the whole syllabus': () => read<object>(world, school, member, SYLLABUS),
  'a tool': () => useTool(world, school, 'my_courses', {}, { token: member }),
  'a list of the Admin API': () => operator.get('/members?limit=50'),
  revocation: () => revoke(world, school, client, pair.refresh_token),
})) {
  test(`${endpoint}: every statement is parsed once per connection, not once per request`, async () => {
    const texts = await world.database.statementsOf(async () => {
      const answer = await work()
      if ('statusCode' in answer) expect(answer.statusCode).toBe(200)
    })
    expect(texts).not.toEqual([])
    const kept = await keptTexts()
    expect(texts.filter((text) => !kept.has(text))).toEqual([])
  })
}

test('a statement without parameters is not kept under a name', async () => {
  const text = "select 'written out'"
  await world.database.pool.query(text)
  expect(await keptTexts()).not.toContain(text)
})
