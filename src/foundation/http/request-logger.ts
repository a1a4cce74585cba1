import type { FastifyBaseLogger } from 'fastify'

type ChildSettings = NonNullable<Parameters<FastifyBaseLogger['child']>[1]>
type Bindings = Parameters<FastifyBaseLogger['child']>[0]
type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace'

/**
 * The logger of one request. Most requests never use it, so the child logger that adds the request's
 * id to every line is created at the first line.
 */
export class RequestLogger implements FastifyBaseLogger {
  readonly #parent: FastifyBaseLogger
  readonly #bindings: Bindings
  readonly #settings: ChildSettings
  #child: FastifyBaseLogger | undefined

  constructor(parent: FastifyBaseLogger, bindings: Bindings, settings: ChildSettings = {}) {
    this.#parent = parent
    this.#bindings = bindings
    this.#settings = settings
  }

  get level(): string {
    return this.#child?.level ?? this.#settings.level ?? this.#parent.level
  }

  set level(level: string) {
    this.#made().level = level
  }

  fatal(...line: unknown[]): void {
    this.#write('fatal', line)
  }

  error(...line: unknown[]): void {
    this.#write('error', line)
  }

  warn(...line: unknown[]): void {
    this.#write('warn', line)
  }

  info(...line: unknown[]): void {
    this.#write('info', line)
  }

  debug(...line: unknown[]): void {
    this.#write('debug', line)
  }

  trace(...line: unknown[]): void {
    this.#write('trace', line)
  }

  silent(): void {}

  child(bindings: Bindings, settings?: ChildSettings): FastifyBaseLogger {
    return this.#made().child(bindings, settings)
  }

  #write(level: Level, line: unknown[]): void {
    const logger = this.#made()
    Reflect.apply(logger[level], logger, line)
  }

  #made(): FastifyBaseLogger {
    this.#child ??= this.#parent.child(this.#bindings, this.#settings)
    return this.#child
  }
}
