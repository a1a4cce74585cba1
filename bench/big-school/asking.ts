import { Client } from 'undici'

export interface Asked {
  readonly method?: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Answered {
  readonly status: number
  readonly text: string
}

const TIMEOUT_MS = 600_000

/** One connection, one request at a time. */
export class Asking {
  readonly #client: Client

  constructor(port: number) {
    this.#client = new Client(`http://127.0.0.1:${port}`, {
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    })
  }

  async ask({ method = 'GET', path, headers, body }: Asked): Promise<Answered> {
    try {
      const answer = await this.#client.request({ method, path, headers, body: body ?? null })
      return { status: answer.statusCode, text: await answer.body.text() }
    } catch (error) {
      return { status: 0, text: String(error) }
    }
  }

  /**
   * Reads the answer without keeping it, and counts its lines; with more than `most` it is left.
   */
  async countLines(
    { path, headers }: Asked,
    most: number,
  ): Promise<{ status: number; lines: number }> {
    const answer = await this.#client.request({ method: 'GET', path, headers })
    let lines = 0
    for await (const part of answer.body as AsyncIterable<Buffer>) {
      for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) lines++
      if (lines >= most) break
    }
    return { status: answer.statusCode, lines }
  }

  async json(asked: Asked): Promise<Record<string, unknown> | undefined> {
    const { status, text } = await this.ask(asked)
    return status === 200 ? (JSON.parse(text) as Record<string, unknown>) : undefined
  }

  async close(): Promise<void> {
    await this.#client.close()
  }
}
