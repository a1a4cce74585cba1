import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The outcome of a request that is refused here, for log and metrics. */
export const OVERLOADED = 'overloaded'

/** Whose line a request joins. */
export interface Entrant {
  /** Empty for requests of no school. */
  readonly school: string
  /** What is told of the caller before it is proven: whether a credential was sent. */
  readonly isStranger: boolean
}

export interface LineSettings {
  /**
   * How long a turn of the event loop may take, with all that it does for the requests that it
   * begins.
   */
  readonly turnMs: number
  /** A request that has waited for longer is refused. */
  readonly waitMs: number
  /** Further requests of one line are refused at once. */
  readonly waiting: number
  /** Whether a request would only wait further inside, because many before it do. */
  readonly isCrowded: (entrant: Entrant) => boolean
  readonly now: () => number
  /** Calls back when this turn has read every connection. */
  readonly atTurnEnd: (callback: () => void) => void
  /** Calls back soon, while the event loop may rest. */
  readonly afterPause: (callback: () => void) => void
}

export const LINE: LineSettings = {
  turnMs: 10,
  waitMs: 2_000,
  waiting: 5_000,
  isCrowded: () => false,
  now: () => performance.now(),
  atTurnEnd: setImmediate,
  afterPause: (callback) => void setTimeout(callback, 2),
}

/** Milliseconds that a request takes, before the first turns are measured. */
const FIRST_GUESS = 0.5
/** How much each turn moves the guess. */
const WEIGHT = 0.2

interface Waiter {
  readonly since: number
  readonly begin: () => void
  readonly refuse: () => void
}

interface Line {
  readonly entrant: Entrant
  readonly waiters: Waiter[]
}

/**
 * Where requests wait while there are more than this process can answer.
 *
 * The event loop takes turns. In each it reads all connections on which something has arrived, and
 * accepts one new connection. If every request began as soon as it is read, turns would grow with
 * the number of connections, and whatever needs a turn, such as a health check, a new connection or
 * an answer of the database, would wait longer and longer. So a turn begins as many requests as fit
 * into some milliseconds, judged by what the last turns took, and further ones wait here.
 *
 * While many statements of a school wait for the database, its requests wait here too: each needs
 * several statements, and would wait for every one of them.
 *
 * Each school has a line for callers with a credential and one for strangers, and lines take turns.
 * A request that has waited too long is refused, which costs much less than to serve it.
 *
 * It does not count requests that run: a client that sends or reads slowly would hold a place as
 * long as it likes.
 */
export class RequestLine {
  readonly #settings: LineSettings
  /** The one that comes next is first; after its turn it goes to the end. */
  readonly #lines = new Map<string, Line>()
  /** When this turn began. */
  #begunAt: number | undefined
  /** How many requests this turn began. */
  #begun = 0
  /** Whether this turn does nothing but work, from one end to the other. */
  #isFull = false
  /** Milliseconds that a request takes. */
  #cost = FIRST_GUESS

  constructor(settings: Partial<LineSettings> = {}) {
    this.#settings = { ...LINE, ...settings }
  }

