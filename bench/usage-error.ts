/** A wrong command line, reported without a stack trace. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export function wholeNumber(name: string, given: string | undefined, usual: number): number {
  if (given === undefined) return usual
  if (/^[1-9]\d{0,2}$/.test(given)) return Number(given)
  throw new UsageError(`--${name} is a whole number from 1 to 999, not "${given}".`)
}
