import { expect, test } from 'vitest'
import { TIME_OUTS } from '../../../src/foundation/db/time-outs.ts'
import { parseTrustProxy } from '../../../src/foundation/http/client-address.ts'
import { flood, hostileRoads } from '../../support/flood.ts'
import { documentHost, follow, type Road, roadsTo } from '../../support/mixed-requests.ts'
import { aWorld } from '../../support/world.ts'
import { keepPart } from '../report/keep-part.ts'

/** How many requests the calm school sends, and how often each hostile road is taken at once. */
const REQUESTS = Number(process.env.FLOOD_REQUESTS ?? 5_000)
const TIMES = Number(process.env.FLOOD_TIMES ?? 6)
const AT_ONCE = 4

interface Walk {
  readonly failed: string[]
  readonly milliseconds: number[]
}

async function walk(roads: readonly Road[], requests: number): Promise<Walk> {
  const result: Walk = { failed: [], milliseconds: [] }
  let sent = 0
  const visit = async (): Promise<void> => {
    while (sent < requests) {
      const road = roads[sent++ % roads.length]
      if (road === undefined) return
      const start = performance.now()
      await follow(road).catch((error: Error) => result.failed.push(error.message))
      result.milliseconds.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, visit))
  return result
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return Math.round(sorted[Math.floor(part * (sorted.length - 1))] ?? 0)
}

test('one school flooded by every road at once, with the time-outs of an installation', async () => {
  const world = await aWorld({
    loopbackDocuments: true,
    documentHosts: ['127.0.0.1'],
    trust: parseTrustProxy('loopback'),
    realHashes: true,
    databaseSettings: {
      poolSize: 12,
      statementTimeoutMs: { stranger: 300, interactive: 4_000, batch: 10_000 },
      connectMs: TIME_OUTS.connect,
      waitMs: TIME_OUTS.wait,
    },
  })
  const documents = await documentHost()
  const roads = await roadsTo(world, await world.aSchool(), documents)
  const hostile = await hostileRoads(world, await world.aSchool(), documents)
  const before = await walk(roads, 10 * roads.length)
  const running = flood(hostile, TIMES)
  const during = await walk(roads, REQUESTS)
  documents.release()
  await running.stop()
  const rows = [...running.answered].map(([name, counts]) => [
    name,
    Object.values(counts).reduce((sum, count) => sum + count, 0),
    Object.entries(counts)
      .map(([status, count]) => `${status}: ${count}`)
      .join(', '),
  ])
  const times = ({ milliseconds }: Walk) =>
    [0.5, 0.95, 0.99].map((part) => `${quantile(milliseconds, part)} ms`).join(', ')
  keepPart('flood', {
    order: 40,
    title: 'A flood at one school',
    lead: [
      `Each road below was taken ${TIMES} times at once at one school while another school sent ${REQUESTS} mixed requests,`,
      `${AT_ONCE} at a time, on one process. Of these ${during.failed.length} were refused or failed.`,
      `Half, 95 and 99 % of them were answered within ${times(during)}; without the flood within ${times(before)}.`,
    ],
    columns: ['Road', 'Answers', 'By status'],
    rows,
  })
  expect(before.failed).toEqual([])
  expect(during.failed).toEqual([])
  for (const [name, counts] of running.answered) expect(counts, name).not.toHaveProperty('500')
})
