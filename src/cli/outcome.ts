/** What a command has to say when it is done: the same for programs and for people. */
export interface Outcome {
  readonly data: unknown
  readonly text: string
  /** The command ran, and what it found is bad: exit code 1. */
  readonly failed?: boolean
  /** What was asked for is on standard output already: this goes to standard error. */
  readonly aside?: boolean
}

/** A command that could not do what was asked, with what to do about it. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly remedy: string
  /** 1: it failed. 2: it was asked for in a way that cannot work. */
  readonly exitCode: 1 | 2

  constructor(message: string, remedy: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.remedy = remedy
    this.exitCode = exitCode
  }
}

export function nothingToChange(): CommandError {
  return new CommandError(
    'Nothing was named that should change.',
    'add an option; --help lists them',
    2,
  )
}
