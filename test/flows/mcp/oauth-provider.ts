import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'

export interface ProviderOptions {
  /** Without it, the client registers by its name. */
  readonly clientId?: string
  /** URL of the client metadata document, used if the server supports such documents. */
  readonly clientMetadataUrl?: string
  readonly clientName: string
  /** The server where the client is registered: its tokens and client_id are used at no other. */
  readonly issuer: string
  readonly redirectUrl?: string
}

/** The part that an application adds to the SDK client: it stores tokens, and opens a browser. */
export class StoringProvider implements OAuthClientProvider {
  readonly redirectUrl: string
  readonly clientMetadata: OAuthClientMetadata
  declare readonly clientMetadataUrl?: string
  #client: StoredOAuthClientInformation | undefined
  #tokens: StoredOAuthTokens | undefined
  #discovery: OAuthDiscoveryState | undefined
  #verifier = ''
  #opened: URL | undefined

  constructor(options: ProviderOptions) {
    const { clientId, clientMetadataUrl, clientName, issuer, redirectUrl } = options
    this.redirectUrl = redirectUrl ?? 'http://127.0.0.1/callback'
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl
    this.#client = clientId === undefined ? undefined : { client_id: clientId, issuer }
    this.clientMetadata = {
      client_name: clientName,
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }
  }

  state(): string {
    return 'a state of the client'
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#client
  }

  saveClientInformation(information: StoredOAuthClientInformation): void {
    this.#client = information
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens
  }

  /** An application does this before it requests more scopes than its tokens have. */
  forgetTokens(): void {
    this.#tokens = undefined
  }

  redirectToAuthorization(url: URL): void {
    this.#opened = url
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    return this.#verifier
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery
  }

  /** The URL that the client opened in the browser. Returns each URL once. */
  takeOpened(): URL {
    const url = this.#opened
    this.#opened = undefined
    if (url === undefined) throw new Error('no browser was opened')
    return url
  }
}
