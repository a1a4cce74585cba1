import { exec } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findRunningEmbedded } from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { mintToken } from '../../src/foundation/protocol/token-format.ts'
import { verifies } from '../spec/verifies.ts'
import { whenFileIsDone } from '../support/clean-up.ts'
import { madeOnce } from '../support/made-once.ts'
import { DataFolders, stopSyncing } from './support/data-folders.ts'
import { build, freePort, RunningServer } from './support/running-server.ts'

/** Whole servers start here, beside all other tests; only a server that hangs takes this long. */
const START_MS = 180_000

/** Well-formed, so that the server looks it up in the database. */
const UNKNOWN_TOKEN = mintToken('access', '00000000-0000-7000-8000-000000000000').value

const folders = new DataFolders()
afterAll(() => folders[Symbol.asyncDispose]())
beforeAll(() => madeOnce('dist', build), START_MS)

async function start(env: Record<string, string>): Promise<RunningServer> {
  const server = new RunningServer(await freePort(), env)
  whenFileIsDone(() => server.process.kill('SIGKILL'))
  return server
}

function issuer(answer: { body: string }): unknown {
  return (JSON.parse(answer.body) as { issuer?: unknown }).issuer
}

/** The first server on a new data folder, which has the demo world when it is ready. */
const first = lazy(async () => {
  const dataDir = await folders.make()
  const server = await start({ SCHOOLGATE_DATA_DIR: dataDir })
  await server.ready()
  return { server, dataDir }
})

/** Ends the first server, and returns its exit code. */
const afterFirst = lazy(async () => {
  const { server, dataDir } = await first()
  return { code: await server.stop(), dataDir }
})

/** The next server on the folder of the first one. */
const second = lazy(async () => {
  const { dataDir } = await afterFirst()
  await stopSyncing(dataDir)
  const server = await start({ SCHOOLGATE_DATA_DIR: dataDir })
  await server.ready()
  return { server, dataDir }
})

function lazy<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

describe('npm start on a bare machine', () => {
  verifies(
    ['demo.first-start', 'demo.port-moves', 'demo.schools', 'demo.health'],
    'serves the demo world, prints what to try, stops cleanly, and follows a changed port',
    async () => {
      const { server, dataDir } = await first()
      for (const host of ['localhost', 'harbor.localhost', 'heritage.localhost']) {
        const origin = `${host}:${server.port}`
        const answer = await server.ask('/.well-known/oauth-authorization-server', { host: origin })
        expect(issuer(answer)).toBe(`http://${origin}`)
      }
      const otherHost = await server.ask('/', { host: 'nobody.test' })
      expect(otherHost.status).toBe(404)
      for (const path of ['/healthz', '/readyz']) {
        expect((await server.ask(path, { host: 'nobody.test' })).status).toBe(200)
      }
      for (const word of ['harbor.localhost', 'ada@demo.test', 'schoolgate-demo', 'demo-public']) {
        expect(server.output).toContain(word)
      }
      expect((await afterFirst()).code).toBe(0)
      expect(await findRunningEmbedded(dataDir)).toBeUndefined()

      const { server: next } = await second()
      expect(next.port).not.toBe(server.port)
      expect(issuer(await next.ask('/.well-known/openid-configuration'))).toBe(
        `http://localhost:${next.port}`,
      )
    },
    START_MS,
  )

  test(
    'a data folder that another server uses is refused with its pid',
    async () => {
      const { server, dataDir } = await second()
      const refused = await start({ SCHOOLGATE_DATA_DIR: dataDir })
      expect(await refused.ended()).toBe(1)
      expect(refused.output).toContain(String(server.process.pid))
      expect((await server.ask('/readyz')).status).toBe(200)
    },
    START_MS,
  )

  test(
    'kill -9 of PostgreSQL below it gives 503 for a moment, then the usual answers, and it stops cleanly',
    async () => {
      const { server, dataDir } = await second()
      const before = await findRunningEmbedded(dataDir)
      if (before === undefined) throw new Error('no PostgreSQL')
      process.kill(before.pid, 'SIGKILL')
      const statuses = new Set<number>()
      for (;;) {
        const { status } = await server.ask('/api/oauth/userinfo', {
          headers: { authorization: `Bearer ${UNKNOWN_TOKEN}` },
        })
        statuses.add(status)
        const now = await findRunningEmbedded(dataDir).catch(() => undefined)
        if (status === 401 && now !== undefined && now.pid !== before.pid) break
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      expect([...statuses].filter((status) => status !== 503 && status !== 401)).toEqual([])
      await server.ready()
      expect(await server.stop('SIGINT')).toBe(0)
      expect(await findRunningEmbedded(dataDir)).toBeUndefined()
    },
    START_MS,
  )
})

test('a command whose reader has seen enough ends without an error', async () => {
  const command = `${process.execPath} dist/main.js import --help | true`
  const { stderr } = await promisify(exec)(command, { cwd: new URL('../..', import.meta.url) })
  expect(stderr).toBe('')
})
