import { once } from 'node:events'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { findRunningEmbedded } from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { mintToken } from '../../src/foundation/protocol/token-format.ts'
import { urlOf } from '../cli/support/run.ts'
import { DemoVisitor } from '../hold/demo-visitor.ts'
import { verifies } from '../spec/verifies.ts'
import { emptyDatabase } from '../support/database.ts'
import { madeOnce } from '../support/made-once.ts'
import { connect } from '../support/postgres.ts'
import { DataFolders, stopSyncing } from './support/data-folders.ts'
import { build, freePort, RunningServer } from './support/running-server.ts'

/** Whole servers start here, beside all other tests; only a server that hangs takes this long. */
const START_MS = 180_000

/** Well-formed, so that the server looks it up in the database. */
const UNKNOWN_TOKEN = mintToken('access', '00000000-0000-7000-8000-000000000000').value

const folders = new DataFolders()
afterAll(() => folders[Symbol.asyncDispose]())
beforeAll(() => madeOnce('dist', build), START_MS)

const started: RunningServer[] = []
afterAll(() => {
  for (const server of started) server.process.kill('SIGKILL')
})

async function start(env: Record<string, string>, port?: number): Promise<RunningServer> {
  const server = new RunningServer(port ?? (await freePort()), env)
  started.push(server)
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

/** Ends the first server, and returns its exit code and a copy of its folder: it takes long to make one. */
const afterFirst = lazy(async () => {
  const { server, dataDir } = await first()
  const code = await server.stop()
  await stopSyncing(dataDir)
  return { code, dataDir, copy: await folders.makeLike(dataDir) }
})

/** The next server on the folder of the first one. */
const second = lazy(async () => {
  const { dataDir } = await afterFirst()
  const server = await start({ SCHOOLGATE_DATA_DIR: dataDir })
  await server.ready()
  return { server, dataDir }
})

/** A folder with the demo world. Each test that uses it ends its server. */
async function aFolderOfBefore(): Promise<string> {
  return (await afterFirst()).copy
}

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

  test(
    'two workers share the port and count requests together',
    async () => {
      const dataDir = await aFolderOfBefore()
      const metricsPort = await freePort()
      const server = await start({
        SCHOOLGATE_DATA_DIR: dataDir,
        WORKERS: '2',
        METRICS_PORT: String(metricsPort),
        METRICS_TOKEN: 'a-token-for-prometheus',
      })
      await server.ready()
      expect((await server.ask('/.well-known/jwks.json')).status).toBe(200)
      const withoutToken = await vi.waitFor(
        () => fetch(`http://127.0.0.1:${metricsPort}/metrics`),
        START_MS,
      )
      expect(withoutToken.status).toBe(401)
      const metrics = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, {
        headers: { authorization: 'Bearer a-token-for-prometheus' },
      })
      expect(await metrics.text()).toContain('schoolgate_http_requests_total')
      expect(await server.stop()).toBe(0)
      expect(await findRunningEmbedded(dataDir)).toBeUndefined()
    },
    START_MS,
  )

  test(
    'production never gets the demo world, and its metrics listen on loopback whatever HOST is',
    async () => {
      const dataDir = await folders.makeWithDatabase()
      const metricsPort = await freePort()
      const server = await start({
        SCHOOLGATE_DATA_DIR: dataDir,
        NODE_ENV: 'production',
        HOST: '0.0.0.0',
        METRICS_PORT: String(metricsPort),
      })
      await server.ready()
      expect((await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).status).toBe(200)
      for (const address of otherAddresses()) {
        await expect(fetch(`http://${address}:${metricsPort}/metrics`)).rejects.toThrow()
      }
      expect((await server.ask('/.well-known/openid-configuration')).status).toBe(404)
      expect(server.output).not.toContain('schoolgate-demo')
      expect(await server.stop()).toBe(0)
    },
    START_MS,
  )
})

describe('a server that cannot start prints the reason and leaves no process', () => {
  test(
    'a port that is taken',
    async () => {
      const dataDir = await aFolderOfBefore()
      const usedPort = await freePort()
      const other = createServer().listen(usedPort, '127.0.0.1')
      await once(other, 'listening')
      const server = await start({ SCHOOLGATE_DATA_DIR: dataDir }, usedPort)
      expect(await server.ended()).toBe(1)
      expect(server.output).toContain(`Port ${usedPort} is taken`)
      expect(await findRunningEmbedded(dataDir)).toBeUndefined()
      other.close()
    },
    START_MS,
  )

  test(
    'an unreachable database, or a wrong database name',
    async () => {
      const env = { SCHOOLGATE_SECRET: 'x'.repeat(40) }
      const away = await start({ ...env, DATABASE_URL: 'postgres://me:pw@127.0.0.1:1/x' })
      expect(await away.ended()).toBe(1)
      expect(away.output).toContain('cannot be reached')
      expect(away.output).not.toContain('pw@')
      const url = urlOf({ ...(await emptyDatabase()), database: 'misspelt' })
      const unknown = await start({ ...env, DATABASE_URL: url })
      expect(await unknown.ended()).toBe(1)
      expect(unknown.output).toContain(
        'PostgreSQL answers, but database "misspelt" does not exist.',
      )
      expect(unknown.output).toContain('correct its name in DATABASE_URL')
      expect(unknown.output).not.toContain('host and port')
    },
    START_MS,
  )

  test(
    'a wrong variable',
    async () => {
      const server = await start({ WORKERS: 'many' })
      expect(await server.ended()).toBe(1)
      expect(server.output).toContain('WORKERS is "many"')
    },
    START_MS,
  )
})

