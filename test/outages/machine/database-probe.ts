import pg from 'pg'
import type { Place } from './place.ts'

const EVERY_MS = 100
const PATIENCE_MS = 1000

interface Try {
  readonly startedAt: number
  readonly endedAt: number
  readonly isWritten: boolean
}

/**
 * Writes to the database all the time over the road that a server uses, each time on a new
 * connection. So it tells when the database was back, independently of the server.
 */
export class DatabaseProbe {
  readonly #tries: Try[] = []
  readonly #roads: () => Promise<readonly pg.ClientConfig[]>

  private constructor(roads: () => Promise<readonly pg.ClientConfig[]>) {
    this.#roads = roads
  }

  /** With several roads one that accepts the write is enough. */
  static async start(
    place: Place,
    roads: () => Promise<readonly pg.ClientConfig[]>,
  ): Promise<DatabaseProbe> {
    const probe = new DatabaseProbe(roads)
    await probe.#any(
      'create schema if not exists hold; create table if not exists hold.probe (at timestamptz default now())',
      10_000,
    )
    const timer = setInterval(() => void probe.#try(), EVERY_MS)
    place.whenDone(async () => clearInterval(timer))
    return probe
  }

  /**
   * When a write was first confirmed after the last one that failed; undefined while it is away.
   */
  backAt(since: number): number | undefined {
    const tries = this.#tries.filter(({ startedAt }) => startedAt >= since)
    const failed = Math.max(since, ...tries.flatMap((one) => (one.isWritten ? [] : one.startedAt)))
    const after = tries.filter(({ startedAt, isWritten }) => isWritten && startedAt > failed)
    return after.length === 0 ? undefined : Math.min(...after.map(({ endedAt }) => endedAt))
  }

  /** Whether a write failed since this time. */
  wasAway(since: number): boolean {
    return this.#tries.some(({ startedAt, isWritten }) => startedAt >= since && !isWritten)
  }

  async #try(): Promise<void> {
    const startedAt = Date.now()
    const isWritten = await this.#any('insert into hold.probe default values', PATIENCE_MS).then(
      () => true,
      () => false,
    )
    this.#tries.push({ startedAt, endedAt: Date.now(), isWritten })
  }

  async #any(sql: string, withinMs: number): Promise<void> {
    const roads = await this.#roads()
    await Promise.any(roads.map((road) => write(road, sql, withinMs)))
  }
}

async function write(road: pg.ClientConfig, sql: string, withinMs: number): Promise<void> {
  const client = new pg.Client({
    ...road,
    connectionTimeoutMillis: withinMs,
    query_timeout: withinMs,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(sql)
  } finally {
    // It never resolves on a connection that fell silent.
    void client.end().catch(() => undefined)
  }
}
