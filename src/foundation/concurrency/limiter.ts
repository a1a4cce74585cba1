export interface Limits {
  /** How many tasks run at once. */
  readonly running: number
  /** How many further tasks of one share wait for a place; with 0 they are refused at once. */
  readonly waiting: number
  /** A task that has waited for this long is refused. Without it, it waits until its turn. */
  readonly waitMs?: number | undefined
  /** One share may take all places; shares that wait still take turns. */
  readonly undivided?: boolean | undefined
}

/** There is no place for a task of this share; nothing of the refused task was begun. */
export class LimiterFull extends Error {
  override readonly name = 'LimiterFull'
}

interface Waiter {
  readonly begin: () => void
  readonly refuse: (reason: Error) => void
}

/** The tasks of one tenant. */
class Share {
  readonly name: string
  running = 0
  /** In the order in which they came. A Set, so that a task that gives up leaves from the middle. */
  readonly line = new Set<Waiter>()

  constructor(name: string) {
    this.name = name
  }
}

/** A share may run twice as many tasks as there are free places: alone, two thirds of all. */
const TASKS_PER_FREE_PLACE = 2
/** Shares without a task are remembered up to this number, because it costs time to make them again. */
const IDLE_SHARES = 1_000

/**
 * Lets a few tasks run at once in this process, and divides the places fairly between shares, for example
 * schools.
 *
 * - A share runs at most twice as many tasks as there are free places. So one share, however slow its tasks
 *   are, takes two thirds of three places or more, and the others find the rest free. With each further share
 *   that is busy, all get less. (Known from network switches as dynamic thresholds: Choudhury and Hahne, 1998.)
 *   Up to two places are lent as a whole.
 * - Shares that wait take turns.
 * - Each share has a line of its own, and a full line refuses only tasks of this share.
 *
 * Each step takes the same time however many tasks wait. While places are free, nothing is allocated.
 */
export class Limiter {
  readonly #limits: Limits
  readonly #tasksPerFreePlace: number
  readonly #shares = new Map<string, Share>()
  /** Shares with waiting tasks. The one that comes next is first; after its turn it goes to the end. */
  readonly #turns = new Set<Share>()
  #running = 0

