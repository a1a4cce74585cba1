/** What a member's assistant has to know. */
export interface AssistantSettings {
  /** The member's tool endpoint. */
  readonly address: string
  readonly clientId: string
  /** What the assistant calls the school in its files and commands: only small letters, digits and hyphens. */
  readonly server: string
  readonly scopes: readonly string[]
}

const json = (value: object): string => JSON.stringify(value, null, 2)

/** A name without characters of a shell, as the command for Claude Code has it unquoted. */
export function claudeCodeCommand({ address, clientId, server }: AssistantSettings): string {
  return `claude mcp add --transport http --client-id ${clientId} ${server} ${address}`
}

export function vsCodeFile({ address, clientId, server }: AssistantSettings): string {
  return json({ servers: { [server]: { type: 'http', url: address, oauth: { clientId } } } })
}

export function cursorFile({ address, clientId, server, scopes }: AssistantSettings): string {
  const auth = { CLIENT_ID: clientId, scopes }
  return json({ mcpServers: { [server]: { url: address, auth } } })
}

/** Strings and lists of JSON are also those of TOML. Without scopes Codex asks for all that the server has, and is refused. */
export function codexFile({ address, clientId, server, scopes }: AssistantSettings): string {
  return [
    `[mcp_servers.${server}]`,
    `url = ${JSON.stringify(address)}`,
    `scopes = ${JSON.stringify(scopes)}`,
    '',
    `[mcp_servers.${server}.oauth]`,
    `client_id = ${JSON.stringify(clientId)}`,
  ].join('\n')
}

export function mcpRemoteFile({ address, clientId, server }: AssistantSettings): string {
  const client = JSON.stringify({ client_id: clientId })
  const args = ['-y', 'mcp-remote', address, '--static-oauth-client-info', client]
  return json({ mcpServers: { [server]: { command: 'npx', args } } })
}
