import type { BulkKind, ImportRow } from './kind.ts'

/** The objects that a batch may write, as far as its rows tell before they are looked up. */
export class TouchedObjects {
  readonly #nameOf: BulkKind['objectName']
  readonly #names = new Set<string>()
  #scheme: string | undefined
  /** A row could be about any object of the kind. */
  #any = false

  constructor(objectName: BulkKind['objectName']) {
    this.#nameOf = objectName
    this.#any = objectName === undefined
  }

  add(row: ImportRow): void {
    if (this.#any) return
    const named = this.#nameOf?.(row.values)
    this.#scheme ??= named?.scheme
    if (named === undefined || named.scheme !== this.#scheme) this.#any = true
    else this.#names.add(named.name)
  }

  /** Only names of one scheme can be compared: an id and an email may mean the same object. */
  mayOverlap(other: TouchedObjects): boolean {
    if (this.#any || other.#any || this.#scheme !== other.#scheme) return true
    for (const name of this.#names) if (other.#names.has(name)) return true
    return false
  }
}

interface Running {
  readonly touched: TouchedObjects
  readonly work: Promise<void>
  readonly onDone: () => void
  done: boolean
}

/**
 * Writes a few batches at a time. Two batches that may write the same object run in the order of
 * the file. `onDone` is called in the order of the file too, so a reported line has no open line
 * before it.
 */
export class ParallelBatches {
  readonly #count: number
  readonly #running: Running[] = []

  constructor(count: number) {
    this.#count = count
  }

  /** Waits until a batch that writes these objects may start. */
  async waitFor(touched: TouchedObjects): Promise<void> {
    for (;;) {
      const open = this.#running.filter(({ done }) => !done)
      if (open.length < this.#count && !open.some((other) => other.touched.mayOverlap(touched)))
        return
      await Promise.race(open.map(({ work }) => work))
    }
  }

  start(touched: TouchedObjects, work: Promise<void>, onDone: () => void): void {
    const running = { touched, onDone, done: false, work }
    this.#running.push(running)
    // The next waitFor() or finish() throws the failure; without a handler here Node would report
    // it.
    work.then(
      () => {
        running.done = true
        while (this.#running[0]?.done === true) this.#running.shift()?.onDone()
      },
      () => undefined,
    )
  }

  /** Waits for all batches, also if one fails. */
  async finish(): Promise<void> {
    const works = this.#running.map(({ work }) => work)
    await Promise.allSettled(works)
    await Promise.all(works)
  }
}
