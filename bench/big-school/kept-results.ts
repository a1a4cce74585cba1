import { readFile, writeFile } from 'node:fs/promises'
import type { Measured } from './measure-case.ts'
import type { LongRow } from './report.ts'

const FILE = new URL('../data/big-school-results.json', import.meta.url)

interface Kept {
  readonly measured: readonly Measured[]
  readonly long: readonly LongRow[]
}

const NOTHING: Kept = { measured: [], long: [] }

const idOf = ({ group, name }: { readonly group: string; readonly name: string }): string =>
  `${group}: ${name}`

/** The rows of earlier runs, so that the whole can be measured in parts. */
export class KeptResults {
  readonly #measured: Map<string, Measured>
  readonly #long: Map<string, LongRow>

  private constructor({ measured, long }: Kept) {
    this.#measured = new Map(measured.map((row) => [idOf(row), row]))
    this.#long = new Map(long.map((row) => [row.name, row]))
  }

  static async open(isNew: boolean): Promise<KeptResults> {
    const text = isNew ? undefined : await readFile(FILE, 'utf8').catch(() => undefined)
    return new KeptResults(text === undefined ? NOTHING : (JSON.parse(text) as Kept))
  }

  has(row: { readonly group: string; readonly name: string }): boolean {
    return this.#measured.has(idOf(row))
  }

  hasLong(name: string): boolean {
    return this.#long.has(name)
  }

  add(row: Measured): void {
    this.#measured.set(idOf(row), row)
  }

  addLong(row: LongRow): void {
    this.#long.set(row.name, row)
  }

  get all(): Kept {
    return { measured: [...this.#measured.values()], long: [...this.#long.values()] }
  }

  async save(): Promise<void> {
    await writeFile(FILE, JSON.stringify(this.all))
  }
}
