import { chmod, chown, copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Processes, UNPRIVILEGED } from './processes.ts'

/** A temporary folder and everything that runs in it. */
export class Place {
  readonly folder: string
  readonly processes = new Processes()
  readonly #closers: (() => Promise<unknown>)[] = []
  readonly #lastClosers: (() => Promise<unknown>)[] = []

  private constructor(folder: string) {
    this.folder = folder
  }

  static async make(): Promise<Place> {
    const folder = await mkdtemp(join(tmpdir(), 'outages-'))
    // PostgreSQL runs as another user and must be able to enter.
    await chmod(folder, 0o755)
    return new Place(folder)
  }

  /** A folder that belongs to the user that PostgreSQL runs as. */
  async folderFor(name: string): Promise<string> {
    const path = join(this.folder, name)
    await mkdir(path, { mode: 0o700 })
    const { uid, gid } = UNPRIVILEGED
    if (uid !== undefined && gid !== undefined) await chown(path, uid, gid)
    return path
  }

  /** For a file that such a process writes. */
  log(name: string): string {
    return join(this.folder, `${name}.log`)
  }

  whenDone(close: () => Promise<unknown>): void {
    this.#closers.push(close)
  }

  /** After all processes have ended. */
  whenUnused(close: () => Promise<unknown>): void {
    this.#lastClosers.push(close)
  }

  /** Copies what all processes wrote, to look into a failure. Returns the folder. */
  async keepLogs(): Promise<string> {
    const kept = await mkdtemp(join(tmpdir(), 'outages-logs-'))
    const logs = (await readdir(this.folder)).filter((name) => name.endsWith('.log'))
    for (const name of logs) await copyFile(join(this.folder, name), join(kept, name))
    return kept
  }

  async end(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close().catch(() => undefined)
    await this.processes.endAll()
    for (const close of this.#lastClosers.splice(0)) await close().catch(() => undefined)
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}
