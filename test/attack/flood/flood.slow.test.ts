import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { parseTrustProxy } from '../../../src/foundation/http/client-address.ts'
import { verifies } from '../../spec/verifies.ts'
import { flood, hostileRoads } from '../../support/flood.ts'
import { documentHost, follow, roadsTo } from '../../support/mixed-requests.ts'
import { aWorld } from '../../support/world.ts'

const REQUESTS = 200
const AT_ONCE = 4
/** Takes ten seconds, or a minute on a busy machine. */
const MOST_MS = 180_000
/** A little less than the test may take, to say what hangs. It asserts no speed. */
const HANG_MS = MOST_MS - 10_000

const stuck = (sent: number, open: ReadonlySet<string>): Error =>
  new Error(
    `The school beside the flooded one still waits at request ${sent} of ${REQUESTS}, for: ${[...open].join(', ')}. See the shares of schools (foundation/concurrency/limiter.ts).`,
  )

verifies(
  'house.tenancy.share',
  'one school flooded by every road at once costs another school none of 200 requests',
  async () => {
    const hang = pause(HANG_MS, undefined, { ref: false })
    // As many connections as an installation has.
    const world = await aWorld({
      loopbackDocuments: true,
      documentHosts: ['127.0.0.1'],
      trust: parseTrustProxy('loopback'),
      databaseSettings: { poolSize: 12 },
      realHashes: true,
    })
    const documents = await documentHost()
    const flooded = await world.aSchool()
    const calm = await world.aSchool()
    const roads = await roadsTo(world, calm, documents)
    const hostile = await hostileRoads(world, flooded, documents, 10)
    for (const road of roads) await follow(road)
    const running = flood(hostile, 1, 50)
    // Also if the test fails: a flood that goes on would meet a closed database.
    const stop = async (): Promise<void> => {
      documents.release()
      await running.stop()
    }
    onTestFinished(stop)
    await expect.poll(() => running.answered.size).toBe(hostile.length)
    let sent = 0
    const open = new Set<string>()
    const visit = async (): Promise<void> => {
      while (sent < REQUESTS) {
        const road = roads[sent++ % roads.length]
        if (road === undefined) continue
        open.add(road.name)
        await follow(road)
        open.delete(road.name)
      }
    }
    const visits = Promise.all(Array.from({ length: AT_ONCE }, visit))
    try {
      await Promise.race([visits, hang.then(() => Promise.reject(stuck(sent, open)))])
    } finally {
      sent = REQUESTS
    }
    await stop()
    const answers = Object.fromEntries(running.answered)
    // The flood is one: every road was taken, and no request failed because of a fault of ours.
    for (const [name, counts] of Object.entries(answers)) {
      expect(Object.keys(counts).length, name).toBeGreaterThan(0)
      expect(counts, name).not.toHaveProperty('500')
      expect(counts, name).not.toHaveProperty('0')
    }
  },
  MOST_MS,
)
