import type { ComponentChildren } from 'preact'
import type { Assistant } from '../../../domain/clients/assistants.ts'
import { Copyable } from '../../../foundation/html/copyable.tsx'

interface StepsProps extends AssistantSettings {
  /** Unique on the page: the ids of texts to copy begin with it. */
  readonly id: string
}

/** What a member does, in the words that the assistant itself uses for its buttons. */
export const STEPS: Readonly<Record<Assistant, (props: StepsProps) => ComponentChildren>> = {
  claude: (props) => (
    <>
      <h3>claude.ai and the Claude apps</h3>
      <ol>
        <li>
          Open <b>Connectors</b>, under Customize or Settings, and choose{' '}
          <b>Add custom connector</b>.
        </li>
        <li>Enter a name, and the address above as the remote MCP server URL.</li>
        <li>
          Open <b>Advanced settings</b> and enter the client_id as <b>OAuth Client ID</b>. Leave the
          secret empty.
        </li>
        <li>
          Choose <b>Add</b>, then <b>Connect</b>. {ALLOW}
        </li>
      </ol>
      <h3>Claude Code</h3>
      <ol>
        <li>Run this command:</li>
      </ol>
      <Copyable id={`${props.id}-command`} what="the command for Claude Code">
        {claudeCodeCommand(props)}
      </Copyable>
      <ol start={2}>
        <li>
          Start <code>claude</code>, type <code>/mcp</code>, choose <code>{props.server}</code> and{' '}
          <b>Authenticate</b>. {ALLOW}
        </li>
      </ol>
    </>
  ),
  chatgpt: () => (
    <ol>
      <li>
        In <b>Settings</b>, <b>Apps</b>, <b>Advanced settings</b>, switch on <b>Developer mode</b>.
        Not every plan of ChatGPT has it.
      </li>
      <li>
        Choose <b>Create app</b>. Enter a name, and the address above as the MCP server URL. As
        authentication choose <b>OAuth</b>.
      </li>
      <li>
        In the advanced OAuth settings enter the client_id and leave the secret empty. If it asks
        for a token endpoint authentication method, choose <b>none</b>.
      </li>
      <li>
        Save. {ALLOW} If ChatGPT shows a callback URL that begins with{' '}
        <code>https://chatgpt.com/connector/oauth/</code>, send it to your school first: an owner or
        admin has to add it.
      </li>
    </ol>
  ),
  'vs-code': (props) => (
    <Configured
      {...props}
      file={vsCodeFile(props)}
      first={
        <>
          Open the command palette, choose <b>MCP: Open User Configuration</b>, and add this. A file
          that has servers already gets only the inner part.
        </>
      }
      then={
        <>
          Save the file and choose <b>Start</b> above the new entry. {ALLOW}
        </>
      }
    />
  ),
  cursor: (props) => (
    <Configured
      {...props}
      file={cursorFile(props)}
      first={
        <>
          Open <code>~/.cursor/mcp.json</code> and add this. A file that has servers already gets
          only the inner part.
        </>
      }
      then={
        <>
          In Cursor’s settings, under <b>Tools &amp; MCP</b>, choose <b>Connect</b> beside{' '}
          <code>{props.server}</code>. {ALLOW}
        </>
      }
    />
  ),
  codex: (props) => (
    <Configured
      {...props}
      file={codexFile(props)}
      first={
        <>
          Add this to <code>~/.codex/config.toml</code>:
        </>
      }
      then={
        <>
          Run <code>codex mcp login {props.server}</code>. {ALLOW}
        </>
      }
    />
  ),
  'mcp-remote': (props) => (
    <Configured
      {...props}
      file={mcpRemoteFile(props)}
      first="Add this to the file in which your assistant lists its local MCP servers. It needs Node.js on your computer."
      then={`Start the assistant again. ${ALLOW}`}
    />
  ),
}

const ALLOW = 'This school opens in your browser: sign in and choose Allow.'

interface ConfiguredProps extends StepsProps {
  readonly file: string
  readonly first: ComponentChildren
  readonly then: ComponentChildren
}

/** An assistant that reads its settings from a file. */
function Configured({ id, file, first, then }: ConfiguredProps) {
  return (
    <>
      <ol>
        <li>{first}</li>
      </ol>
      <Copyable id={`${id}-file`} what="the settings">
        {file}
      </Copyable>
      <ol start={2}>
        <li>{then}</li>
      </ol>
    </>
  )
}

/** What a member's assistant has to know. */
interface AssistantSettings {
  /** The member's tool endpoint. */
  readonly address: string
  readonly clientId: string
  /**
   * What the assistant calls the school in its files and commands: only small letters, digits and
   * hyphens.
   */
  readonly server: string
  readonly scopes: readonly string[]
}

const json = (value: object): string => JSON.stringify(value, null, 2)

/** A name without characters of a shell, as the command for Claude Code has it unquoted. */
function claudeCodeCommand({ address, clientId, server }: AssistantSettings): string {
  return `claude mcp add --transport http --client-id ${clientId} ${server} ${address}`
}

function vsCodeFile({ address, clientId, server }: AssistantSettings): string {
  return json({ servers: { [server]: { type: 'http', url: address, oauth: { clientId } } } })
}

function cursorFile({ address, clientId, server, scopes }: AssistantSettings): string {
  const auth = { CLIENT_ID: clientId, scopes }
  return json({ mcpServers: { [server]: { url: address, auth } } })
}

/**
 * Strings and lists of JSON are also those of TOML. Without scopes Codex asks for all that the
 * server has, and is refused.
 */
function codexFile({ address, clientId, server, scopes }: AssistantSettings): string {
  return [
    `[mcp_servers.${server}]`,
    `url = ${JSON.stringify(address)}`,
    `scopes = ${JSON.stringify(scopes)}`,
    '',
    `[mcp_servers.${server}.oauth]`,
    `client_id = ${JSON.stringify(clientId)}`,
  ].join('\n')
}

function mcpRemoteFile({ address, clientId, server }: AssistantSettings): string {
  const client = JSON.stringify({ client_id: clientId })
  const args = ['-y', 'mcp-remote', address, '--static-oauth-client-info', client]
  return json({ mcpServers: { [server]: { command: 'npx', args } } })
}
