import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import type { DatabaseAddress } from '../../../src/foundation/db/embedded/embedded-postgres.ts'

/** What the server is like at one time. */
export interface Sample {
  /** Since the start of the soak. */
  readonly minutes: number
  readonly memoryMegabytes: number
  /** What was left after the last collection of garbage. */
  readonly heldMegabytes: number
  readonly descriptors: number
  /** 99th percentile since the sample before. */
  readonly eventLoopDelayMs: number
  /** The same of a thread that does nothing: what the machine is late by itself. */
  readonly machineDelayMs: number
  readonly backends: number
  /** Requests a second since the sample before. */
  readonly requests: number
}

export type Figure = Exclude<keyof Sample, 'minutes'>

interface Server {
  readonly pid: number
  readonly metricsPort: number
  readonly database: DatabaseAddress
  /** Written by collect-garbage.mjs. */
  readonly heldFile: string
  readonly idle: Worker
}

export const startIdleThread = (): Worker =>
  new Worker(new URL('./idle-thread.mjs', import.meta.url))

export async function look({ pid, metricsPort, database, heldFile, idle }: Server) {
  const metrics = await fetch(`http://127.0.0.1:${metricsPort}/metrics`)
  const text = await metrics.text()
  return {
    memoryMegabytes: gauge(text, 'process_resident_memory_bytes') / 2 ** 20,
    heldMegabytes: Number(readFileSync(heldFile, 'utf8')) / 2 ** 20,
    eventLoopDelayMs: gauge(text, 'nodejs_eventloop_lag_seconds{quantile="0.99"}') * 1000,
    machineDelayMs: await delayOf(idle),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    backends: await countBackends(database),
  }
}

async function delayOf(idle: Worker): Promise<number> {
  idle.postMessage('look')
  const [milliseconds] = await once(idle, 'message')
  return milliseconds
}

/** The value of a line of Prometheus' text format. */
export function gauge(text: string, name: string): number {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  if (line === undefined) throw new Error(`/metrics has no ${name}`)
  return Number(line.slice(name.length + 1))
}

async function countBackends({ host, port, user, password, database }: DatabaseAddress) {
  const client = new pg.Client({ host, port, user, password, database })
  await client.connect()
  try {
    const { rows } = await client.query<{ backends: number }>(
      `select count(*)::int as backends from pg_stat_activity
       where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    )
    return rows[0]?.backends ?? 0
  } finally {
    await client.end()
  }
}
