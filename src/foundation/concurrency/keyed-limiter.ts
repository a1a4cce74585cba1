import { Limiter, type Limits } from './limiter.ts'

/** A limiter for each key, for example each address. Keys without a running work are forgotten. */
export class KeyedLimiter {
  readonly #limits: Limits
  readonly #limiters = new Map<string, Limiter>()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#limiters.size
  }

  isFull(key: string): boolean {
    return this.#limiters.get(key)?.isFull ?? false
  }

  async run<R>(key: string, work: () => Promise<R>): Promise<R> {
    const limiter = this.#limiters.get(key) ?? new Limiter(this.#limits)
    this.#limiters.set(key, limiter)
    try {
      return await limiter.run(work)
    } finally {
      if (limiter.running === 0) this.#limiters.delete(key)
    }
  }
}
