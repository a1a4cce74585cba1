import type { Readable, Writable } from 'node:stream'
import { type Config, readConfig } from '../config.ts'
import type { Outcome } from './outcome.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface CommandIo {
  readonly stdout: Writable
  readonly stderr: Writable
  /** The input of `--password-stdin`; by default that of the process. */
  readonly stdin?: Readable
}

/** What every command gets: its environment, and how to answer. */
export class Cli {
  readonly env: Environment
  readonly io: CommandIo
  readonly json: boolean
  /** The exit code of the process. */
  exitCode = 0

  constructor(env: Environment, io: CommandIo, json: boolean) {
    this.env = env
    this.io = io
    this.json = json
  }

  config(): Config {
    return readConfig(this.env)
  }

  /** Wraps the action of a command: prints its outcome as text, or as JSON with `--json`. */
  act<A extends unknown[]>(work: (...args: A) => Promise<Outcome>): (...args: A) => Promise<void> {
    return async (...args) => {
      const outcome = await work(...args)
      if (outcome.failed) this.exitCode = 1
      const text = this.json ? JSON.stringify(outcome.data, null, 2) : outcome.text
      const out = outcome.aside ? this.io.stderr : this.io.stdout
      out.write(`${text}\n`)
    }
  }
}
