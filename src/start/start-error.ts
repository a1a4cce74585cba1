/** Why the server or a command cannot do its work, and what to do about it. Printed, never thrown on. */
export class StartError extends Error {
  override readonly name = 'StartError'
  readonly remedy: string

  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(message, options)
    this.remedy = remedy
  }
}
