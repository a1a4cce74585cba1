import { sha256 } from '../../foundation/crypto/digest.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { TOOL_ENDPOINTS } from '../../foundation/protocol/resource-names.ts'
import { SCOPES_OF_AUDIENCE } from './scope-catalogue.ts'

interface AssistantTemplate {
  /** What the consent page calls it, unless the operator writes another name. */
  readonly name: string
  /** For the operator who chooses: what it is and where it runs. */
  readonly about: string
  /** What the operator has to know besides. */
  readonly note?: string
  /**
   * `address` is the member's tool endpoint of the school. A port of loopback may differ (RFC 8252
   * §7.3).
   */
  readonly redirectUris: (address: string) => readonly string[]
}

/**
 * The assistants that members can be offered, in the order of the pages. Each one can be given a
 * client_id by its user. The operator may change everything that a template fills in; what may be
 * written is judged by `createApplication` alone. Look a vendor's addresses up again when people
 * report that "redirect_uri" is refused.
 */
export const ASSISTANTS = {
  // docs.zuora.com, "Redirect URIs by MCP client";
  // sunpeak.ai/blogs/claude-connector-oauth-authentication. Host and path of Claude Code are fixed:
  // github.com/anthropics/claude-code/issues/66511. Read 2026-11-17.
  claude: {
    name: 'Claude',
    about: 'claude.ai, the Claude apps and Claude Code.',
    redirectUris: () => [
      'https://claude.ai/api/mcp/auth_callback',
      'https://claude.com/api/mcp/auth_callback',
      'http://localhost/callback',
    ],
  },
  // One address for all where the server sends `iss` (RFC 9207), as this one does:
  // developers.openai.com/apps-sdk/build/auth, quoted in github.com/koala73/worldmonitor/pull/8307.
  // Read 2026-11-17.
  chatgpt: {
    name: 'ChatGPT',
    about: 'chatgpt.com and the ChatGPT apps, in developer mode.',
    note: 'If ChatGPT shows a member a callback URL of its own (https://chatgpt.com/connector/oauth/…), add it to the redirect URIs of the application.',
    redirectUris: () => ['https://chatgpt.com/connector_platform_oauth_redirect'],
  },
  // github.com/microsoft/vscode/issues/278512 (redirect URIs), /pull/308648 (oauth.clientId). Read
  // 2026-11-17.
  'vs-code': {
    name: 'Visual Studio Code',
    about: 'Copilot’s agent mode in Visual Studio Code, on the computer and at vscode.dev.',
    redirectUris: () => [
      'http://127.0.0.1/',
      'https://vscode.dev/redirect',
      'https://insiders.vscode.dev/redirect',
    ],
  },
  // cursor.com/docs/mcp, quoted by github.com/Echsecutor/idealo-proxy: loopback with port 8787,
  // before that the app's own scheme. The agents on the web:
  // github.com/cartesia-ai/cartesia-mcp/pull/73. Read 2026-11-17.
  cursor: {
    name: 'Cursor',
    about: 'Cursor on the computer and its agents on the web.',
    redirectUris: () => [
      'http://localhost/callback',
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
    ],
  },
  // github.com/openai/codex, codex-rs/rmcp-client/src/oauth_callback.rs; versions before it always
  // add an id (/pull/20237). Read 2026-11-17.
  codex: {
    name: 'Codex',
    about: 'Codex on the command line, in the editor and in the ChatGPT desktop app.',
    redirectUris: (address) => [
      'http://127.0.0.1/callback',
      `http://127.0.0.1/callback/${codexCallbackId(address)}`,
    ],
  },
  // README of mcp-remote 0.1.37 on npm; docs.oracle.com, "Connect to the MCP Server Using
  // Token-Based Authentication". Read 2026-11-17.
  'mcp-remote': {
    name: 'mcp-remote',
    about: 'A small program that connects assistants which can only start local servers.',
    redirectUris: () => ['http://localhost/oauth/callback', 'http://127.0.0.1/oauth/callback'],
  },
} as const satisfies Record<string, AssistantTemplate>

export type Assistant = keyof typeof ASSISTANTS

export const ASSISTANT_IDS = Object.keys(ASSISTANTS) as [Assistant, ...Assistant[]]

/** A row may name one that only a newer version knows. */
export function isAssistant(name: string | null): name is Assistant {
  return name !== null && Object.hasOwn(ASSISTANTS, name)
}

export function templateOf(assistant: Assistant): AssistantTemplate {
  return ASSISTANTS[assistant]
}

/**
 * Assistants request every scope that the metadata of the endpoint lists, and a missing one is
 * refused.
 */
export const ASSISTANT_SCOPES: readonly string[] = SCOPES_OF_AUDIENCE.member.toArray()

/** What a template fills in at a school with this origin. */
export function filledIn(assistant: Assistant, origin: string) {
  const { name, redirectUris } = templateOf(assistant)
  return {
    name,
    redirectUris: redirectUris(origin + TOOL_ENDPOINTS.member),
    scopes: ASSISTANT_SCOPES,
  }
}

/**
 * Codex tells servers that send no `iss` apart by the path of its callback. `codex_callback` in SQL
 * moves it with the origin.
 */
function codexCallbackId(address: string): string {
  return sha256(new URL(address).href).subarray(0, 9).toString('base64url')
}

/** An application for an assistant that members can connect now. */
export interface OfferedAssistant {
  readonly assistant: Assistant
  readonly clientId: string
  readonly name: string
  readonly scopes: readonly string[]
}

/** An application for an assistant as operators see it. */
export interface ConnectedAssistant extends OfferedAssistant {
  readonly disabled: boolean
}

/** What the school offers its members: not what is switched off. */
export async function offeredAssistants(db: SchoolDb): Promise<readonly OfferedAssistant[]> {
  return (await connectedAssistants(db)).filter(({ disabled }) => !disabled)
}

/** Also what is switched off. In the order of the templates, oldest first. */
export async function connectedAssistants(db: SchoolDb): Promise<readonly ConnectedAssistant[]> {
  const rows = await db
    .from('clients')
    .select(['client_id', 'name', 'scopes', 'assistant', 'disabled_at'])
    .where('assistant', 'is not', null)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('client_id')
    .execute()
  return rows
    .flatMap(({ assistant, client_id: clientId, name, scopes, disabled_at }) =>
      isAssistant(assistant)
        ? [{ assistant, clientId, name, scopes, disabled: disabled_at !== null }]
        : [],
    )
    .sort((a, b) => ASSISTANT_IDS.indexOf(a.assistant) - ASSISTANT_IDS.indexOf(b.assistant))
}
