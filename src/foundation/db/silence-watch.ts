import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { ClosableClient } from './closable-client.ts'
import { type ConnectionSettings, onUsableHost } from './hosts.ts'
import { requirePrimary } from './primary.ts'
import { TIME_OUTS } from './time-outs.ts'
import { DatabaseUnavailableError } from './unavailable.ts'

/** What a connection does. `held`: a caller has it, but no statement runs. */
export type ConnectionState = 'idle' | 'held' | 'waiting'

export interface SilencePace {
  /** How often connections are looked at. */
  readonly lookMs: number
  /** Silence of a connection with a statement, before PostgreSQL is asked about it. */
  readonly doubtMs: number
  /** How often a PostgreSQL that does not answer is tried again. */
  readonly retryMs: number
}

export interface SilenceSettings {
  /** For the connection that asks. */
  readonly connection: ConnectionSettings
  /** How long PostgreSQL may take to accept a connection and to answer on it. */
  readonly answerMs: number
  readonly pace?: Partial<SilencePace> | undefined
  /** PostgreSQL does not answer any more. */
  readonly onAway: (error: Error) => void
}

interface Watched {
  readonly state: () => ConnectionState
  /** PostgreSQL ends every statement before this. */
  readonly limitMs: number
  bytesRead: number
  waitingSince: number | undefined
  /** The silence after which PostgreSQL is asked again. */
  doubtMs: number
}

/**
 * Finds connections on which no answer will come, because the other end vanished without closing
 * them: a machine that lost its power or its network, a firewall that forgot a connection, a
 * PostgreSQL that hangs.
 *
 * A silent connection may just as well have a long statement. So PostgreSQL is asked over a new
 * connection:
 * - It works for the silent connection: that one keeps waiting, up to its limit.
 * - It does not: the connection is dead and is closed. So are idle ones, which probably met the
 *   same fate.
 * - It does not answer, and no other connection hears anything: PostgreSQL is away. All connections
 *   are closed, and all statements fail at once until it answers again (a circuit breaker).
 *
 * One timer looks at all connections, because a timer for each statement would cost more.
 */
export class SilenceWatch {
  readonly #settings: SilenceSettings
  readonly #pace: SilencePace
  readonly #connections = new Map<ClosableClient, Watched>()
  readonly #timer: NodeJS.Timeout
  /** When any connection last got an answer or was opened. */
  #heardAt = performance.now()
  #isAsking = false
  #isAway = false
  #ended = false

  constructor(settings: SilenceSettings) {
    this.#settings = settings
    this.#pace = { ...TIME_OUTS.silence, ...settings.pace }
    // After this turn's answers were read: if our own process was late, PostgreSQL was not silent.
    this.#timer = setInterval(() => setImmediate(() => this.#look()), this.#pace.lookMs)
    this.#timer.unref()
  }

