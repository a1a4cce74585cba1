import { execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { readClocks } from '../../bench/measure/cpu.ts'
import { freePort, RunningServer } from '../faults/support/running-server.ts'
import { DemoVisitor } from './demo-visitor.ts'
import { overloadOf } from './report/overload.ts'

/** Of one status, in milliseconds. */
interface Answers {
  /** In a second that the machine's host left to the core of the server. */
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly most: number
}

export interface Load {
  readonly connections: number
  /** Good answers in all, warm-up included. */
  readonly good: number
  /** Until each connection had its first answer. */
  readonly openingSeconds: number
  readonly answers: Readonly<Record<number, Answers>>
  /** Percent of a core that the load generator used: near 100 it measures itself. */
  readonly ownCpu: number
  /** Percent of the time in which the machine's host ran others instead of the server. */
  readonly stolenPercent: number
  readonly retryAfterMissing: number
  readonly oddities: readonly string[]
  readonly megabytes: number
  /**
   * Microseconds of CPU for each good answer, refusals included: tells more than its inverse on a
   * busy machine.
   */
  readonly cpu: { readonly node: number; readonly postgres: number }
}

export interface OverloadFigures {
  readonly kind: string
  readonly loads: readonly Load[]
  /**
   * Good answers in a second: with the fewest connections that suffice for nine tenths of the most,
   * with four times as many, and with the first number again. Each is compared with what was
   * measured just before and after it.
   */
  readonly peak: number
  readonly atFourTimes: number
  readonly afterwards: number
}

interface Kind {
  readonly name: string
  readonly chain?: boolean
  /** The status of a good answer. */
  readonly expect?: number
  readonly requests: readonly { readonly head: string; readonly body: string }[]
}

export interface OverloadOptions {
  /** Without it, all. */
  readonly kinds?: readonly string[] | undefined
  readonly seconds?: number
  readonly connections?: readonly number[] | undefined
  /** The folder with the build that is measured. */
  readonly folder?: string | undefined
}

const CONNECTIONS = [16, 64, 256, 1024]
/** Together a pair for each connection. */
const AUTHORIZATIONS = 16
const SIBLINGS = 64
const SERVER_CORE = 0
const LOAD_CORE = 1
/** Until V8 has compiled what is hot. */
const WARM_ANSWERS = 3_000
const MOST_WARM_UPS = 6
const ROUNDS = 5

/** No rate limits, because here one client sends all requests. */
const UNLIMITED = {
  TOKEN_RATE_PER_SECOND: '100000',
  TOOL_CALL_RATE_PER_MINUTE: '100000',
  API_CALL_RATE_PER_MINUTE: '1000000',
  MEMBER_API_COST_PER_MINUTE: '999999999',
}

/**
 * Measures each kind of request with more and more connections, whose clients never pause: the
 * server and its PostgreSQL on one core, the load on another one.
 */
export async function measureOverload({
  kinds,
  seconds = 3,
  connections = CONNECTIONS,
  folder,
}: OverloadOptions = {}): Promise<readonly OverloadFigures[]> {
  const data = await mkdtemp(join(tmpdir(), 'schoolgate-overload-'))
  await chmod(data, 0o755)
  const env = { SCHOOLGATE_DATA_DIR: data, ...UNLIMITED }
  const server = new RunningServer(await freePort(), env, folder)
  // Before it starts PostgreSQL, which inherits the core.
  execFileSync('taskset', ['-a', '-c', '-p', String(SERVER_CORE), String(server.process.pid)], {
    stdio: 'ignore',
  })
  try {
    await server.ready()
    const figures: OverloadFigures[] = []
    const ada = await DemoVisitor.signedIn(server, 'ada@demo.test')
    for (const [name, prepare] of Object.entries(KINDS)) {
      if (kinds !== undefined && !kinds.includes(name)) continue
      const kind = { name, ...(await prepare(server, ada)) }
      figures.push(await measureKind(server, kind, connections, seconds))
    }
    return figures
  } finally {
    await server.stop()
    await rm(data, { recursive: true, force: true })
  }
}

/** Prints a table; 1 if throughput was lost, or did not come back. */
export async function overload(kinds: readonly string[]): Promise<0 | 1> {
  const figures = await measureOverload(kinds.length === 0 ? {} : { kinds })
  const lines = figures.flatMap(({ kind, loads }) => loads.map((load) => rowOf(kind, load)))
  process.stdout.write(`${[...HEAD, ...lines].join('\n')}\n`)
  const { problems } = overloadOf(figures, '')
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  for (const { kind, peak, atFourTimes, afterwards } of figures) {
    const rates = [peak, atFourTimes, afterwards].map(Math.round)
    process.stdout.write(`${kind}: ${rates.join(' a second, then ')}\n`)
  }
  return problems.length === 0 ? 0 : 1
}

const HEAD = [
  '| requests | connections | all served once after s | good a second | p50 ms | p99 ms | 503 a second | CPU µs | stolen % | MB |',
  '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
]

function rowOf(
  kind: string,
  { connections, openingSeconds, answers, cpu, stolenPercent, megabytes }: Load,
): string {
  const good = answers[200] ?? answers[303]
  const refused = answers[503]?.perSecond ?? 0
  const cells = [kind, connections, openingSeconds, good?.perSecond, good?.p50, good?.p99, refused]
  return `| ${[...cells, cpu.node + cpu.postgres, stolenPercent, megabytes].join(' | ')} |`
}

async function measureKind(
  server: RunningServer,
  kind: Kind,
  numbers: readonly number[],
  seconds: number,
): Promise<OverloadFigures> {
  const good = ({ answers }: Load): number => answers[kind.expect ?? 200]?.perSecond ?? 0
  for (let n = 0, sum = 0; n < MOST_WARM_UPS && sum < WARM_ANSWERS; n++) {
    sum += (await load(server, kind, 16, seconds)).good
  }
  const loads: Load[] = []
  for (const connections of numbers) {
    loads.push(await load(server, kind, connections, seconds))
  }
  const most = Math.max(...loads.map(good))
  // More connections than these only wait.
  const fewest = loads.find((load) => good(load) >= 0.9 * most)?.connections ?? 16
  // In turn, because the machine is faster at one moment than at another.
  const [before, during]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    for (const [figures, connections] of [
      [before, fewest],
      [during, 4 * fewest],
    ] as const) {
      const measured = await load(server, kind, connections, seconds)
      figures.push(good(measured))
      loads.push(measured)
    }
  }
  const last = await load(server, kind, fewest, seconds)
  const after = [...before.slice(1), good(last)]
  const peak = median(before)
  return {
    kind: kind.name,
    loads: [...loads, last],
    peak,
    atFourTimes:
      peak * median(during.map((rate, i) => (2 * rate) / (at(before, i) + at(after, i)))),
    afterwards: peak * median(after.map((rate, i) => rate / at(before, i))),
  }
}

