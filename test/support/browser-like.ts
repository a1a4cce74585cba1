import { createHash, randomBytes } from 'node:crypto'
import type { LightMyRequestResponse } from 'fastify'
import { PASSWORD, type TestClient, type TestPerson, type TestSchool, type World } from './world.ts'

export type Answer = LightMyRequestResponse

/** A browser at one school: keeps cookies, fills in forms, follows no redirect by itself. */
export class Visitor {
  readonly #world: World
  readonly #school: TestSchool
  readonly #cookies = new Map<string, string>()

  constructor(world: World, school: TestSchool) {
    this.#world = world
    this.#school = school
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#keep(
      await this.#world.app.inject({
        method: 'GET',
        url: path,
        headers: { ...this.#headers(), accept: 'text/html', ...headers },
      }),
    )
  }

  async post(
    path: string,
    fields: Record<string, string> | [string, string][],
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.#keep(
      await this.#world.app.inject({
        method: 'POST',
        url: path,
        headers: {
          ...this.#headers(),
          'content-type': 'application/x-www-form-urlencoded',
          origin: this.#school.origin,
          ...headers,
        },
        payload: new URLSearchParams(fields).toString(),
      }),
    )
  }

  /** Sets a cookie that the server never sent. */
  plant(name: string, value: string): void {
    this.#cookies.set(name, value)
  }

  /** All that it keeps, by name. */
  cookies(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#cookies)
  }

  cookie(name: string): string | undefined {
    return this.#cookies.get(name)
  }

  /** Posts bytes of any content type, such as a form with files. */
  async send(path: string, payload: Buffer, headers: Record<string, string>): Promise<Answer> {
    return this.#keep(
      await this.#world.app.inject({
        method: 'POST',
        url: path,
        headers: { ...this.#headers(), origin: this.#school.origin, ...headers },
        payload,
      }),
    )
  }

  /** Follows redirects within the school up to a page or another site. */
  async follow(answer: Answer): Promise<Answer> {
    let current = answer
    for (let hops = 0; hops < 8; hops++) {
      const location = current.headers.location
      if (typeof location !== 'string' || !location.startsWith('/')) return current
      current = await this.get(location)
    }
    throw new Error('too many redirects')
  }

  async signIn(page: Answer, person: TestPerson, typed?: string): Promise<Answer> {
    const password = typed ?? person.password ?? PASSWORD
    const fields = hiddenFields(page.body, '/sign-in')
    return await this.post('/sign-in', { ...fields, email: person.email, password })
  }

  async decide(page: Answer, decision: 'allow' | 'deny'): Promise<Answer> {
    const fields = hiddenFields(page.body, '/consent')
    return await this.post('/consent', { ...fields, decision })
  }

  #headers(): Record<string, string> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const host = new URL(this.#school.origin).host
    return { host, ...(cookie === '' ? {} : { cookie }) }
  }

  #keep(answer: Answer): Answer {
    for (const { name, value } of answer.cookies) {
      if (value === '') this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return answer
  }
}

/** The hidden inputs of the form that posts to `action`, by their names. */
export function hiddenFields(html: string, action: string): Record<string, string> {
  return Object.fromEntries(hiddenPairs(html, action))
}

/** The same for a form with several inputs of one name. */
export function hiddenPairs(html: string, action: string): [name: string, value: string][] {
  const posts = html.matchAll(
    /<form\b(?=[^>]*method="post")[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g,
  )
  const form = [...posts].find((match) => match[1] === action)
  if (form?.[2] === undefined)
    throw new Error(`no form posts to ${action} in: ${html.slice(0, 300)}`)
  const inputs = form[2].matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)
  return [...inputs].map(([, name = '', value = '']) => [
    name,
    value.replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
  ])
}

export interface Pkce {
  readonly verifier: string
  readonly challenge: string
}

export function aPkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export interface AuthorizeOptions {
  readonly scope?: string
  readonly visitor?: Visitor
  readonly pkce?: Pkce
  readonly parameters?: Record<string, string | undefined>
  readonly decision?: 'allow' | 'deny'
}

/** The parameters of a correct authorization request. */
export function authorizeParameters(
  school: TestSchool,
  client: TestClient,
  pkce: Pkce,
  overrides: Record<string, string | undefined> = {},
): URLSearchParams {
  const all: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
    scope: 'openid profile email account:read account:write',
    resource: school.origin,
    code_challenge: pkce.challenge,
    code_challenge_method: 'S256',
    state: 'a state',
    nonce: 'a nonce',
    ...overrides,
  }
  return new URLSearchParams(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** A whole authorization in the browser; returns the parameters of the client's callback. */
export async function authorizeAs(
  world: World,
  school: TestSchool,
  client: TestClient,
  person: TestPerson,
  options: AuthorizeOptions = {},
): Promise<URLSearchParams & { readonly pkce?: Pkce }> {
  const visitor = options.visitor ?? new Visitor(world, school)
  const pkce = options.pkce ?? aPkce()
  const overrides = {
    ...(options.scope === undefined ? {} : { scope: options.scope }),
    ...options.parameters,
  }
  const query = authorizeParameters(school, client, pkce, overrides)
  let page = await visitor.follow(await visitor.get(`/oauth/authorize?${query}`))
  if (page.body.includes('name="password"')) {
    page = await visitor.follow(await visitor.signIn(page, person))
  }
  if (page.statusCode === 200) page = await visitor.decide(page, options.decision ?? 'allow')
  const location = page.headers.location
  if (typeof location !== 'string') {
    throw new Error(`no redirect to the client: ${page.statusCode} ${page.body.slice(0, 400)}`)
  }
  return Object.assign(new URL(location).searchParams, { pkce })
}
