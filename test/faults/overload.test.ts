import { Registry } from 'prom-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { requestMetrics } from '../../src/foundation/http/metrics.ts'
import { aPair, refresh, userinfo } from '../support/client-like.ts'
import { eventually } from '../support/eventually.ts'
import { getFrom } from '../support/oauth-world.ts'
import { aWorld } from '../support/world.ts'

const WAIT_MS = 10_000
const TURN_MS = 1_000

/**
 * An event loop whose turns the test ends, and whose clock it moves: no time passes while requests
 * are served.
 */
const loop = { now: 0, ends: [] as (() => void)[] }
const lines: string[] = []
let started = 0
const metrics = new Registry()
const world = await aWorld({
  line: {
    turnMs: TURN_MS,
    waitMs: WAIT_MS,
    waiting: 60,
    now: () => loop.now,
    atTurnEnd: (end) => void loop.ends.push(end),
  },
  log: { write: (line) => void lines.push(line) },
  observers: [{ finished: () => undefined, started: () => started++ }, requestMetrics(metrics)],
})
const [school, other] = [await world.aSchool(), await world.aSchool()]
const client = await world.aPublicClient(school)
const otherClient = await world.aPublicClient(other)
const pair = await aPair(world, school, client, await world.aMember(school))
const otherPair = await aPair(world, other, otherClient, await world.aMember(other))
endTurn()

function endTurn(): void {
  for (const end of loop.ends.splice(0)) end()
}

/** From now on this turn begins no further request. */
async function fillTurn(): Promise<void> {
  endTurn()
  expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
  loop.now += TURN_MS + 1
  onTestFinished(() => {
    endTurn()
    endTurn()
  })
}

const ask = () => userinfo(world, school, pair.access_token)

/** Sends requests and returns when they have arrived. */
async function waiting<R>(...requests: (() => Promise<R>)[]): Promise<Promise<R>[]> {
  const before = started
  const answers = requests.map((send) => send())
  await vi.waitFor(() => expect(started - before).toBe(requests.length), eventually)
  return answers
}

test('a flood of requests: those that wait too long are refused with Retry-After', async () => {
  await fillTurn()
  const [read, page] = await waiting(ask, () =>
    getFrom(world, school, '/', { accept: 'text/html' }),
  )
  loop.now += WAIT_MS + 1
  endTurn()

  const refused = await read
  expect(refused?.statusCode).toBe(503)
  expect(refused?.headers).toMatchObject({ 'retry-after': '2', 'cache-control': 'no-store' })
  expect(refused?.json()).toMatchObject({
    error: 'temporarily_unavailable',
    error_uri: `${school.origin}/docs/errors#temporarily_unavailable`,
  })
  expect(refused?.headers['www-authenticate']).toBeUndefined()

  const shown = await page
  expect(shown?.statusCode).toBe(503)
  expect(shown?.headers).toMatchObject({ 'retry-after': '2', 'x-frame-options': 'DENY' })
  expect(shown?.body).toContain('Too many visitors at once')
  expect(shown?.body).toContain(shown?.headers['x-request-id'])
})

test('a flood of paths that lead nowhere waits in the same line', async () => {
  await fillTurn()
  const pages = await waiting(
    () => getFrom(world, school, '/nothing-here', { accept: 'text/html' }),
    () => getFrom(world, school, '/api/nothing-here'),
  )
  // The school is known a moment after the request has arrived.
  await new Promise((resolve) => setImmediate(resolve))
  loop.now += WAIT_MS + 1
  endTurn()
  for (const page of await Promise.all(pages)) {
    expect(page.statusCode).toBe(503)
    expect(page.headers['retry-after']).toBe('2')
  }
})

test('those that wait a little are served in the next turns', async () => {
  await fillTurn()
  const answers = await waiting(ask, ask, ask)
  loop.now += WAIT_MS / 2
  endTurn()
  expect((await Promise.all(answers)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
})

test('a refused refresh did not happen, and works later', async () => {
  await fillTurn()
  const [refused] = await waiting(() => refresh(world, school, client, pair.refresh_token))
  loop.now += WAIT_MS + 1
  endTurn()
  expect((await refused)?.statusCode).toBe(503)
  endTurn()
  expect((await refresh(world, school, client, pair.refresh_token)).statusCode).toBe(200)
})

test('the flood of one school does not refuse another, nor the checks of a load balancer', async () => {
  await fillTurn()
  const flood = await waiting(...Array.from({ length: 61 }, () => ask))
  expect((await flood.at(-1))?.statusCode).toBe(503)
  const [served] = await waiting(() => userinfo(world, other, otherPair.access_token))
  for (const path of ['/healthz', '/readyz']) {
    expect((await getFrom(world, school, path)).statusCode).toBe(200)
  }
  endTurn()
  expect((await served)?.statusCode).toBe(200)
  await Promise.all(flood)
})

test('a flood fills neither the log nor goes uncounted', async () => {
  await fillTurn()
  const before = await refusedSoFar()
  const answers = await waiting(...Array.from({ length: 50 }, () => ask))
  loop.now += WAIT_MS + 1
  // Ten lines in a second, however long the test takes.
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000)
  onTestFinished(() => void vi.restoreAllMocks())
  lines.length = 0
  endTurn()
  await Promise.all(answers)
  expect(lines.filter((line) => line.includes('"overloaded"'))).toHaveLength(10)
  expect((await refusedSoFar()) - before).toBe(50)
})

async function refusedSoFar(): Promise<number> {
  const counter = metrics.getSingleMetric('schoolgate_http_requests_refused_total')
  return (await counter?.get())?.values[0]?.value ?? 0
}
