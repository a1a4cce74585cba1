import { setTimeout as sleep } from 'node:timers/promises'
import { toReadyServers } from '../machine/haproxy.ts'
import type { Place } from '../machine/place.ts'
import { makeWorld, startServer } from '../machine/servers.ts'
import { SinglePostgres } from '../machine/single-postgres.ts'
import { buildOfVersionBefore } from '../machine/version-before.ts'
import type { Run, Scenario } from '../scenario.ts'
import { Traffic } from '../traffic/traffic.ts'
import { finish, purgeOf } from './stages.ts'

const NEEDS = ['postgresql', 'haproxy'] as const

export const rollingRestart: Scenario = {
  name: 'rolling-restart',
  faults: 'two servers behind HAProxy are restarted one after the other (SIGTERM)',
  needs: NEEDS,
  run: (place, seed) => replaceOneByOne(place, seed),
}

export const rollingUpgrade: Scenario = {
  name: 'rolling-upgrade',
  faults:
    'two servers of the version before, on its schema, are replaced one after the other; the first new one migrates',
  needs: NEEDS,
  async run(place, seed) {
    const before = await buildOfVersionBefore(place)
    const run = await replaceOneByOne(place, seed, before.root)
    return { ...run, notes: [`the version before is ${before.description}`] }
  },
}

/** Both servers go; requests to one that is not ready go to the other, so none may fail. */
async function replaceOneByOne(place: Place, seed: number, rootBefore?: string): Promise<Run> {
  const postgres = await SinglePostgres.create(place)
  const data = { DATABASE_URL: postgres.url }
  const worldPort = await makeWorld(place, data, rootBefore)
  const options = rootBefore === undefined ? {} : { root: rootBefore }
  const servers = [await startServer(place, data, options), await startServer(place, data, options)]
  const webPort = await toReadyServers(place, servers)
  await sleep(1500)
  const traffic = await Traffic.start({
    ports: [webPort],
    host: `localhost:${worldPort}`,
    seed,
    purge: rootBefore === undefined ? purgeOf(place, data) : undefined,
  })
  for (const server of servers) {
    await sleep(5000)
    const code = await server.stop()
    if (code !== 0) traffic.errors.push(`a server ended with ${code}: ${server.output}`)
    await startServer(place, data, { port: server.port })
  }
  await sleep(5000)
  await finish(traffic, postgres.connection)
  const failed = traffic.figures.failures.length
  if (failed > 0) traffic.errors.push(`${failed} requests failed although one server was ready`)
  return { traffic }
}