describe('DATABASE_URL', () => {
  test(
    'serves the demo world from another PostgreSQL if it is asked to, is notified of changes there, and ends with all counts written',
    async () => {
      const connection = await emptyDatabase()
      const server = await start({
        DATABASE_URL: urlOf(connection),
        SCHOOLGATE_SECRET: 's'.repeat(40),
        SCHOOLGATE_DEMO: 'on',
      })
      await server.ready()
      const discover = () => server.ask('/.well-known/openid-configuration')
      expect((await discover()).status).toBe(200)
      const form = {
        grant_type: 'refresh_token',
        client_id: 'demo-confidential',
        client_secret: 'demo-confidential-secret',
        refresh_token: 'made up',
      }
      for (let time = 0; time < 5; time++) {
        expect((await server.ask('/api/oauth/token', { form })).status).toBe(400)
      }
      const { access_token } = await (await DemoVisitor.signedIn(server, 'ada@demo.test')).aPair()
      const headers = { authorization: `Bearer ${access_token}` }
      for (let time = 0; time < 3; time++) {
        expect((await server.ask('/api/oauth/userinfo', { headers })).status).toBe(200)
      }
      const client = await connect(connection)
      const activity = 'select kind, reads from app_activity'
      expect((await client.query(activity)).rows).toEqual([])
      await client.query("update schools set origin = 'http://moved.test' where origin = $1", [
        `http://localhost:${server.port}`,
      ])
      // Far less than the time a school stays cached without a notification.
      const soon = { timeout: 15_000 }
      await vi.waitFor(async () => expect((await discover()).status).toBe(404), soon)
      expect(await server.stop('SIGTERM')).toBe(0)
      // Merged entries are counted once a minute; the last counts must not be lost.
      const { rows } = await client.query(
        `select detail -> 'repeated' as repeated from audit_entries
         where action = 'token.refused' and client_id = 'demo-confidential' and request_id is not null
         order by at desc limit 1`,
      )
      // So is what apps read: the ID token, and three times UserInfo.
      const { rows: read } = await client.query(activity)
      await client.end()
      expect(rows).toEqual([{ repeated: 4 }])
      expect(read).toEqual([{ kind: 'profile', reads: 4 }])
    },
    START_MS,
  )

  verifies(
    ['setup.demo-on-request', 'setup.shared'],
    'an empty database of your own gets no demo world, but a code that two workers know',
    async () => {
      const env = { DATABASE_URL: urlOf(await emptyDatabase()), SCHOOLGATE_SECRET: 's'.repeat(40) }
      const server = await start({ ...env, WORKERS: '2' })
      await server.ready()
      await vi.waitFor(() => expect(server.output).toContain('setup code'), START_MS)
      expect(server.output).not.toContain('schoolgate-demo')
      const [code = ''] = /\b[2-9A-Z]{4}(?:-[2-9A-Z]{4}){2}\b/.exec(server.output) ?? []
      const post = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
        server.ask('/setup', { form: fields, headers })
      // A new connection for each request, so that both workers answer some.
      for (let i = 0; i < 6; i += 1) expect((await server.ask('/setup')).status).toBe(200)
      expect((await post({ code })).status).toBe(403)
      const page = await server.ask('/setup')
      const [cookie = ''] = String(page.headers['set-cookie']).split(';')
      const [, token = ''] = /name="form_token" value="([^"]*)"/.exec(page.body) ?? []
      const made = await post(
        {
          form_token: token,
          code,
          school_name: 'North',
          origin: `http://localhost:${server.port}`,
          subdomain: 'north',
          name: 'Grace',
          email: 'grace@north.test',
          password: 'a quiet lighthouse keeper',
        },
        { cookie },
      )
      expect(made.status).toBe(303)
      await vi.waitFor(async () => {
        for (let i = 0; i < 6; i += 1) {
          expect((await server.ask('/setup')).status).toBe(404)
          expect((await server.ask('/sign-in')).status).toBe(200)
        }
      }, START_MS)
      expect(await server.stop()).toBe(0)
    },
    START_MS,
  )
})

/** Addresses of this machine other than 127.0.0.1, as a URL spells them. */
function otherAddresses(): string[] {
  const external = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address))
  return ['[::1]', ...external]
}
