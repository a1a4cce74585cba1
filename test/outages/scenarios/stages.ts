import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { findRunningEmbedded } from '../../../src/foundation/db/embedded/embedded-postgres.ts'
import { DatabaseProbe } from '../machine/database-probe.ts'
import { toPrimary } from '../machine/haproxy.ts'
import { PatroniCluster } from '../machine/patroni-cluster.ts'
import type { Place } from '../machine/place.ts'
import { type Data, makeWorld, runCommand, startServer } from '../machine/servers.ts'
import { LOGIN } from '../machine/single-postgres.ts'
import type { Run } from '../scenario.ts'
import { checkAudit, checkLedger } from '../traffic/check.ts'
import { Traffic } from '../traffic/traffic.ts'

const CALM_MS = 5000
/** A fault that shows nothing so soon after it shows nothing at all. */
const FAULT_SHOWS_MS = 3000

/** A server, and what tells when its database was away. */
interface Watched {
  readonly port: number
  readonly probe: DatabaseProbe
}

/**
 * Calm traffic, a fault, the return of the database, calm again; returns the seconds until requests
 * succeeded.
 */
export async function breakAndRecover(
  traffic: Traffic,
  watched: readonly Watched[],
  fault: () => Promise<unknown> | unknown,
): Promise<number> {
  await sleep(CALM_MS)
  const since = Date.now()
  await fault()
  const seconds = await Promise.all(
    watched.map(async ({ port, probe }) => {
      while (!probe.wasAway(since) && Date.now() - since < FAULT_SHOWS_MS) await sleep(100)
      let backAt = probe.backAt(since)
      // Back to stay: between two nodes the database may come and go.
      while (backAt === undefined || Date.now() - backAt < CALM_MS) {
        await sleep(100)
        backAt = probe.backAt(since)
      }
      return traffic.figures.recovery(port, backAt)
    }),
  )
  return Math.max(...seconds)
}

/** Lets the clients finish, and compares the server with their ledger. */
export async function finish(traffic: Traffic, database?: pg.ClientConfig): Promise<void> {
  await traffic.stop()
  await checkLedger(traffic.ledger, traffic.caller)
  if (database !== undefined) await checkAudit(traffic.ledger, traffic.startedAt, database)
}

export const purgeOf = (place: Place, data: Data) => () => runCommand(place, data, ['purge'])

const addressOf = (port: number): pg.ClientConfig => ({
  ...{ host: '127.0.0.1', port, ...LOGIN },
  database: 'schoolgate',
})

/** Two servers on a synchronous pair: one behind HAProxy, one that knows both hosts. */
export async function onCluster(
  place: Place,
  seed: number,
  fault: (cluster: PatroniCluster) => Promise<unknown>,
): Promise<Run> {
  const cluster = await PatroniCluster.start(place)
  const { nodes } = cluster
  const proxyPort = await toPrimary(
    place,
    nodes.map(({ port, restPort }) => ({ port, checkPort: restPort })),
  )
  const data = { DATABASE_URL: cluster.url() }
  const worldPort = await makeWorld(place, data)
  const behindProxy = await startServer(place, { DATABASE_URL: cluster.url([proxyPort]) })
  const withHosts = await startServer(place, data)
  const watched = [
    {
      port: behindProxy.port,
      probe: await DatabaseProbe.start(place, async () => [addressOf(proxyPort)]),
    },
    {
      port: withHosts.port,
      probe: await DatabaseProbe.start(place, async () => nodes.map(({ port }) => addressOf(port))),
    },
  ]
  const traffic = await Traffic.start({
    ports: watched.map(({ port }) => port),
    host: `localhost:${worldPort}`,
    seed,
    purge: purgeOf(place, data),
  })
  const recovery = await breakAndRecover(traffic, watched, () => fault(cluster))
  const primary = await cluster.primary()
  await finish(traffic, addressOf(primary.port))
  return { traffic, recovery }
}

/** One server with the embedded database. */
export async function onEmbedded(place: Place, seed: number, folder: string) {
  const data = { SCHOOLGATE_DATA_DIR: folder }
  place.processes.ownEmbedded(folder)
  const port = await makeWorld(place, data)
  const server = await startServer(place, data, { port })
  const address = async () => {
    const running = await findRunningEmbedded(folder)
    if (running === undefined) throw new Error('the embedded PostgreSQL does not run')
    return running
  }
  const probe = await DatabaseProbe.start(place, async () => [await address()])
  const traffic = await Traffic.start({
    ports: [port],
    host: `localhost:${port}`,
    seed,
    purge: purgeOf(place, data),
  })
  return { data, port, server, address, watched: [{ port, probe }], traffic }
}
