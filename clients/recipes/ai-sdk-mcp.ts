/*
# @ai-sdk/mcp

Its provider is that of [the MCP SDK](mcp-typescript-sdk.md) and keeps one thing more: which server the sign-in began at. `auth` is its
own. It sends the token and refreshes it after a 401. The tools of members appear only with a token, so sign in before `tools()`.
*/
import {
  auth,
  createMCPClient,
  type MCPClient,
  type OAuthAuthorizationServerInformation,
} from '@ai-sdk/mcp'
import type { Application } from './application.ts'
import { MemberSignIn, serverUrl } from './mcp-typescript-sdk.ts'

export class MemberSignInHere extends MemberSignIn {
  #server: OAuthAuthorizationServerInformation | undefined

  authorizationServerInformation = () => this.#server
  saveAuthorizationServerInformation(server: OAuthAuthorizationServerInformation) {
    this.#server = server
  }
}

/** Sets `provider.url`, unless the provider has tokens. */
export const begin = (provider: MemberSignIn, app: Application) =>
  auth(provider, { serverUrl: serverUrl(app) })

export const finish = (provider: MemberSignIn, app: Application, callback: URL) =>
  auth(provider, {
    serverUrl: serverUrl(app),
    authorizationCode: provider.codeOf(callback),
    callbackState: callback.searchParams.get('state') ?? '',
  })

export const connect = (authProvider: MemberSignIn, app: Application): Promise<MCPClient> =>
  createMCPClient({ transport: { type: 'http', url: serverUrl(app), authProvider } })