function median(numbers: readonly number[]): number {
  return at(
    numbers.toSorted((a, b) => a - b),
    Math.floor(numbers.length / 2),
  )
}

const at = (numbers: readonly number[], index: number) => numbers[index] ?? Number.NaN

async function load(
  server: RunningServer,
  kind: Kind,
  connections: number,
  seconds: number,
): Promise<Load> {
  const program = fileURLToPath(new URL('./load.mjs', import.meta.url))
  const child = spawn('taskset', ['-c', String(LOAD_CORE), process.execPath, program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const { requests, chain = false, expect = 200 } = kind
  const before = cpuOf(server)
  const orders = {
    port: server.port,
    connections,
    seconds,
    serverCore: SERVER_CORE,
    warmUpSeconds: 1,
    chain,
    expect,
    requests,
  }
  child.stdin.end(JSON.stringify(orders))
  const { allGood: good, ...figures } = JSON.parse(await text(child.stdout))
  const after = cpuOf(server)
  const measured: Load = {
    connections,
    good,
    ...figures,
    cpu: {
      node: Math.round((after.node - before.node) / good),
      postgres: Math.round((after.postgres - before.postgres) / good),
    },
    megabytes: residentMegabytes(server),
  }
  process.stderr.write(`${kind.name} ${JSON.stringify(measured)}\n`)
  return measured
}

function cpuOf({ process: { pid = 0 } }: RunningServer) {
  const all = readClocks(pid)
  const node = all.get(pid) ?? 0
  return { node, postgres: [...all.values()].reduce((sum, time) => sum + time, -node) }
}

function residentMegabytes({ process: { pid } }: RunningServer): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const JSON_BODY = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

type Prepare = (server: RunningServer, ada: DemoVisitor) => Promise<Omit<Kind, 'name'>>

const bearer = async (ada: DemoVisitor) => ({
  authorization: `Bearer ${(await ada.aPair()).access_token}`,
})

const get =
  (path: string, headersOf: (ada: DemoVisitor) => Promise<Record<string, string>>): Prepare =>
  async (server, ada) => ({
    requests: [{ head: headOf(server, 'GET', path, await headersOf(ada)), body: '' }],
  })

const postJson =
  (path: string, body: object, headersOf: (ada: DemoVisitor) => Promise<object>): Prepare =>
  async (server, ada) => {
    const head = headOf(server, 'POST', path, { ...JSON_BODY, ...(await headersOf(ada)) })
    return { requests: [{ head, body: JSON.stringify(body) }] }
  }

const KINDS: Readonly<Record<string, Prepare>> = {
  discovery: get('/.well-known/oauth-authorization-server', async () => ({})),
  page: get('/', async () => ({ accept: 'text/html' })),
  UserInfo: get('/api/oauth/userinfo', bearer),
  'Member API': postJson(
    '/member/graphql',
    { query: '{ viewer { id name enrolledCourses(first: 3) { nodes { id title } } } }' },
    bearer,
  ),
  'tools/list': postJson(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    async () => ({}),
  ),
  /** Each connection refreshes a pair of its own, again and again. */
  async refresh(server, ada) {
    const head = headOf(server, 'POST', '/api/oauth/token', FORM)
    const bodies: string[] = []
    for (let n = 0; n < AUTHORIZATIONS; n++) {
      const { refresh_token } = await ada.aPair()
      const grant = { grant_type: 'refresh_token', refresh_token, client_id: 'demo-public' }
      const form = { ...grant, resource: `http://localhost:${server.port}` }
      for (let sibling = 0; sibling < SIBLINGS; sibling++) {
        const answer = await server.ask('/api/oauth/token', { form })
        const { refresh_token } = JSON.parse(answer.body)
        bodies.push(new URLSearchParams({ ...form, refresh_token }).toString())
      }
    }
    return { chain: true, requests: bodies.map((body) => ({ head, body })) }
  },
  async 'sign-in'(server) {
    const { cookie, form } = await DemoVisitor.signInForm(server, 'ben@demo.test')
    const headers = { ...FORM, cookie, origin: `http://localhost:${server.port}` }
    const head = headOf(server, 'POST', '/sign-in', headers)
    return { expect: 303, requests: [{ head, body: new URLSearchParams(form).toString() }] }
  },
}

function headOf(
  { port }: RunningServer,
  method: string,
  path: string,
  headers: Record<string, string>,
): string {
  const lines = Object.entries({ host: `localhost:${port}`, ...headers })
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}`
}
