import type { DemoPlace } from '../drive/demo-place.ts'
import type { Trial, TriedClient } from '../drive/tried-client.ts'
import * as aiSdk from '../recipes/ai-sdk-mcp.ts'
import type { Application } from '../recipes/application.ts'
import { signOut } from '../recipes/fetch.ts'
import * as langchain from '../recipes/langchain-mcp-adapters.ts'
import * as sdk from '../recipes/mcp-typescript-sdk.ts'
import * as mcpUse from '../recipes/mcp-use.ts'

interface Connection {
  /** The tool `my_account`. */
  readonly askMyAccount: () => Promise<unknown>
  readonly close: () => Promise<unknown>
}

const common = {
  application: { isPublic: true },
  refreshesAfter: 'refusal',
  words: {
    signsOut:
      'the app revokes, with a POST ([thread](https://github.com/modelcontextprotocol/typescript-sdk/pull/739))',
  },
} as const

/** Signs in with the provider of the SDK's recipe, then connects. */
function connecting(
  { ada }: DemoPlace,
  app: Application,
  { begin, finish }: Pick<typeof sdk, 'begin' | 'finish'>,
  connect: (provider: sdk.MemberSignIn) => Promise<Connection>,
  provider = new sdk.MemberSignIn(app),
): TriedClient {
  let connection: Connection | undefined
  return {
    async signIn() {
      await begin(provider, app)
      const back = await ada.consent(String(provider.url), app.redirectUri)
      await finish(provider, app, new URL(back))
      connection = await connect(provider)
    },
    me: async () => JSON.stringify(await connection?.askMyAccount()),
    signOut: () => signOut(app, provider.tokens()?.refresh_token ?? ''),
    close: async () => void (await connection?.close()),
  }
}

export const mcpSdk: Trial = {
  name: 'mcp-typescript-sdk',
  package: '@modelcontextprotocol/sdk',
  ...common,
  start: (place, app) =>
    connecting(place, app, sdk, async (provider) => {
      const client = await sdk.connect(provider, app)
      return {
        askMyAccount: () => client.callTool({ name: 'my_account' }),
        close: () => client.close(),
      }
    }),
}

export const aiSdkMcp: Trial = {
  name: 'ai-sdk-mcp',
  package: '@ai-sdk/mcp',
  ...common,
  start(place, app) {
    const connect = async (provider: sdk.MemberSignIn): Promise<Connection> => {
      const client = await aiSdk.connect(provider, app)
      const { my_account } = await client.tools()
      return {
        askMyAccount: async () => my_account?.execute?.({}, { toolCallId: '1', messages: [] }),
        close: () => client.close(),
      }
    }
    return connecting(place, app, aiSdk, connect, new aiSdk.MemberSignInHere(app))
  },
}

export const langchainAdapters: Trial = {
  name: 'langchain-mcp-adapters',
  package: '@langchain/mcp-adapters',
  ...common,
  start: (place, app) =>
    connecting(place, app, sdk, async (provider) => {
      const client = langchain.connect(provider, app)
      const tools = await client.getTools()
      const myAccount = tools.find(({ name }) => name === 'my_account')
      return { askMyAccount: async () => myAccount?.invoke({}), close: () => client.close() }
    }),
}

export const mcpUseClient: Trial = {
  name: 'mcp-use',
  package: 'mcp-use',
  ...common,
  start: (place, app) =>
    connecting(place, app, sdk, async (provider) => {
      const session = await mcpUse.connect(provider, app)
      return {
        askMyAccount: () => session.callTool('my_account'),
        close: () => session.disconnect(),
      }
    }),
}
