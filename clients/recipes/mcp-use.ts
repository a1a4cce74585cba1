/*
# mcp-use

The provider, `begin` and `finish` of [the MCP SDK](mcp-typescript-sdk.md) sign the person in; then the session sends the token and
refreshes it after a 401. The tools of members appear only with a token, so sign in first.
*/
import { MCPClient, type MCPSession } from 'mcp-use/client'
import type { Application } from './application.ts'
import { type MemberSignIn, serverUrl } from './mcp-typescript-sdk.ts'

export function connect(authProvider: MemberSignIn, app: Application): Promise<MCPSession> {
  const client = new MCPClient({ mcpServers: { school: { url: serverUrl(app), authProvider } } })
  return client.createSession('school')
}
