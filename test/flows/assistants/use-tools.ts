import { expect } from 'vitest'
import type { Assistant, Role } from '../../fixtures/assistants/assistant.ts'
import type { Answer } from '../../support/browser-like.ts'
import { request } from '../mcp/tool-endpoint.ts'
import type { Wire } from './wire.ts'

/** A tool of each role, and what it is called with. */
export const TOOLS = {
  operator: {
    name: 'read_teaching',
    arguments: { action: 'courses.list', input: { limit: 2 } },
  },
  member: { name: 'my_courses', arguments: {} },
} as const satisfies Record<Role, object>

/** The messages of one assistant at one address. */
export class ToolSession {
  readonly #wire: Wire
  readonly #address: string
  readonly #messages: Assistant['messages']
  #version: string | undefined
  #token: string | undefined

  constructor(wire: Wire, address: string, { messages }: Assistant) {
    this.#wire = wire
    this.#address = address
    this.#messages = messages
  }

  get #headers() {
    return {
      ...this.#messages.headers,
      authorization: this.#token === undefined ? undefined : `Bearer ${this.#token}`,
      'mcp-protocol-version': this.#messages.sendsVersion ? this.#version : undefined,
    }
  }

  async say(message: object): Promise<Answer> {
    return await this.#wire.postJson(this.#address, message, this.#headers)
  }

  /**
   * The handshake, and what the assistant sends before the first call of a tool. Returns the names
   * of the tools.
   */
  async open(token?: string): Promise<readonly string[]> {
    this.#token = token
    this.#version = undefined
    const { version, clientInfo, capabilities, opensStream, calls } = this.#messages
    const params = { protocolVersion: version, capabilities, clientInfo }
    const opened = await this.say(request('initialize', params))
    expect(opened.statusCode, opened.body).toBe(200)
    expect(opened.headers['content-type']).toBe('application/json')
    this.#version = opened.json().result.protocolVersion
    expect(this.#version).toBe(version)

    const ready = await this.say({ jsonrpc: '2.0', method: 'notifications/initialized' })
    expect([ready.statusCode, ready.body]).toEqual([202, ''])
    if (opensStream) await this.#openStream()
    let tools: readonly { name: string }[] = []
    for (const method of calls) {
      const { result, error } = (await this.say(request(method))).json()
      if (method === 'tools/list') tools = result.tools
      else if (method === 'ping') expect(result).toEqual({})
      else expect([method, error.code]).toEqual([method, -32601])
    }
    return tools.map(({ name }) => name)
  }

  /** 405 says that there is no stream, and every assistant goes on without one. */
  async #openStream(): Promise<void> {
    const headers = { ...this.#headers, accept: 'text/event-stream' }
    const answer = await this.#wire.get(this.#address, headers)
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'POST'])
    expect(answer.json().error.message).toMatch(/by POST/)
  }

  async call(tool: object): Promise<Answer> {
    return await this.say(request('tools/call', { ...tool }))
  }

  async close(): Promise<void> {
    if (!this.#messages.deletes) return
    const headers = { ...this.#headers, 'mcp-session-id': 'a session that never was' }
    const answer = await this.#wire.send('DELETE', this.#address, headers)
    expect(answer.statusCode).toBe(405)
  }
}
