import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { anOperator } from './admin-api.ts'
import { aPkce, authorizeParameters, hiddenFields, Visitor } from './browser-like.ts'
import { aToken, postGraphQL } from './member-api.ts'
import { type Road, roadsTo } from './mixed-requests.ts'
import type { TestSchool, World } from './world.ts'

/** Longer than any text that is searched, and a word that almost occurs at each of its places. */
const LONG_TEXT = 'a'.repeat(64_000)
const COSTLY_WORDS = ['b', 'c', 'd'].map((end) => end + 'a'.repeat(63)).join(' ')

/**
 * The dearest request of each kind that the operators of a school, or strangers, can make there.
 */
export async function hostileRoads(
  world: World,
  school: TestSchool,
  documents: { url(name: string): string },
  longPosts = 40,
): Promise<readonly Road[]> {
  const honest = await roadsTo(world, school, documents)
  await fill(school, longPosts)
  const operator = await anOperator(world, school)
  const member = await world.aMember(school)
  const token = await aToken(world, school, member)
  const stranger = new Visitor(world, school)
  const client = await world.aPublicClient(school)
  const host = new URL(school.origin).host
  const call = (name: string, given: object) =>
    world.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: {
        host,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      payload: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name, arguments: given },
      }),
    })
  const rows = Array.from({ length: 2_000 }, (_, n) =>
    JSON.stringify({ slug: `flood-${n}`, title: `Flood ${n}` }),
  ).join('\n')
  const headers = { 'content-type': 'application/x-ndjson' }
  const aliases = Array.from(
    { length: 30 },
    (_, n) => `a${n}: enrolledCourses(first: 100) { nodes { id title } }`,
  )
  const query = `{ viewer { ${aliases.join(' ')} } }`
  return [
    // Documents are counted by network too, and both schools have the same visitors here.
    ...honest.filter(({ name }) => name !== 'authorize'),
    road('wrong password', async () => {
      const visitor = new Visitor(world, school)
      const from = fromElsewhere()
      const fields = hiddenFields((await visitor.get('/sign-in', from)).body, '/sign-in')
      return await visitor.post('/sign-in', { ...fields, email: member.email, password: 'x' }, from)
    }),
    road('costly search', () => call('search', { query: COSTLY_WORDS })),
    road('costly list', () => call('list_posts', { search: COSTLY_WORDS, limit: 50 })),
    road('costly search of an operator', () =>
      operator.get(`/posts?search=${COSTLY_WORDS.slice(0, 90)}&include_total=true`),
    ),
    road('large import', () => operator.send('POST', '/pages/import', { body: rows, headers })),
    road('large dry run', () =>
      operator.send('POST', '/pages/import?dry_run=true', { body: rows, headers }),
    ),
    road('large export', () => operator.get('/posts/export')),
    road('years of analytics', () =>
      operator.get('/analytics/active-learners?from=2000-01-01&to=2029-12-31&interval=month'),
    ),
    road('large query', () => postGraphQL(world, school, token, { query })),
    road('slow document', () => {
      const clientId = documents.url(`slow-${randomUUID()}`)
      const parameters = authorizeParameters(school, { ...client, clientId }, aPkce())
      return stranger.get(`/oauth/authorize?${parameters}`, fromElsewhere())
    }),
  ]
}

/** Strangers have many addresses; a world that trusts loopback believes this header. */
const fromElsewhere = () => ({ 'x-forwarded-for': `198.51.${randomInt(100)}.${randomInt(1, 255)}` })

const road = (name: string, send: Road['send']): Road => ({ name, status: 200, send })

async function fill({ id, db }: TestSchool, posts: number): Promise<void> {
  await db.run(sql`
    insert into posts (school_id, id, slug, title, body, state, published_at)
    select ${id}, gen_random_uuid(), 'long-' || n, 'Long', ${LONG_TEXT}, 'published', now()
    from generate_series(1, ${posts}::int) n`)
}

export interface Flood {
  /** How often each road was answered, by status; 0 counts requests that got no answer. */
  readonly answered: ReadonlyMap<string, Readonly<Record<number, number>>>
  stop(): Promise<void>
}

/** Sends all of them at once, again and again, until it is stopped. */
export function flood(roads: readonly Road[], times: number, pauseMs = 0): Flood {
  const answered = new Map<string, Record<number, number>>()
  let stopped = false
  const run = async ({ name, send }: Road): Promise<void> => {
    const counts = answered.get(name) ?? {}
    answered.set(name, counts)
    while (!stopped) {
      const status = await send().then(
        ({ statusCode }) => statusCode,
        () => 0,
      )
      counts[status] = (counts[status] ?? 0) + 1
      // An answer from memory comes without a turn of the event loop, which a real connection
      // takes.
      await pause(pauseMs)
    }
  }
  const running = roads.flatMap((one) => Array.from({ length: times }, () => run(one)))
  return {
    answered,
    async stop() {
      stopped = true
      await Promise.all(running)
    },
  }
}
