import type { BulkKind, ImportRow } from './kind.ts'

/** Which objects the rows of a batch speak of, as far as that can be told before they are looked up. */
export class Claims {
  readonly #claim: BulkKind['claim']
  readonly #names = new Set<string>()
  #scheme: string | undefined
  /** Nothing is known, so it may be about anything. */
  #any = false

  constructor(claim: BulkKind['claim']) {
    this.#claim = claim
    this.#any = claim === undefined
  }

  add(row: ImportRow): void {
    if (this.#any) return
    const claimed = this.#claim?.(row.values)
    this.#scheme ??= claimed?.scheme
    if (claimed === undefined || claimed.scheme !== this.#scheme) this.#any = true
    else this.#names.add(claimed.name)
  }

  /** Only names of one scheme can be compared: an id and an email may mean the same object. */
  meet(other: Claims): boolean {
    if (this.#any || other.#any || this.#scheme !== other.#scheme) return true
    for (const name of this.#names) if (other.#names.has(name)) return true
    return false
  }
}

interface Running {
  readonly claims: Claims
  readonly work: Promise<void>
  readonly onDone: () => void
  done: boolean
}

/**
 * Batches on their way, a few at a time. Whatever two of them could both write is written in the order
 * of the file; and what is said to be done is done from the beginning up to there.
 */
export class Lanes {
  readonly #count: number
  readonly #running: Running[] = []

  constructor(count: number) {
    this.#count = count
  }

  /** Waits until another batch may begin. */
  async free(claims: Claims): Promise<void> {
    for (;;) {
      const open = this.#running.filter(({ done }) => !done)
      if (open.length < this.#count && !open.some((other) => other.claims.meet(claims))) return
      await Promise.race(open.map(({ work }) => work))
    }
  }

  take(claims: Claims, work: Promise<void>, onDone: () => void): void {
    const running = { claims, onDone, done: false, work }
    this.#running.push(running)
    // A failure is told to whoever waits next; nobody else has to be told.
    work.then(
      () => {
        running.done = true
        while (this.#running[0]?.done === true) this.#running.shift()?.onDone()
      },
      () => undefined,
    )
  }

  /** Waits for all of them, also where one fails. */
  async empty(): Promise<void> {
    const works = this.#running.map(({ work }) => work)
    await Promise.allSettled(works)
    await Promise.all(works)
  }
}
