import type { Answer } from '../../support/browser-like.ts'
import type { TestSchool, World } from '../../support/world.ts'

export type Headers = Readonly<Record<string, string | undefined>>

/**
 * The network of an assistant: whole addresses of one school, and only the headers that it sends.
 */
export class Wire {
  readonly #world: World
  readonly #host: string

  constructor(world: World, school: TestSchool) {
    this.#world = world
    this.#host = new URL(school.origin).host
  }

  async send(
    method: 'GET' | 'HEAD' | 'POST' | 'DELETE' | 'OPTIONS',
    address: string,
    headers: Headers,
    payload?: string,
  ): Promise<Answer> {
    const { pathname, search, host } = new URL(address)
    if (host !== this.#host) throw new Error(`${address} is not of this school`)
    const sent = Object.entries({ ...headers, host }).filter(([, value]) => value !== undefined)
    return await this.#world.app.inject({
      method,
      url: pathname + search,
      headers: Object.fromEntries(sent) as Record<string, string>,
      ...(payload === undefined ? {} : { payload }),
    })
  }

  async get(address: string, headers: Headers = {}): Promise<Answer> {
    return await this.send('GET', address, headers)
  }

  async postJson(address: string, body: unknown, headers: Headers = {}): Promise<Answer> {
    const type = { 'content-type': 'application/json' }
    return await this.send('POST', address, { ...type, ...headers }, JSON.stringify(body))
  }

  async postForm(address: string, fields: URLSearchParams, headers: Headers): Promise<Answer> {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    return await this.send('POST', address, { ...type, ...headers }, fields.toString())
  }
}