  /** Calls either `begin` or `refuse`, at once or in a later turn. */
  enter(entrant: Entrant, begin: () => void, refuse: () => void): void {
    const { now, isCrowded, atTurnEnd } = this.#settings
    const since = now()
    if (this.#begunAt === undefined) {
      this.#begunAt = since
      atTurnEnd(this.#nextTurn)
    }
    if (this.#lines.size > 0 || this.#isOver(since) || isCrowded(entrant)) {
      this.#wait(entrant, { since, begin, refuse })
    } else {
      this.#begun++
      begin()
    }
  }

  /** Waits for its turn; false if the request is to be refused. */
  hasTurn(entrant: Entrant): Promise<boolean> {
    return new Promise((resolve) => {
      this.enter(
        entrant,
        () => resolve(true),
        () => resolve(false),
      )
    })
  }

  /** Whether this turn begins no further request. */
  #isOver(now: number): boolean {
    const { turnMs } = this.#settings
    if (this.#begunAt !== undefined && now - this.#begunAt > turnMs) return true
    return this.#begun > 0 && (this.#begun + 1) * this.#cost > turnMs
  }

  #wait(entrant: Entrant, waiter: Waiter): void {
    const name = `${entrant.isStranger ? '-' : '+'}${entrant.school}`
    const line = this.#lines.get(name)
    if (line === undefined) this.#lines.set(name, { entrant, waiters: [waiter] })
    else if (line.waiters.length < this.#settings.waiting) line.waiters.push(waiter)
    else waiter.refuse()
  }

  readonly #nextTurn = (): void => {
    const { turnMs, now, atTurnEnd, afterPause } = this.#settings
    const begunAt = now()
    if (this.#isFull && this.#begunAt !== undefined && this.#begun > 0) {
      // At most, because the machine may have stood still.
      const cost = Math.min((begunAt - this.#begunAt) / this.#begun, turnMs)
      this.#cost += WEIGHT * (cost - this.#cost)
    }
    this.#begunAt = undefined
    this.#begun = 0
    if (this.#lines.size === 0) return
    this.#begunAt = begunAt
    let isMoving = true
    try {
      isMoving = this.#move(begunAt)
    } finally {
      this.#isFull = isMoving && this.#lines.size > 0
      if (isMoving) atTurnEnd(this.#nextTurn)
      else afterPause(this.#nextTurn)
    }
  }

  /** Begins and refuses what this turn can; false if every line is crowded. */
  #move(begunAt: number): boolean {
    const { waitMs, isCrowded, now: clock } = this.#settings
    let now = begunAt
    let passedOver = 0
    for (const [name, line] of this.#lines) {
      if (passedOver === this.#lines.size) return this.#begun > 0
      this.#lines.delete(name)
      const [next] = line.waiters
      const isLate = next !== undefined && now - next.since > waitMs
      if (!isLate && isCrowded(line.entrant)) {
        passedOver++
        this.#lines.set(name, line)
        continue
      }
      passedOver = 0
      line.waiters.shift()
      // At the end; this loop comes by again.
      if (line.waiters.length > 0) this.#lines.set(name, line)
      if (isLate) next.refuse()
      else {
        this.#begun++
        next?.begin()
      }
      now = clock()
      if (this.#isOver(now)) return true
    }
    return true
  }
}

/**
 * The answers of each connection that are not finished yet. Arrays, because a Set or a Map that
 * changes with every request replaces its table again and again. V8 links each table to the next
 * one, so an old table keeps all later ones in memory, with the requests that were in them, until
 * the next collection of the whole heap.
 */
const unfinished = new WeakMap<Socket, ServerResponse[]>()

/** Whether a request of this connection is being answered. */
export function isAnswering(socket: Socket): boolean {
  return (unfinished.get(socket)?.length ?? 0) > 0
}

/**
 * Closes an answer when its connection closes. If a client sends further requests without waiting
 * for the first answer, Node closes only the answer that is being sent: the others would count as
 * running for ever, and their work would never be cancelled. Node 24 closes them as well, so a
 * listener must be ready for a second 'close'; `closed` is called once.
 */
export function closeWithConnection(
  { socket }: IncomingMessage,
  response: ServerResponse,
  closed: () => void,
): void {
  const answers = unfinished.get(socket) ?? watch(socket)
  answers.push(response)
  response.once('close', () => {
    const place = answers.indexOf(response)
    if (place !== -1) answers.splice(place, 1)
    closed()
  })
}

function watch(socket: Socket): ServerResponse[] {
  const answers: ServerResponse[] = []
  unfinished.set(socket, answers)
  socket.once('close', () => {
    // A copy: each answer leaves the list when it closes.
    for (const response of [...answers]) {
      // An answer has its socket while it is sent; Node closes that one.
      if (response.socket === null) response.destroy().emit('close')
    }
  })
  return answers
}
