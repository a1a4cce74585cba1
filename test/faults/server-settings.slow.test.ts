import { once } from 'node:events'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { findRunningEmbedded } from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { urlOf } from '../cli/support/run.ts'
import { DemoVisitor } from '../outages/demo-visitor.ts'
import { verifies } from '../spec/verifies.ts'
import { whenFileIsDone } from '../support/clean-up.ts'
import { emptyDatabase } from '../support/database.ts'
import { madeOnce } from '../support/made-once.ts'
import { connect } from '../support/postgres.ts'
import { DataFolders } from './support/data-folders.ts'
import { build, freePort, RunningServer } from './support/running-server.ts'

/** Whole servers start here, beside all other tests; only a server that hangs takes this long. */
const START_MS = 180_000
const SECRET = { SCHOOLGATE_SECRET: 's'.repeat(40) }

const folders = new DataFolders()
afterAll(() => folders[Symbol.asyncDispose]())
beforeAll(() => madeOnce('dist', build), START_MS)

async function start(env: Record<string, string>, port?: number): Promise<RunningServer> {
  const server = new RunningServer(port ?? (await freePort()), env)
  whenFileIsDone(() => server.process.kill('SIGKILL'))
  return server
}

describe('a server', () => {
  test(
    'two workers share the port and count requests together',
    async () => {
      const metricsPort = await freePort()
      const server = await start({
        ...SECRET,
        DATABASE_URL: urlOf(await emptyDatabase()),
        SCHOOLGATE_DEMO: 'on',
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
    },
    START_MS,
  )

  test(
    'production never gets the demo world, writes only JSON, and its metrics listen on loopback whatever HOST is',
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
      const lines = server.output.trim().split('\n')
      const told = lines.map((line) => JSON.parse(line))
      expect(told).toContainEqual(
        expect.objectContaining({
          setupCode: expect.stringMatching(/^[2-9A-Z]{4}(-[2-9A-Z]{4}){2}$/),
        }),
      )
    },
    START_MS,
  )
})
describe('a server that cannot start prints the reason and leaves no process', () => {
  test(
    'a port that is taken',
    async () => {
      const dataDir = await folders.makeWithDatabase()
      const usedPort = await freePort()
      const other = createServer().listen(usedPort, '127.0.0.1')
      await once(other, 'listening')
      const server = await start({ SCHOOLGATE_DATA_DIR: dataDir, NODE_ENV: 'production' }, usedPort)
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
      const away = await start({ ...SECRET, DATABASE_URL: 'postgres://me:pw@127.0.0.1:1/x' })
      expect(await away.ended()).toBe(1)
      expect(away.output).toContain('cannot be reached')
      expect(away.output).not.toContain('pw@')
      const url = urlOf({ ...(await emptyDatabase()), database: 'misspelt' })
      const unknown = await start({ ...SECRET, DATABASE_URL: url })
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
        ...SECRET,
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
      const env = { DATABASE_URL: urlOf(await emptyDatabase()), ...SECRET }
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
