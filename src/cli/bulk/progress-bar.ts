import type { Writable } from 'node:stream'

const WIDTH = 24
const REDRAW_MS = 100

/** Shows progress, only on a terminal. */
export class ProgressBar {
  readonly #out: Writable | undefined
  readonly #label: string
  readonly #began = Date.now()
  #drawn = 0
  #share: number | undefined

  constructor(out: Writable, label: string, quiet: boolean) {
    const terminal = Reflect.get(out, 'isTTY') === true
    this.#out = terminal && !quiet ? out : undefined
    this.#label = label
  }

  /** The finished part of the work, from 0 to 1, if known. */
  reach(share: number): void {
    this.#share = Math.min(1, share)
  }

  show(rows: number): void {
    const now = Date.now()
    if (this.#out === undefined || now - this.#drawn < REDRAW_MS) return
    this.#drawn = now
    const seconds = Math.max(0.001, (now - this.#began) / 1000)
    this.#out.write(`\r\x1b[K${barLine(this.#label, this.#share, rows, seconds)}`)
  }

  /** Removes the bar before other output. */
  clear(): void {
    if (this.#drawn > 0) this.#out?.write('\r\x1b[K')
  }
}

export function barLine(
  label: string,
  share: number | undefined,
  rows: number,
  seconds: number,
): string {
  const full = share === undefined ? 0 : Math.round(share * WIDTH)
  const bar =
    share === undefined
      ? ''
      : ` [${'█'.repeat(full)}${'·'.repeat(WIDTH - full)}] ${String(Math.floor(share * 100)).padStart(3)}%`
  const rate = Math.round(rows / seconds)
  return `${label}${bar}  ${rows.toLocaleString('en')} rows, ${rate.toLocaleString('en')} a second`
}
