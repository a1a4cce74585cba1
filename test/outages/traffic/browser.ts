import { hiddenFields } from '../../support/browser-like.ts'
import type { Caller, Reply, Sent } from './caller.ts'
import { type Patience, persist } from './retries.ts'

/**
 * A browser of one person: keeps cookies, and loads a page again that the server could not show.
 */
export class Browser {
  readonly #caller: Caller
  readonly #patience: Patience
  readonly #person: { readonly email: string; readonly password: string }
  readonly #cookies = new Map<string, string>()

  constructor(
    caller: Caller,
    patience: Patience,
    person: { readonly email: string; readonly password: string },
  ) {
    this.#caller = caller
    this.#patience = patience
    this.#person = person
  }

  async get(path: string): Promise<Reply> {
    return await this.#send({ path })
  }

  /**
   * From the authorization request to the client's callback, whose parameters are returned.
   * Undefined if a form was sent twice because an answer was lost, and the second one was refused:
   * the person begins again.
   */
  async authorize(query: URLSearchParams): Promise<URLSearchParams | undefined> {
    let page = await this.#follow(await this.get(`/oauth/authorize?${query}`))
    if (page.body.includes('name="password"')) page = await this.#signIn(page)
    if (page.status === 200 && page.body.includes('action="/consent"')) {
      const fields = hiddenFields(page.body, '/consent')
      page = await this.#post('/consent', { ...fields, decision: 'allow' })
    }
    const { location } = page.headers
    return location?.includes('://') ? new URL(location).searchParams : undefined
  }

  async #signIn(page: Reply): Promise<Reply> {
    const fields = hiddenFields(page.body, '/sign-in')
    return await this.#follow(await this.#post('/sign-in', { ...fields, ...this.#person }))
  }

  async #follow(answer: Reply): Promise<Reply> {
    let current = answer
    for (let hops = 0; hops < 8; hops++) {
      const { location } = current.headers
      if (location === undefined || !location.startsWith('/')) return current
      current = await this.get(location)
    }
    throw new Error('too many redirects')
  }

  #post(path: string, form: Record<string, string>): Promise<Reply> {
    return this.#send({ path, form, headers: { origin: this.#caller.origin } })
  }

  async #send(sent: Sent): Promise<Reply> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { accept: 'text/html', ...(cookie === '' ? {} : { cookie }), ...sent.headers }
    const { reply } = await persist(this.#caller, this.#patience, { ...sent, headers })
    for (const text of reply.headers['set-cookie'] ?? []) {
      const [pair = ''] = text.split(';')
      const at = pair.indexOf('=')
      const value = pair.slice(at + 1)
      if (value === '') this.#cookies.delete(pair.slice(0, at))
      else this.#cookies.set(pair.slice(0, at), value)
    }
    return reply
  }
}
