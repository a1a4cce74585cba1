import type pg from 'pg'
import { isOpeningTimedOut } from './unavailable.ts'

/**
 * How to reach the database: pg's own settings, or those of several hosts of which one is the
 * primary.
 */
export type ConnectionSettings = pg.ClientConfig & { readonly hosts?: Hosts | undefined }

/**
 * The hosts of a replicated database. Connections go to the one that was last found to be the
 * primary.
 */
export class Hosts {
  readonly #all: readonly pg.ClientConfig[]
  #current = 0
  #asked: Promise<unknown> | undefined

  constructor(all: readonly pg.ClientConfig[]) {
    this.#all = all
  }

  get count(): number {
    return this.#all.length
  }

  get current(): pg.ClientConfig | undefined {
    return this.#all[this.#current]
  }

  /** A connection to this host could not be opened, or it is not the primary. */
  failed(host: pg.ClientConfig | undefined): void {
    // Unless another connection has moved on already.
    if (host === this.current) this.#current = (this.#current + 1) % this.#all.length
  }

  /** Asks every host but this one, once. A host that does not answer is left out. */
  async askOthers(
    than: pg.ClientConfig | undefined,
    ask: (host: pg.ClientConfig) => Promise<void>,
  ): Promise<void> {
    this.#asked ??= Promise.allSettled(this.#all.filter((host) => host !== than).map(ask))
    await this.#asked
  }

  /**
   * Runs `open`, which connects to the current host, on one host after another until it succeeds.
   */
  async firstUsable<R>(open: () => Promise<R>, mayGoOn: (error: unknown) => boolean): Promise<R> {
    for (let left = this.count - 1; ; left--) {
      const tried = this.current
      try {
        return await open()
      } catch (error) {
        this.failed(tried)
        if (left <= 0 || !mayGoOn(error)) throw error
      }
    }
  }
}

/**
 * A request does not wait for one silent host after another; the next request tries the next host.
 */
export const mayTryNextHost = (error: unknown): boolean => !isOpeningTimedOut(error)

export function onUsableHost<R>(
  { hosts }: ConnectionSettings,
  open: () => Promise<R>,
  mayGoOn = mayTryNextHost,
): Promise<R> {
  return hosts === undefined ? open() : hosts.firstUsable(open, mayGoOn)
}