  /** From when it is open until it ends. */
  add(client: ClosableClient, state: () => ConnectionState, limitMs: number): void {
    const { bytesRead } = client.socket
    const { doubtMs } = this.#pace
    this.#connections.set(client, { state, limitMs, bytesRead, waitingSince: undefined, doubtMs })
    client.once('end', () => this.#connections.delete(client))
    this.#heardAt = performance.now()
    this.#isAway = false
  }

  refuseIfAway(): void {
    if (!this.#isAway) return
    throw new DatabaseUnavailableError('PostgreSQL does not answer; try again later', '')
  }

  /**
   * A connection that was begun at this time could not be opened in time. Wait until that is
   * judged.
   */
  async couldNotOpen(begunAt: number): Promise<void> {
    // After this turn's answers were read, as above.
    await nextTurn()
    this.#look()
    if (this.#heardAt < begunAt) this.#becomeAway()
  }

  async end(): Promise<void> {
    this.#ended = true
    clearInterval(this.#timer)
    await Promise.all([...this.#connections.keys()].map((client) => client.close()))
  }

  #look(): void {
    if (this.#ended) return
    const now = performance.now()
    const doubtful: ClosableClient[] = []
    for (const [client, watched] of this.#connections) {
      const { bytesRead } = client.socket
      const isHeard = bytesRead !== watched.bytesRead
      if (isHeard) this.#heardAt = now
      watched.bytesRead = bytesRead
      if (watched.state() !== 'waiting') watched.waitingSince = undefined
      else if (isHeard || watched.waitingSince === undefined) {
        watched.waitingSince = now
        watched.doubtMs = this.#pace.doubtMs
      } else if (now - watched.waitingSince >= watched.limitMs) client.giveUp()
      else if (now - watched.waitingSince >= watched.doubtMs) doubtful.push(client)
    }
    if (doubtful.length > 0 && !this.#isAsking) void this.#askAbout(doubtful)
  }

  async #askAbout(doubtful: readonly ClosableClient[]): Promise<void> {
    this.#isAsking = true
    const askedAt = performance.now()
    const silent = this.#snapshot()
    // A long statement is asked about less and less often.
    for (const client of doubtful) {
      const watched = this.#connections.get(client)
      if (watched !== undefined) watched.doubtMs *= 2
    }
    const answer = await this.#ask(doubtful.map(({ applicationName }) => applicationName))
    // What PostgreSQL answered meanwhile may still be on its way.
    await sleep(this.#pace.lookMs, undefined, { ref: false })
    this.#isAsking = false
    if (answer === undefined) {
      await this.couldNotOpen(askedAt)
      return
    }
    const { running } = answer
    if (running === undefined) return
    const unheard = silent.filter(
      ({ client, bytesRead }) =>
        client.socket.bytesRead === bytesRead && !running.has(client.applicationName),
    )
    const dead = unheard.filter(({ client }) => doubtful.includes(client))
    if (dead.length === 0) return
    for (const { client } of unheard) {
      const isIdle = this.#connections.get(client)?.state() === 'idle'
      if (isIdle || doubtful.includes(client)) client.giveUp()
    }
  }

  #snapshot() {
    return [...this.#connections.keys()].map((client) => ({
      client,
      bytesRead: client.socket.bytesRead,
    }))
  }

  #ask(names: readonly string[]) {
    return askAnew(this.#settings.connection, names, this.#settings.answerMs)
  }

  #becomeAway(): void {
    if (this.#isAway || this.#ended) return
    this.#isAway = true
    this.#settings.onAway(new Error('PostgreSQL does not answer: all its connections are closed'))
    for (const client of this.#connections.keys()) client.giveUp()
    void this.#waitForAnswer()
  }

  /** Tries overlap: one that began just before PostgreSQL came back may never be answered. */
  async #waitForAnswer(): Promise<void> {
    while (this.#isAway && !this.#ended) {
      void this.#ask([]).then((answer) => {
        if (answer !== undefined) this.#isAway = false
      })
      await sleep(this.#pace.retryMs, undefined, { ref: false })
    }
  }
}

/** By name and not by process: behind a pooler, the process may run something else by now. */
const RUNNING = `
  select application_name as name from pg_stat_activity
  where datname = current_database() and application_name = any($1) and state = 'active'`

/** Undefined if no primary answered. */
export type Answer = { readonly running?: ReadonlySet<string> } | undefined

/**
 * Asks PostgreSQL over a new connection which of our connections it works for. An error is an
 * answer too: one that has no connection left is alive.
 */
async function askAnew(
  connection: ConnectionSettings,
  names: readonly string[],
  withinMs: number,
): Promise<Answer> {
  try {
    return await onUsableHost(connection, () => ask(connection, names, withinMs))
  } catch (error) {
    return error instanceof pg.DatabaseError ? {} : undefined
  }
}

async function ask(connection: ConnectionSettings, names: readonly string[], withinMs: number) {
  const client = new ClosableClient({ ...connection, application_name: 'schoolgate probe' })
  // The statement that runs is rejected with the same error.
  client.on('error', () => undefined)
  const timer = setTimeout(() => client.giveUpOpening(), withinMs)
  try {
    await client.connect()
    await requirePrimary(client, withinMs)
    const own = client.applicationName
    const { rows } = await client.query<{ name: string }>(RUNNING, [[own, ...names]])
    const running = new Set(rows.map(({ name }) => name))
    // A pooler, or a setting of the server, may hide names: what is not shown may run all the same.
    return running.has(own) ? { running } : {}
  } finally {
    clearTimeout(timer)
    void client.close()
  }
}
