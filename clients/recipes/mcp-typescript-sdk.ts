/*
# MCP TypeScript SDK

For an assistant of members: the URL is `{origin}/mcp/member`, and the application is one that the school made for its members,
public, with the scopes `openid profile email account:read account:write`. The SDK finds everything else, sends `resource` by
itself, and refreshes after a 401. It does not revoke: sign out with a POST, as in [fetch](fetch.md).

If the answer of a refresh is lost, the SDK asks the person to sign in again, but keeps the tokens: the next call refreshes with
the same token.
*/
import { auth, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import type { Application } from './application.ts'

/** Keeps everything in memory; keep `tokens` and `verifier` where your program keeps such things. */
export class MemberSignIn implements OAuthClientProvider {
  readonly #app: Application
  readonly #expectedState = crypto.randomUUID()
  #tokens: OAuthTokens | undefined
  #verifier = ''
  /** Send the person there. */
  url: URL | undefined

  constructor(app: Application) {
    this.#app = app
  }
  get redirectUrl() {
    return this.#app.redirectUri
  }
  get clientMetadata() {
    return { redirect_uris: [this.#app.redirectUri], token_endpoint_auth_method: 'none' }
  }
  clientInformation() {
    return { client_id: this.#app.clientId, issuer: this.#app.origin }
  }
  state = () => this.#expectedState
  tokens = () => this.#tokens
  saveTokens(tokens: OAuthTokens) {
    this.#tokens = tokens
  }
  redirectToAuthorization(url: URL) {
    this.url = url
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier
  }
  codeVerifier = () => this.#verifier

  /** The code of the callback. */
  codeOf(callback: URL): string {
    const { state, iss, code = '' } = Object.fromEntries(callback.searchParams)
    if (state !== this.#expectedState || iss !== this.#app.origin)
      throw new Error('not our request')
    return code
  }
}

export const serverUrl = ({ origin }: Application) => `${origin}/mcp/member`

/** Sets `provider.url`, unless the provider has tokens. */
export const begin = (provider: MemberSignIn, app: Application) =>
  auth(provider, { serverUrl: serverUrl(app) })

export const finish = (provider: MemberSignIn, app: Application, callback: URL) =>
  auth(provider, { serverUrl: serverUrl(app), authorizationCode: provider.codeOf(callback) })

export async function connect(provider: MemberSignIn, app: Application): Promise<Client> {
  const client = new Client({ name: 'my-assistant', version: '1.0.0' })
  const url = new URL(serverUrl(app))
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider: provider }))
  return client
}
