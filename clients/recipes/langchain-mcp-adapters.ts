/*
# LangChain's MCP adapters

The provider, `begin` and `finish` of [the MCP SDK](mcp-typescript-sdk.md) sign the person in; then the adapter sends the token and
refreshes it after a 401. The tools of members appear only with a token, so sign in before `getTools`.
*/
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import type { Application } from './application.ts'
import { type MemberSignIn, serverUrl } from './mcp-typescript-sdk.ts'

export function connect(authProvider: MemberSignIn, app: Application): MultiServerMCPClient {
  return new MultiServerMCPClient({
    mcpServers: { school: { transport: 'http', url: serverUrl(app), authProvider } },
  })
}
