/** The outcome of a request that is refused here, for log and metrics. */
export const OVERLOADED = 'overloaded'

export interface LineSettings {
  /** For how long one turn of the event loop begins requests. */
  readonly turnMs: number
  /** A request that has waited for longer is refused. */
  readonly waitMs: number
  /** Further requests of one school are refused at once. */
  readonly waiting: number
  readonly now: () => number
  /** Calls back when this turn has read every connection. */
  readonly atTurnEnd: (callback: () => void) => void
}

export const LINE: LineSettings = {
  turnMs: 2,
  waitMs: 1_000,
  waiting: 5_000,
  now: () => performance.now(),
  atTurnEnd: setImmediate,
}

interface Waiter {
  readonly since: number
  readonly begin: () => void
  readonly refuse: () => void
}

/**
 * Where requests wait while there are more than this process can answer.
 *
 * The event loop takes turns. In each it reads all connections on which something has arrived, and accepts one new
 * connection. If every request began as soon as it is read, turns would grow with the number of connections, and whatever
 * needs a turn, such as a health check or an answer of the database, would wait longer and longer. So a turn begins requests
 * for a few milliseconds, and further ones wait here. Schools take turns. A request that has waited too long is refused, which
 * costs much less than to serve it.
 *
 * It does not count requests that run: a client that sends or reads slowly would hold a place as long as it likes.
 */
export class RequestLine {
  readonly #settings: LineSettings
  /** By school. The one that comes next is first; after its turn it goes to the end. */
  readonly #lines = new Map<string, Waiter[]>()
  /** When this turn began its first request. */
  #begunAt: number | undefined

  constructor(settings: Partial<LineSettings> = {}) {
    this.#settings = { ...LINE, ...settings }
  }

  /** Calls either `begin` or `refuse`, at once or in a later turn. */
  enter(school: string, begin: () => void, refuse: () => void): void {
    const now = this.#settings.now()
    if (this.#begunAt === undefined) this.#beginTurn(now)
    else if (this.#lines.size > 0 || now - this.#begunAt > this.#settings.turnMs) {
      this.#wait(school, { since: now, begin, refuse })
      return
    }
    begin()
  }

  /** Waits for its turn; false if the request is to be refused. */
  hasTurn(school: string): Promise<boolean> {
    return new Promise((resolve) => {
      this.enter(
        school,
        () => resolve(true),
        () => resolve(false),
      )
    })
  }

  #beginTurn(now: number): void {
    this.#begunAt = now
    this.#settings.atTurnEnd(this.#nextTurn)
  }

  #wait(school: string, waiter: Waiter): void {
    const line = this.#lines.get(school)
    if (line === undefined) this.#lines.set(school, [waiter])
    else if (line.length < this.#settings.waiting) line.push(waiter)
    else waiter.refuse()
  }

  readonly #nextTurn = (): void => {
    this.#begunAt = undefined
    if (this.#lines.size === 0) return
    const { turnMs, waitMs, now: clock } = this.#settings
    let now = clock()
    this.#beginTurn(now)
    const until = now + turnMs
    for (const [school, line] of this.#lines) {
      const next = line.shift()
      this.#lines.delete(school)
      // At the end; this loop comes by again.
      if (line.length > 0) this.#lines.set(school, line)
      if (next === undefined) continue
      if (now - next.since > waitMs) next.refuse()
      else next.begin()
      now = clock()
      if (now > until) return
    }
  }
}
