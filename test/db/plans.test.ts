import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { ROUTES } from '../../src/surfaces/admin-api/routes.ts'
import { anOperator } from '../support/admin-api.ts'
import { aPair, postForm, refresh, revoke, userinfo } from '../support/client-like.ts'
import { aToken, postGraphQL } from '../support/member-api.ts'
import { connect } from '../support/postgres.ts'
import { aWorld } from '../support/world.ts'

const world = await aWorld()
const school = await world.aSchool()
const older = await world.aSchool({ variant: 'older' })

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly Node[]
}

/** Every node below a plan that would read a table from one end to the other. */
function wholeTables(node: Node): string[] {
  const reads = node['Node Type'] === 'Seq Scan' || isUnboundIndexScan(node)
  return [
    ...(reads ? [`${node['Node Type']} of ${node['Relation Name'] ?? 'an index'}`] : []),
    ...(node.Plans ?? []).flatMap(wholeTables),
  ]
}

function isUnboundIndexScan(node: Node): boolean {
  return node['Node Type'].includes('Index') && node['Index Cond'] === undefined
}

/**
 * What PostgreSQL would do with any values, if it were to avoid reading whole tables. Ours are nearly
 * empty here, so it has to be told; where no index fits it reads them all the same.
 */
async function wholeTablesOf(statements: readonly string[]): Promise<Map<string, string[]>> {
  const client = await connect(world.database.connection)
  const found = new Map<string, string[]>()
  try {
    await client.query(`set enable_seqscan = off; set enable_hashjoin = off;
      set enable_mergejoin = off; set plan_cache_mode = force_generic_plan`)
    for (const text of new Set(statements)) {
      if (!/^\s*(select|with|insert|update|delete)\b/i.test(text)) continue
      await client.query(`prepare looked_at as ${text}`)
      const gaps = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)))
      const values = gaps === 0 ? '' : `(${Array(gaps).fill('null').join(', ')})`
      const { rows } = await client.query(`explain (format json) execute looked_at${values}`)
      await client.query('deallocate looked_at')
      const whole = wholeTables(rows[0]['QUERY PLAN'][0].Plan)
      if (whole.length > 0) found.set(text.replace(/\s+/g, ' ').trim(), whole)
    }
  } finally {
    await client.end()
  }
  return found
}

/** Enough pairs that walking from one to its ancestors is cheaper than reading them all. */
async function manyPairs(): Promise<void> {
  await aPair(world, school, await world.aPublicClient(school), await world.aMember(school))
  await sql`
    insert into token_pairs (id, authorization_id, scopes, access_hash, refresh_hash, access_expires_at, refresh_expires_at)
    select md5(n::text)::uuid, (select id from authorizations limit 1), '{openid}',
      sha256('a'), sha256('r'), now(), now() from generate_series(1, 5000) n`.execute(
    world.database.db,
  )
  await sql`analyze token_pairs`.execute(world.database.db)
}
await manyPairs()

test('no statement of the authorization server reads a whole table', async () => {
  const ada = await world.aMember(school)
  const bo = await world.aMember(older)
  const [client, olderClient] = [
    await world.aPublicClient(school),
    await world.aPublicClient(older),
  ]
  const statements = await world.database.statementsOf(async () => {
    // Sign-in, consent and exchange, the lookup of the school included.
    world.context.directory.forget()
    const pair = await aPair(world, school, client, ada)
    expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
    const child = (await refresh(world, school, client, pair.refresh_token)).json()
    expect((await revoke(world, school, client, child.refresh_token)).statusCode).toBe(200)
    expect((await revoke(world, school, client, 'unknown')).statusCode).toBe(200)
    const other = await aPair(world, older, olderClient, bo)
    const fields = { client_id: olderClient.clientId, token: other.access_token }
    const told = await postForm(world, older, '/api/oauth/introspect', fields)
    expect(told.json().active).toBe(true)
  })
  expect(statements.length).toBeGreaterThan(15)
  expect(await wholeTablesOf(statements)).toEqual(new Map())
})

test('no statement of the Member API reads a whole table', async () => {
  const token = await aToken(world, school, await world.aMember(school))
  const page = 'pageInfo { hasNextPage hasPreviousPage }'
  const query = `{ viewer { id schools { id roles } unreadNotificationCount
    enrolledCourses { nodes { slug detailProgress { percent } sections { lectures { state } } } ${page} }
    digitalProducts { nodes { title } ${page} } eventRegistrations { nodes { state event { title } } }
    consultingServices { nodes { slots { weekday } meetings { state } } }
    consultingMeetings { nodes { title attendeesCount } }
    payments { totalCount nodes { tradeNo lineitems { title } adjustments { label } } }
    notifications { nodes { title } } notificationSubscriptions { topic } } }`
  const statements = await world.database.statementsOf(async () => {
    const answer = await postGraphQL(world, school, token, { query })
    expect(answer.json().errors).toBeUndefined()
  })
  expect(statements.length).toBeGreaterThan(10)
  expect(await wholeTablesOf(statements)).toEqual(new Map())
})

test('no list of the Admin API reads a whole table', async () => {
  const operator = await anOperator(world, school)
  const lists = ROUTES.filter(({ method, path }) => method === 'GET' && !path.includes('{'))
  const statements = await world.database.statementsOf(async () => {
    for (const { path } of lists) await operator.get(path)
  })
  expect(statements.length).toBeGreaterThan(lists.length)
  expect(await wholeTablesOf(statements)).toEqual(new Map())
})

test('a statement that no index serves is noticed', async () => {
  const statements = await world.database.statementsOf(() =>
    sql`select from users where name = ${'Ada'}`.execute(world.database.db),
  )
  expect([...(await wholeTablesOf(statements)).values()]).toEqual([['Seq Scan of users']])
})
