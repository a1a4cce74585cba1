import { performance } from 'node:perf_hooks'
import { LruCache } from '../cache/lru-cache.ts'

interface Kind {
  readonly since: number
  left: number
  leftOut: number
}

/**
 * Bounds lines of the log that callers can repeat without end. Of each kind a few are written in a window; the
 * first line of the next window says how many were left out.
 */
export class RepeatedLines {
  readonly #kinds = new LruCache<Kind>(1000)
  readonly #perWindow: number
  readonly #windowMs: number
  readonly #now: () => number

  constructor(perWindow: number, windowSeconds: number, now = () => performance.now()) {
    this.#perWindow = perWindow
    this.#windowMs = windowSeconds * 1000
    this.#now = now
  }

  /** Fields for the line, or undefined if it is to be left out. */
  admit(kind: string): { readonly leftOut?: number } | undefined {
    const now = this.#now()
    const known = this.#kinds.get(kind)
    if (known !== undefined && now - known.since < this.#windowMs) {
      if (known.left > 0) {
        known.left--
        return {}
      }
      known.leftOut++
      return undefined
    }
    this.#kinds.set(kind, { since: now, left: this.#perWindow - 1, leftOut: 0 }, 1)
    return known?.leftOut ? { leftOut: known.leftOut } : {}
  }
}
