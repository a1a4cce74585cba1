import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { Figures } from './figures.ts'

export interface Sent {
  readonly method?: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>>
  readonly body?: string
  /** Closes the connection before the answer comes, as a phone in a tunnel does. */
  readonly abandon?: boolean
}

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** No request should wait so long. */
const PATIENCE_MS = 20_000

/** Sends requests to the servers in turn. */
export class Caller {
  readonly ports: readonly number[]
  readonly #host: string
  readonly #figures: Figures
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 })
  #turn = 0

  constructor(ports: readonly number[], host: string, figures: Figures) {
    this.ports = ports
    this.#host = host
    this.#figures = figures
  }

  get origin(): string {
    return `http://${this.#host}`
  }

  /** Undefined if no answer came. */
  async send(sent: Sent): Promise<Reply | undefined> {
    this.#turn += 1
    const port = this.ports[this.#turn % this.ports.length] ?? 0
    const startedAt = Date.now()
    const reply = await this.#ask(port, sent).catch(() => undefined)
    if (sent.abandon === true) return undefined
    this.#figures.answered(startedAt, Date.now())
    const kind = failureOf(reply)
    if (kind !== undefined) this.#figures.failed({ port, startedAt, kind })
    return reply
  }

  close(): void {
    this.#agent.destroy()
  }

  #ask(port: number, { method, path, headers, form, body, abandon }: Sent): Promise<Reply> {
    const payload = form === undefined ? body : new URLSearchParams(form).toString()
    return new Promise((resolve, reject) => {
      const asked = request(
        {
          host: '127.0.0.1',
          port,
          path,
          method: method ?? (payload === undefined ? 'GET' : 'POST'),
          agent: this.#agent,
          timeout: PATIENCE_MS,
          headers: {
            host: this.#host,
            ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
            ...headers,
          },
        },
        (answer) => {
          if (abandon === true) {
            answer.destroy()
            reject(new Error('abandoned'))
            return
          }
          let text = ''
          answer.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk
          })
          answer.on('end', () =>
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }),
          )
          answer.on('error', reject)
        },
      )
      asked.on('timeout', () => asked.destroy(new Error('no answer in time')))
      asked.on('error', reject)
      asked.end(payload)
    })
  }
}

/** How the server failed; undefined if it gave a verdict. */
export function failureOf(reply: Reply | undefined): string | undefined {
  if (reply === undefined) return 'no answer'
  if (reply.status < 500) return undefined
  // What HAProxy says itself.
  if (reply.status === 503 && reply.body.includes('No server is available'))
    return 'no server ready'
  if (reply.status === 503 && reply.headers['retry-after'] === undefined) {
    return '503 without Retry-After'
  }
  return String(reply.status)
}
