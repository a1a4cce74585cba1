interface ShippedPlatform {
  readonly clientId: string
  readonly clientName: string
  readonly redirectUris: readonly string[]
}

export interface ShippedPlatforms {
  /** Raise it with every change of the list: only rows of an older version are brought up to date. */
  readonly version: number
  readonly platforms: readonly ShippedPlatform[]
}

/**
 * The platforms that every installation knows, each with its real redirect URIs and a loopback one for
 * development. Generic tools such as mcp-remote and the MCP Inspector are not platforms: any program
 * could use their name, so they sign in as a tool that the school made.
 */
export const SHIPPED_PLATFORMS: ShippedPlatforms = {
  version: 2,
  platforms: [
    {
      clientId: 'claude',
      clientName: 'Claude',
      redirectUris: [
        'https://claude.ai/api/mcp/auth_callback',
        'https://claude.com/api/mcp/auth_callback',
        'http://localhost/callback',
        'http://127.0.0.1/callback',
      ],
    },
    {
      clientId: 'chatgpt',
      clientName: 'ChatGPT',
      redirectUris: [
        'https://chatgpt.com/connector_platform_oauth_redirect',
        'http://127.0.0.1/callback',
      ],
    },
    {
      clientId: 'cursor',
      clientName: 'Cursor',
      redirectUris: [
        'cursor://anysphere.cursor-mcp/oauth/callback',
        'https://www.cursor.com/agents/mcp/oauth/callback',
        'http://localhost/callback',
        'http://127.0.0.1/callback',
      ],
    },
    {
      clientId: 'visual-studio-code',
      clientName: 'Visual Studio Code',
      redirectUris: [
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1/callback',
        'http://localhost/',
      ],
    },
  ],
}
