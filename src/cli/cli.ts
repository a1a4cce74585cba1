import type { Readable, Writable } from 'node:stream'
import { type Config, readConfig } from '../config.ts'
import type { Outcome } from './outcome.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface CommandIo {
  readonly stdout: Writable
  readonly stderr: Writable
  /** Where `--password-stdin` reads; the process's own unless given. */
  readonly stdin?: Readable
}

/** What every command is given: the world around it, and how to answer. */
export class Cli {
  readonly env: Environment
  readonly io: CommandIo
  readonly json: boolean
  /** What the process ends with. */
  exitCode = 0

  constructor(env: Environment, io: CommandIo, json: boolean) {
    this.env = env
    this.io = io
    this.json = json
  }

  config(): Config {
    return readConfig(this.env)
  }

  /** A command's action: its outcome is printed as text, or as JSON if that was asked for. */
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
