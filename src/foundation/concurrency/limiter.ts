export interface Limits {
  /** How many tasks run at once. */
  readonly running: number
  /** How many further tasks wait for a place; with 0 they are refused at once. */
  readonly waiting: number
}

/** Every place is taken; nothing of the refused task was begun. */
export class LimiterFull extends Error {
  override readonly name = 'LimiterFull'
}

interface Waiter {
  readonly begin: () => void
  readonly refuse: (reason: LimiterFull) => void
}

/**
 * Lets a few tasks run at once in this process and bounds how many wait.
 *
 * Tasks may belong to shares, for example schools, which take turns however many tasks wait in one of
 * them. If all places to wait are taken, the longest line gives up its last place to a shorter one.
 */
export class Limiter {
  readonly #limits: Limits
  /** Waiting tasks by share. The share that comes next is first; after its turn it goes to the end. */
  readonly #lines = new Map<string, Waiter[]>()
  #running = 0
  #waiting = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  get running(): number {
    return this.#running
  }

  /** Every place to run and to wait is taken. */
  get isFull(): boolean {
    return this.#running >= this.#limits.running && this.#waiting >= this.#limits.waiting
  }

  /** Begins the task at once if a place is free. Rejects with LimiterFull if there is no place to wait. */
  async run<R>(task: () => Promise<R>, share = ''): Promise<R> {
    const turn = this.#enter(share)
    if (turn !== undefined) await turn
    try {
      return await task()
    } finally {
      this.#leave()
    }
  }

  #enter(share: string): Promise<void> | undefined {
    if (this.#running < this.#limits.running) {
      this.#running++
      return undefined
    }
    if (this.isFull) this.#makeRoomFor(share)
    this.#waiting++
    return new Promise((begin, refuse) => {
      const line = this.#lines.get(share)
      if (line === undefined) this.#lines.set(share, [{ begin, refuse }])
      else line.push({ begin, refuse })
    })
  }

  #makeRoomFor(share: string): void {
    const full = new LimiterFull('too many tasks wait')
    const longest = [...this.#lines.values()].reduce((a, b) => (b.length > a.length ? b : a), [])
    if (longest.length <= (this.#lines.get(share)?.length ?? 0) + 1) throw full
    longest.pop()?.refuse(full)
    this.#waiting--
  }

  /** Hands the place to the next task directly, so that a new one cannot take it in between. */
  #leave(): void {
    for (const [share, line] of this.#lines) {
      const next = line.shift()
      this.#lines.delete(share)
      if (line.length > 0) this.#lines.set(share, line)
      if (next === undefined) continue
      this.#waiting--
      next.begin()
      return
    }
    this.#running--
  }
}
