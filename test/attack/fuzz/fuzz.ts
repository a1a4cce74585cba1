import type { InjectOptions } from 'fastify'
import { aWorld, type TestSchool, type World } from '../../support/world.ts'
import { type FuzzedRequest, mutate } from './mutate.ts'
import { Random } from './random.ts'
import { recordSeeds, type Seed } from './seeds.ts'

export interface Finding {
  readonly surface: string
  readonly what: string
  readonly request: FuzzedRequest
  readonly status: number
  readonly answer: string
}

export interface SurfaceCount {
  readonly surface: string
  inputs: number
  /** By hundreds: 2xx, 3xx, 4xx, and the 503 of a queue that is full. */
  readonly statuses: Record<string, number>
  longest: number
}

export interface FuzzReport {
  readonly counts: readonly SurfaceCount[]
  readonly findings: readonly Finding[]
}

/** Stands in rows of another school, and must never be told here. */
const OTHER = 'only-for-the-other-school'

/** Traces, statements and what is stored of secrets. */
const LEAKS: readonly (readonly [what: string, mark: RegExp])[] = [
  ['a stack trace', /node_modules\/|\bat [^\s(]+ \((?:file|node|\/)|\/src\/[\w/-]+\.tsx?:\d/],
  [
    'a statement',
    /\b(?:select|insert into|update) [^<]{0,80}\bschool_id\b|syntax error at or near/i,
  ],
  ['a password hash', /\$argon2id\$/],
  ['the installation secret', /a secret for tests that is long enough/],
  ['a row of another school', new RegExp(OTHER)],
]

/** Sign-ins and requests for a password hash on purpose slowly, so few of them are sent. */
const SLOW = /^\/(sign-in|account\/password|forgotten-password|reset-password)/
const SLOW_PART = 0.02

/** Longer than any page, list or export of so small a school; an error is far shorter. */
const LONGEST_ANSWER = 2_000_000
const LONGEST_ERROR = 150_000

const AT_ONCE = 8

/**
 * Sends mutated requests to every surface of the real application. The same seed sends the same
 * requests to the same honest ones. Send some thousands at most: the requests remove the people and
 * tokens of the world.
 */
export async function fuzz(inputs: number, seed: number): Promise<FuzzReport> {
  const random = new Random(seed)
  const counts = new Map<string, SurfaceCount>()
  const findings: Finding[] = []
  const world = await aWorld({ limits: NO_LIMITS })
  const school = await world.aSchool({ mcpConnections: true })
  await markOther(world)
  const seeds = await recordSeeds(world, school)
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, lane) => {
      for (let n = lane; n < inputs; n += AT_ONCE) {
        const finding = await send(world, pick(seeds, random), random, counts)
        if (finding !== undefined) findings.push(finding)
      }
    }),
  )
  await world.app.close()
  await world.database.close()
  return { counts: [...counts.values()], findings }
}

const NO_LIMITS = {
  tokenPerSecond: 1e9,
  registrationPerMinute: 1e9,
  documentPerMinute: 1e9,
  toolCallsPerMinute: 1e9,
  apiCallsPerMinute: 1e9,
}

async function markOther(world: World): Promise<TestSchool> {
  const other = await world.aSchool()
  const row = { id: crypto.randomUUID(), slug: OTHER, title: OTHER }
  const published = { state: 'published' as const, published_at: new Date() }
  await other.db.insert('posts', { ...row, body: OTHER, ...published }).execute()
  await other.db
    .insert('courses', { ...row, description: OTHER, currency: 'USD', ...published })
    .execute()
  return other
}

function pick(seeds: readonly Seed[], random: Random): Seed {
  const surface = random.pick([...new Set(seeds.map((one) => one.surface))])
  for (;;) {
    const found = random.pick(seeds.filter((one) => one.surface === surface))
    const isSlow = found.method === 'POST' && SLOW.test(found.url)
    if (!isSlow || random.chance(SLOW_PART)) return found
  }
}

async function send(
  world: World,
  seed: Seed,
  random: Random,
  counts: Map<string, SurfaceCount>,
): Promise<Finding | undefined> {
  const request = mutate(seed, random)
  const { surface } = seed
  const answer = await world.app.inject(request as InjectOptions).catch((error: unknown) => error)
  const count = counts.get(surface) ?? { surface, inputs: 0, statuses: {}, longest: 0 }
  counts.set(surface, count)
  count.inputs += 1
  if (answer instanceof Error || typeof answer !== 'object' || answer === null) {
    return { surface, what: `no answer: ${answer}`, request, status: 0, answer: '' }
  }
  const { statusCode, body, headers } = answer as {
    statusCode: number
    body: string
    headers: object
  }
  const group = statusCode === 503 ? '503' : `${Math.floor(statusCode / 100)}xx`
  count.statuses[group] = (count.statuses[group] ?? 0) + 1
  count.longest = Math.max(count.longest, body.length)
  const what = whatIsWrong(statusCode, body, JSON.stringify(headers), request)
  return what === undefined
    ? undefined
    : { surface, what, request, status: statusCode, answer: body.slice(0, 500) }
}

function whatIsWrong(
  status: number,
  body: string,
  headers: string,
  request: FuzzedRequest,
): string | undefined {
  // A queue that is full says so; with eight requests at once only imports are ever full.
  const isDeliberate = status === 503 && headers.includes('"retry-after"')
  if (status >= 500 && !isDeliberate) return `status ${status}`
  if (body.includes('"code":-32603') || body.includes('fault on its side'))
    return 'a fault in a tool'
  if (body.includes('Something went wrong on our side')) return 'a fault in the Member API'
  if (body.length > (status < 400 ? LONGEST_ANSWER : LONGEST_ERROR)) return 'a long answer'
  const sent = `${request.url} ${JSON.stringify(request.headers)} ${request.payload ?? ''}`
  for (const [what, mark] of LEAKS) {
    const told = mark.exec(body)?.[0] ?? mark.exec(headers)?.[0]
    if (told !== undefined && !sent.includes(told)) return `${what}: ${told}`
  }
  return undefined
}