  constructor(limits: Limits) {
    this.#limits = limits
    this.#tasksPerFreePlace = limits.undivided === true ? limits.running : TASKS_PER_FREE_PLACE
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    let waiting = 0
    for (const share of this.#turns) waiting += share.line.size
    return waiting
  }

  /** How many tasks of the share run. */
  runningOf(share: string): number {
    return this.#shares.get(share)?.running ?? 0
  }

  /** How many tasks of the share wait. */
  waitingOf(share: string): number {
    return this.#shares.get(share)?.line.size ?? 0
  }

  /** Whether a task of the share would be refused. */
  isFull(share = ''): boolean {
    const known = this.#shares.get(share)
    const waiting = known?.line.size ?? 0
    return waiting >= this.#limits.waiting && !this.#mayBegin(known?.running ?? 0)
  }

  /** Begins the task at once if there is a place for its share. Rejects with LimiterFull if it cannot wait. */
  async run<R>(task: () => Promise<R>, share = '', signal?: AbortSignal): Promise<R> {
    const turn = this.enter(share, signal)
    if (turn !== undefined) await turn
    try {
      return await task()
    } finally {
      this.leave(share)
    }
  }

  /**
   * Takes a place, which `leave` gives back. Undefined if it was taken at once; otherwise wait for the promise,
   * which rejects with LimiterFull, or with AbandonedError once the signal is aborted. A task that began before and gave
   * its place back for a while is `known`: it waits until its turn, however many wait.
   */
  enter(name: string, signal?: AbortSignal, known = false): Promise<void> | undefined {
    const share = this.#shareOf(name)
    // All that wait had no place when one was last given back, so a new task overtakes none.
    if (this.#mayBegin(share.running)) {
      this.#running++
      share.running++
      return undefined
    }
    return this.#wait(share, signal, known)
  }

  leave(name: string): void {
    const share = this.#shareOf(name)
    share.running--
    this.#running--
    if (this.#turns.size > 0) this.#giveTurns()
    this.#forgetIfIdle(share)
  }

  #mayBegin(runningOfShare: number): boolean {
    return runningOfShare < this.#tasksPerFreePlace * (this.#limits.running - this.#running)
  }

  #wait(share: Share, signal: AbortSignal | undefined, known: boolean): Promise<void> {
    if (!known && share.line.size >= this.#limits.waiting) {
      this.#forgetIfIdle(share)
      return Promise.reject(new LimiterFull('too many tasks wait'))
    }
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(abandonedBy(signal))
      const waitMs = known ? undefined : this.#limits.waitMs
      const timer = waitMs === undefined ? undefined : setTimeout(() => tooLong(), waitMs)
      const abandon = (): void => waiter.refuse(abandonedBy(signal))
      const settled = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abandon)
      }
      const waiter: Waiter = {
        begin: () => {
          settled()
          resolve()
        },
        refuse: (reason) => {
          settled()
          this.#leaveLine(share, waiter)
          this.#forgetIfIdle(share)
          reject(reason)
        },
      }
      const tooLong = (): void => waiter.refuse(new LimiterFull('a task has waited too long'))
      signal?.addEventListener('abort', abandon, { once: true })
      share.line.add(waiter)
      this.#turns.add(share)
    })
  }

  /**
   * Hands places to waiting tasks directly, so that a new one cannot take them in between. A share that may
   * not begin yet runs two tasks or more, so only a few are passed over.
   */
  #giveTurns(): void {
    for (const share of this.#turns) {
      if (this.#running >= this.#limits.running) return
      if (!this.#mayBegin(share.running)) continue
      const [next] = share.line
      if (next === undefined) continue
      this.#leaveLine(share, next)
      // At the end of the turns; this loop comes by again.
      if (this.#turns.delete(share)) this.#turns.add(share)
      this.#running++
      share.running++
      next.begin()
    }
  }

  #leaveLine(share: Share, waiter: Waiter): void {
    share.line.delete(waiter)
    if (share.line.size === 0) this.#turns.delete(share)
  }

  #shareOf(name: string): Share {
    const known = this.#shares.get(name)
    if (known !== undefined) return known
    const share = new Share(name)
    this.#shares.set(name, share)
    return share
  }

  #forgetIfIdle(share: Share): void {
    if (this.#shares.size <= IDLE_SHARES) return
    if (share.running === 0 && share.line.size === 0) this.#shares.delete(share.name)
  }
}

/** The work was given up because the caller who asked for it is gone. */
export class AbandonedError extends Error {
  override readonly name = 'AbandonedError'
}

export function abandonedBy(signal: AbortSignal | undefined): AbandonedError {
  return new AbandonedError('The caller is gone.', { cause: signal?.reason })
}

/** A limiter for each key, for example each address. Keys without a running task are forgotten. */
export class KeyedLimiter {
  readonly #limits: Limits
  readonly #limiters = new Map<string, Limiter>()

  constructor(limits: Limits) {
    // There is only one share behind each key.
    this.#limits = { ...limits, undivided: true }
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#limiters.size
  }

  isFull(key: string): boolean {
    return this.#limiters.get(key)?.isFull() ?? false
  }

  async run<R>(key: string, task: () => Promise<R>): Promise<R> {
    const limiter = this.#limiters.get(key) ?? new Limiter(this.#limits)
    this.#limiters.set(key, limiter)
    try {
      return await limiter.run(task)
    } finally {
      // Another call may have forgotten this limiter already, and a third one begun with a new one.
      const isKnown = this.#limiters.get(key) === limiter
      if (isKnown && limiter.running === 0) this.#limiters.delete(key)
    }
  }
}
