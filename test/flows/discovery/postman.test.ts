import { expect } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { aPkce, Visitor } from '../../support/browser-like.ts'
import { type Pair, postForm } from '../../support/client-like.ts'
import { getFrom } from '../../support/oauth-world.ts'
import { aTool } from '../../support/tools.ts'
import { sharedWorld, type TestClient, type TestPerson } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool({ mcpConnections: true })

interface Item {
  readonly name: string
  readonly item?: readonly Item[]
  readonly request?: {
    readonly method: 'GET' | 'POST'
    readonly url: { readonly raw: string }
    readonly body?: { readonly raw: string }
  }
}

interface Collection {
  readonly info: { readonly description: string }
  readonly variable: readonly { readonly key: string; readonly value: string }[]
  readonly auth: { readonly oauth2: readonly { readonly key: string; readonly value: unknown }[] }
  readonly item: readonly Item[]
}

const collection = (await getFrom(world, school, '/postman.json')).json<Collection>()
const [, registered = ''] = /redirect URI `([^`]+)`/.exec(collection.info.description) ?? []

/** Postman with the collection, whose variables a person has set. */
class Postman {
  readonly #variables: Record<string, string>

  constructor(client: TestClient, scope: string) {
    const given = collection.variable.map(({ key, value }) => [key, value] as const)
    this.#variables = { ...Object.fromEntries(given), client_id: client.clientId, scope }
  }

  #fill(text: string): string {
    return text.replace(/\{\{([a-z_]+)\}\}/g, (_, name: string) => this.#variables[name] ?? '')
  }

  #setting(name: string): string {
    return this.#fill(String(collection.auth.oauth2.find(({ key }) => key === name)?.value))
  }

  #path(address: string): string {
    expect(address.startsWith(`${school.origin}/`), address).toBe(true)
    return address.slice(school.origin.length)
  }

  /** Opens a window, and takes the code when the window arrives at the callback. */
  async getNewAccessToken(person: TestPerson): Promise<Pair> {
    const { verifier, challenge } = aPkce()
    const redirect_uri = this.#setting('redirect_uri')
    const client_id = this.#setting('clientId')
    const query = new URLSearchParams({
      response_type: 'code',
      client_id,
      scope: this.#setting('scope'),
      redirect_uri,
      code_challenge: challenge,
      code_challenge_method: this.#setting('challengeAlgorithm'),
    })
    const window = new Visitor(world, school)
    const first = await window.get(`${this.#path(this.#setting('authUrl'))}&${query}`)
    const consent = await window.follow(await window.signIn(await window.follow(first), person))
    const arrived = String((await window.decide(consent, 'allow')).headers.location)
    expect(arrived.startsWith(`${redirect_uri}?`), arrived).toBe(true)
    return await this.#askForTokens({
      grant_type: 'authorization_code',
      code: new URL(arrived).searchParams.get('code') ?? '',
      redirect_uri,
      code_verifier: verifier,
    })
  }

  refresh(pair: Pair): Promise<Pair> {
    return this.#askForTokens({ grant_type: 'refresh_token', refresh_token: pair.refresh_token })
  }

  /** Its form has a field for a secret, which stays empty. */
  async #askForTokens(fields: Record<string, string>): Promise<Pair> {
    const client = { client_id: this.#setting('clientId'), client_secret: '' }
    const path = this.#path(this.#setting('accessTokenUrl'))
    const answer = await postForm(world, school, path, { ...fields, ...client })
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json<Pair>()
  }

  async send(name: string, pair: Pair) {
    const { request } =
      collection.item
        .flatMap((folder) => [folder, ...(folder.item ?? [])])
        .find((item) => item.name === name) ?? {}
    if (request === undefined) throw new Error(`The collection has no ${name}.`)
    return await world.app.inject({
      method: request.method,
      url: this.#path(this.#fill(request.url.raw)),
      headers: {
        accept: '*/*',
        authorization: `Bearer ${pair.access_token}`,
        host: new URL(school.origin).host,
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(request.body === undefined ? {} : { payload: request.body.raw }),
    })
  }
}

verifies(
  'machines.postman-signs-in',
  'with a tool as the description says, Postman gets a token, refreshes it and calls',
  async () => {
    const client = await aTool(world, school, {
      slug: 'postman',
      redirect_uris: [registered],
      scopes: ['courses:read'],
    })
    const postman = new Postman(client, 'courses:read')
    const pair = await postman.getNewAccessToken(await world.aMember(school, ['owner']))
    const refreshed = await postman.refresh(pair)
    for (const name of ['List courses', 'List the tools']) {
      const answer = await postman.send(name, refreshed)
      expect([name, answer.statusCode], answer.body).toEqual([name, 200])
    }
  },
)

verifies(
  'machines.postman-signs-in',
  'with an application for members, the same settings get a token for the Member API',
  async () => {
    const client = await world.aPublicClient(school, { redirectUris: [registered] })
    const [, scopes = ''] = /scopes `([^`]+)`/.exec(collection.info.description) ?? []
    const postman = new Postman(client, scopes)
    const pair = await postman.getNewAccessToken(await world.aMember(school))
    const answer = await postman.send('Member API, with the token of a member', pair)
    expect(answer.json()).toMatchObject({ data: { viewer: { enrolledCourses: { nodes: [] } } } })
  },
)
