import type { Readable, Writable } from 'node:stream'
import type { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import type { Actor, AuditedActor } from '../domain/actor/actor.ts'
import { COMMAND } from '../foundation/text/command-name.ts'
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

/** For an option that may be repeated: all its values. */
export function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value]
}

/** Ends the help of a command with its effect on the installation, and an example. */
export function addHelp(command: Command, happens: string, example: string): Command {
  return command.addHelpText('after', `\n${wrap(happens)}\n\nExample:\n  $ ${COMMAND} ${example}`)
}

const WIDTH = 80

function wrap(text: string): string {
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) ?? ''
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + word.length < WIDTH) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}

/** The command line knows no person: its users can read the database anyway. */
export const BY_COMMAND_LINE: AuditedActor = { via: 'command_line' }

/** At a school the command line may do what an owner may. */
export function commandLineAt(school: { readonly origin: string }): Actor {
  return { via: 'command_line', roles: ['owner'], origin: school.origin }
}
