/** The result of a command, for programs and for people. */
export interface Outcome {
  readonly data: unknown
  readonly text: string
  /** The command ran and found a problem: exit code 1. */
  readonly failed?: boolean
  /** The result itself is already on standard output, so this text goes to standard error. */
  readonly aside?: boolean
}

/** A command failed; `remedy` says what to do about it. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly remedy: string
  /** 1: the command failed. 2: the command line is wrong. */
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
