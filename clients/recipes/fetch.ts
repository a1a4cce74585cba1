/*
# No library: fetch

The whole flow of a member application with what Node, Deno, Bun and browsers have. The recipes of libraries without a refresh
use `refresh` and `signOut` from here.
*/
import type { Application } from './application.ts'

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  /** Seconds. */
  readonly expires_in: number
  readonly scope: string
}

async function post({ origin, clientId, clientSecret }: Application, path: string, form: object) {
  const body = new URLSearchParams({ client_id: clientId, ...form })
  if (clientSecret !== '') body.set('client_secret', clientSecret)
  const answer = await fetch(`${origin}/api/oauth/${path}`, { method: 'POST', body })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`, { cause: errorOf(text) })
  return text
}

/** The code of a refusal, such as invalid_grant; undefined if something else answered. */
function errorOf(text: string): string | undefined {
  try {
    return JSON.parse(text).error
  } catch {
    return undefined
  }
}

/** Whether a refresh failed for good: the person has to sign in again. */
export const isEnded = (error: unknown): boolean =>
  error instanceof Error && error.cause === 'invalid_grant'

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (c) => ({ '+': '-', '/': '_' })[c] ?? '')

/** Keep `state` and `verifier` in the person's session and send the person to `url`. */
export async function begin(app: Application) {
  const [state, verifier] = [16, 32].map((n) =>
    base64url(crypto.getRandomValues(new Uint8Array(n))),
  )
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const url = new URL(`${app.origin}/oauth/authorize`)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: app.redirectUri,
    scope: 'profile account:read',
    resource: app.origin,
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
    state: String(state),
  }).toString()
  return { url, checks: { state: String(state), verifier: String(verifier) } }
}

export async function finish(
  app: Application,
  callback: URL,
  { state, verifier }: { state: string; verifier: string },
): Promise<Tokens> {
  const { code, ...answer } = Object.fromEntries(callback.searchParams)
  if (answer.state !== state || answer.iss !== app.origin) throw new Error('not our request')
  if (answer.error !== undefined) throw new Error(answer.error_description ?? answer.error)
  const grant = { grant_type: 'authorization_code', code, code_verifier: verifier }
  const where = { redirect_uri: app.redirectUri, resource: app.origin }
  return JSON.parse(await post(app, 'token', { ...grant, ...where }))
}

/** If the answer is lost, call it again with the same token. Store the new pair before you use it. */
export async function refresh(app: Application, refresh_token: string): Promise<Tokens> {
  const form = { grant_type: 'refresh_token', refresh_token, resource: app.origin }
  return JSON.parse(await post(app, 'token', form))
}

export async function signOut(app: Application, refreshToken: string): Promise<void> {
  await post(app, 'revoke', { token: refreshToken })
}

/** A signed-in person. Several calls that meet an expired token share one refresh. */
export class Session {
  readonly #app: Application
  #tokens: Tokens
  #refreshing: Promise<void> | undefined

  constructor(app: Application, tokens: Tokens) {
    this.#app = app
    this.#tokens = tokens
  }

  get authorization(): string {
    return `Bearer ${this.#tokens.access_token}`
  }

  refresh(): Promise<void> {
    this.#refreshing ??= refresh(this.#app, this.#tokens.refresh_token)
      .then((tokens) => {
        this.#tokens = tokens
      })
      .finally(() => {
        this.#refreshing = undefined
      })
    return this.#refreshing
  }

  signOut(): Promise<void> {
    return signOut(this.#app, this.#tokens.refresh_token)
  }
}
