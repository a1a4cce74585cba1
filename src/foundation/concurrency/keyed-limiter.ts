import { Limiter, type Limits } from './limiter.ts'

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
