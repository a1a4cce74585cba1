import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterText, ROOT, runToEnd } from '../drive/program.ts'
import type { Trial } from '../drive/tried-client.ts'

const SIGN_IN = [
  ...['--method', 'tools/call', '--tool-name', 'sign_in'],
  ...['--tool-args-json', '{"as":"member"}'],
]
/** Otherwise it would wait for a browser after a refresh whose answer was lost. */
const MY_ACCOUNT = ['--stored-auth-only', '--method', 'tools/call', '--tool-name', 'my_account']
const SIGN_OUT = ['--relogin', '--method', 'tools/list']

/** The folder of a Node 22: the Inspector needs one, and Schoolgate runs on 20. */
function folderOfNode(): string {
  if (Number(process.versions.node.split('.')[0]) >= 22) return join(process.execPath, '..')
  const { platform, arch } = process
  const found = [`node-${platform}-${arch}`, `node-bin-${platform}-${arch}`]
    .map((name) => join(ROOT, 'node_modules', name, 'bin'))
    .find((path) => existsSync(join(path, 'node')))
  if (found !== undefined) return found
  throw new Error(`No Node 22 is packaged for ${platform} on ${arch}: run this with Node 22.`)
}

export const mcpInspector: Trial = {
  name: 'mcp-inspector',
  package: '@modelcontextprotocol/inspector',
  application: { isPublic: true },
  refreshesAfter: 'refusal',
  words: { signsOut: '' },
  cannot: {
    // Its revocation reads `serverMetadata`, which no login saves: that keeps `discoveryState`.
    signsOut:
      'forgets the tokens; `--relogin` [should revoke](https://github.com/modelcontextprotocol/inspector/pull/2186) but does not find the endpoint',
  },
  async start({ ada, port }, app) {
    const home = await mkdtemp(join(tmpdir(), 'schoolgate-inspector-'))
    const env = {
      PATH: `${folderOfNode()}:${process.env.PATH}`,
      HOME: home,
      MCP_INSPECTOR_SECRET_STORE: 'file',
      // Otherwise it signs in only at a terminal. Ada has a browser already, so it opens none.
      MCP_AUTO_OPEN_ENABLED: 'true',
      BROWSER: 'true',
      ORIGIN: app.origin,
      PORT: String(port),
      CLIENT_ID: app.clientId,
    }
    const run = (args: readonly string[]) =>
      runToEnd('sh', ['recipes/mcp-inspector.sh', ...args], env)
    return {
      async signIn() {
        const { stderr, output } = run(SIGN_IN)
        const failed = output.then(
          () => 'nothing: it did not ask for a login',
          (error: unknown) => String(error),
        )
        const address = afterText(stderr, /(http:\S+\/oauth\/authorize\?\S+)/)
        const first = await Promise.race([address, failed])
        if (!first.startsWith('http:')) throw new Error(first)
        await ada.open(first)
        const end = await failed
        // Signed in, it looks for `sign_in` again, which is listed for strangers only.
        if (!end.includes("Tool 'sign_in' not found")) throw new Error(end)
      },
      me: () => run(MY_ACCOUNT).output,
      signOut: async () => void (await run(SIGN_OUT).output),
      close: () => rm(home, { recursive: true, force: true }),
    }
  },
}
