import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import { SERVER_ADDRESS } from './demo-server.ts'

/** A token request that went through, and what the server answered. */
export interface SeenTokenRequest {
  readonly grantType: string
  readonly refreshToken: string | undefined
  readonly status: number
  readonly answer: { access_token?: string; refresh_token?: string; error?: string }
}

/**
 * Stands between the clients and the server, under the server's own name and port. It passes on
 * every byte, until it is told to lose the answer of a refresh, to make tokens look as if they
 * ended soon, or to spoil an access token on its way, so that the server itself refuses it.
 */
export class Between {
  /** Token requests since the last `forget`. */
  seen: SeenTokenRequest[] = []
  /** Replaces `expires_in` of every token answer; a client that waits two hours cannot be watched. */
  lifetime: number | undefined
  #answersToLose = 0
  #bearersToSpoil = 0
  readonly #port: number
  readonly #server: Server

  private constructor(port: number) {
    this.#port = port
    this.#server = createServer((incoming, outgoing) => {
      this.#pass(incoming, outgoing).catch(() => outgoing.destroy())
    })
  }

  static async listen(port: number): Promise<Between> {
    const between = new Between(port)
    between.#server.listen(port, '127.0.0.1')
    await once(between.#server, 'listening')
    return between
  }

  forget(): void {
    this.seen = []
    this.lifetime = undefined
    this.#answersToLose = 0
    this.#bearersToSpoil = 0
  }

  loseNextRefresh(): void {
    this.#answersToLose = 1
  }

  spoilNextBearer(): void {
    this.#bearersToSpoil = 1
  }

  get isLosing(): boolean {
    return this.#answersToLose > 0
  }

  get refreshes(): readonly SeenTokenRequest[] {
    return this.seen.filter(({ grantType }) => grantType === 'refresh_token')
  }

  /** The newest refresh token that a client received. */
  get lastRefreshToken(): string {
    const tokens = this.seen.flatMap(({ answer }) => answer.refresh_token ?? [])
    const last = tokens.at(-1)
    if (last === undefined) throw new Error('The client received no refresh token.')
    return last
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const headers = this.#spoil(incoming.headers)
    const { method = 'GET', url = '/' } = incoming
    const there = request({ host: SERVER_ADDRESS, port: this.#port, method, path: url, headers })
    there.end(body)
    const [answer] = (await once(there, 'response')) as [IncomingMessage]
    const isTokenRequest = method === 'POST' && url.startsWith('/api/oauth/token')
    if (!isTokenRequest) {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
      return
    }
    const parts: Buffer[] = []
    for await (const part of answer) parts.push(part)
    this.#answerTokenRequest(new URLSearchParams(body.toString()), answer, parts, outgoing)
  }

  #answerTokenRequest(
    form: URLSearchParams,
    answer: IncomingMessage,
    parts: readonly Buffer[],
    outgoing: ServerResponse,
  ): void {
    const status = answer.statusCode ?? 502
    const text = Buffer.concat(parts).toString()
    const tokens = JSON.parse(text)
    const grantType = form.get('grant_type') ?? ''
    const refreshToken = form.get('refresh_token') ?? undefined
    const isLost = this.#answersToLose > 0 && grantType === 'refresh_token' && status === 200
    this.seen.push({ grantType, refreshToken, status, answer: isLost ? {} : tokens })
    if (isLost) {
      this.#answersToLose--
      outgoing.destroy()
      return
    }
    const shown =
      this.lifetime === undefined || status !== 200
        ? text
        : JSON.stringify({ ...tokens, expires_in: this.lifetime })
    const { 'content-length': _length, 'transfer-encoding': _coding, ...headers } = answer.headers
    outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(shown) })
    outgoing.end(shown)
  }

  #spoil(headers: IncomingHttpHeaders): IncomingHttpHeaders {
    const { authorization } = headers
    if (this.#bearersToSpoil === 0 || !authorization?.startsWith('Bearer ')) return headers
    this.#bearersToSpoil--
    return { ...headers, authorization: `${authorization}x` }
  }
}
