/** Why the server or a command cannot start, and what to do about it. Printed without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError'
  readonly remedy: string

  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(message, options)
    this.remedy = remedy
  }
}
