import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterText, ROOT } from '../drive/program.ts'
import type { Trial } from '../drive/tried-client.ts'

export const mcpRemote: Trial = {
  name: 'mcp-remote',
  package: 'mcp-remote',
  application: { isPublic: true, callback: '/oauth/callback' },
  refreshesAfter: 'refusal',
  words: { signsOut: '' },
  cannot: {
    signsOut:
      'forgets the tokens; [the SDK does not revoke](https://github.com/modelcontextprotocol/typescript-sdk/pull/739)',
  },
  async start({ ada, port }, app) {
    const home = await mkdtemp(join(tmpdir(), 'schoolgate-mcp-remote-'))
    const transport = new StdioClientTransport({
      command: 'sh',
      args: ['recipes/mcp-remote.sh'],
      cwd: ROOT,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: home,
        ORIGIN: app.origin,
        PORT: String(port),
        CLIENT_ID: app.clientId,
      },
      stderr: 'pipe',
    })
    const client = new Client({ name: 'an assistant', version: '1.0.0' })
    const address = afterText(transport.stderr, /(http:\S+\/oauth\/authorize\S+)/)
    return {
      async signIn() {
        await client.connect(transport)
        const waiting = client
          .callTool({ name: 'sign_in', arguments: { as: 'member' } })
          .catch(() => undefined)
        const callback = await ada.consent(await address, app.redirectUri)
        await opening(() => ada.open(callback))
        await waiting
      },
      me: async () => JSON.stringify(await client.callTool({ name: 'my_account', arguments: {} })),
      async signOut() {
        await rm(home, { recursive: true, force: true })
      },
      async close() {
        await client.close()
        await rm(home, { recursive: true, force: true })
      },
    }
  },
}

/** It listens only a moment after it has shown the address. */
async function opening(open: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    const opened = await open().catch(() => undefined)
    if (opened !== undefined) return
    await sleep(200)
  }
  throw new Error('mcp-remote does not listen for its callback')
}
