import { performance } from 'node:perf_hooks'
import { Client } from 'undici'
import { type HttpRequest, type Lane, lanesOf, type Play } from '../play.ts'
import { machineMicroseconds, readClocks, usedBetween } from './cpu.ts'

/** The figures of one contender in one round. */
export interface Round {
  readonly requests: number
  readonly failures: number
  readonly firstFailure: string | undefined
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Microseconds of CPU per request. */
  readonly node: number
  readonly postgres: number
  readonly statements: number
  /** Share of the machine that other processes used meanwhile. */
  readonly elsewhere: number
}

export interface Target {
  readonly port: number
  readonly pid: number
  /** The number of statements sent to PostgreSQL so far. */
  countStatements(): Promise<number>
}

/** A round ends after this number of requests or this time. */
export interface RoundSettings {
  readonly requests: number
  readonly milliseconds: number
  readonly lanes: number
}

/** Sends the requests of a round and reads the CPU times of all processes before and after. */
export async function playRound(
  target: Target,
  play: Play,
  settings: RoundSettings,
  postgresPid: number,
): Promise<Round> {
  const read = async () => ({
    statements: await target.countStatements(),
    node: readClocks(target.pid),
    postgres: readClocks(postgresPid),
    self: process.cpuUsage(),
    machine: machineMicroseconds(),
    at: performance.now(),
  })
  // Connections are opened before the CPU times are read and closed after: a round is short, and
  // with a thousand connections every second request would open one, unlike real clients.
  const connections = await openConnections(target.port, settings.lanes)
  const before = await read()
  const { latencies, failures, firstFailure } = await send(connections, play, settings)
  const after = await read()
  await Promise.all(connections.map((client) => client.close()))
  const requests = latencies.length
  const seconds = (after.at - before.at) / 1000
  const node = usedBetween(before.node, after.node)
  const database = usedBetween(before.postgres, after.postgres)
  const self = after.self.user - before.self.user + after.self.system - before.self.system
  const others = Math.max(0, after.machine - before.machine - node - database - self)
  latencies.sort((a, b) => a - b)
  return {
    requests,
    failures,
    firstFailure,
    perSecond: requests / seconds,
    p50: latencies[Math.floor(requests * 0.5)] ?? Number.NaN,
    p99: latencies[Math.floor(requests * 0.99)] ?? Number.NaN,
    node: node / requests,
    postgres: database / requests,
    statements: (after.statements - before.statements) / requests,
    elsewhere: others / (seconds * 1e6),
  }
}

interface Sent {
  readonly latencies: number[]
  failures: number
  firstFailure: string | undefined
}

/** In groups that fit into the backlog of a listening socket. */
async function openConnections(port: number, count: number): Promise<readonly Client[]> {
  const opened: Client[] = []
  while (opened.length < count) {
    const group = Array.from({ length: Math.min(100, count - opened.length) }, async () => {
      const client = new Client(`http://127.0.0.1:${port}`, { pipelining: 1 })
      // The status does not matter: the connection stays open.
      const { body } = await client.request({ method: 'GET', path: '/healthz' })
      await body.dump()
      return client
    })
    opened.push(...(await Promise.all(group)))
  }
  return opened
}

async function send(
  connections: readonly Client[],
  play: Play,
  settings: RoundSettings,
): Promise<Sent> {
  const sent: Sent = { latencies: [], failures: 0, firstFailure: undefined }
  const until = performance.now() + settings.milliseconds
  let left = settings.requests
  const goesOn = () => left-- > 0 && performance.now() < until
  const lanes = lanesOf(play, connections.length)
  await Promise.all(connections.map((client, n) => drive(lanes[n], client, play, goesOn, sent)))
  return sent
}

/** A lost connection counts as a failed request. */
async function ask(client: Client, { method, path, headers, body }: HttpRequest) {
  try {
    const answer = await client.request({ method, path, headers, body: body ?? null })
    return { status: answer.statusCode, text: await answer.body.text() }
  } catch (error) {
    return { status: 0, text: String(error) }
  }
}

/** One connection, one request at a time. */
async function drive(
  lane: Lane | undefined,
  client: Client,
  play: Play,
  goesOn: () => boolean,
  sent: Sent,
): Promise<void> {
  while (goesOn()) {
    const request = lane?.next()
    if (request === undefined) break
    const start = performance.now()
    const { status, text } = await ask(client, request)
    sent.latencies.push(performance.now() - start)
    if (status === play.expect && text.includes(play.contains ?? '')) lane?.learn(text)
    else {
      sent.failures++
      sent.firstFailure ??= `${status} ${text.slice(0, 300)}`
    }
  }
}
