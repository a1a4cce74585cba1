import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { environmentOf } from '../cli/support/run.ts'
import { whenFileIsDone } from '../support/clean-up.ts'
import { aCollector } from '../support/collector.ts'
import { emptyDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { madeOnce } from '../support/made-once.ts'
import { build, freePort, RunningServer } from './support/running-server.ts'

/** Whole servers start here; only a server that hangs takes this long. */
const START_MS = 180_000

describe('a server in another process', () => {
  let folder: string
  let database: pg.ClientConfig
  beforeAll(async () => {
    await madeOnce('dist', build)
    database = await emptyDatabase()
    folder = await mkdtemp(join(tmpdir(), 'schoolgate-traces-'))
    whenFileIsDone(() => rm(folder, { recursive: true, force: true }))
  }, START_MS)

  async function aServer(env: Record<string, string> = {}): Promise<RunningServer> {
    const server = new RunningServer(await freePort(), { ...environmentOf(database), ...env })
    await server.ready()
    return server
  }

  /** Node writes the source maps of all scripts that it has loaded into the folder. */
  async function aWatchedServer(name: string, env: Record<string, string> = {}) {
    const scripts = join(folder, name)
    return { server: await aServer({ NODE_V8_COVERAGE: scripts, ...env }), scripts }
  }

  async function tracingScripts(folderOfScripts: string): Promise<readonly string[]> {
    const files = await readdir(folderOfScripts)
    const texts = await Promise.all(
      files.map((file) => readFile(join(folderOfScripts, file), 'utf8')),
    )
    const loaded: string[] = texts.flatMap((text) => {
      const maps: Record<string, { data: { sources: string[] } }> =
        JSON.parse(text)['source-map-cache']
      return Object.values(maps).flatMap(({ data }) => data.sources)
    })
    expect(loaded.filter((source) => source.endsWith('/src/app.ts'))).not.toEqual([])
    return loaded.filter((source) => source.includes('/foundation/tracing/'))
  }

  test(
    'loads nothing of the tracing while no collector is configured',
    async () => {
      const { server, scripts } = await aWatchedServer('off')
      await server.ask('/sign-in')
      expect(await server.stop()).toBe(0)
      expect(await tracingScripts(scripts)).toEqual([])
    },
    START_MS,
  )

  test(
    'sends what is left when it ends',
    async () => {
      const collector = await aCollector()
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'gate' }
      const { server, scripts } = await aWatchedServer('on', env)
      await server.ask('/healthz')
      expect(await server.stop()).toBe(0)
      expect(collector.spans.map(({ name }) => name)).toContain('GET /healthz')
      expect(await tracingScripts(scripts)).not.toEqual([])
    },
    START_MS,
  )

  test(
    'answers and ends properly while the collector is silent',
    async () => {
      const collector = await aCollector('silent')
      const server = await aServer({
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
      })
      for (let n = 0; n < 30; n++) {
        const asked = Array.from({ length: 20 }, () => server.ask('/healthz'))
        for (const { status } of await Promise.all(asked)) expect(status).toBe(200)
      }
      await vi.waitFor(() => expect(collector.exports).toHaveLength(1), eventually)
      expect((await server.ask('/readyz')).status).toBe(200)
      expect(await server.stop()).toBe(0)
    },
    START_MS,
  )
})
