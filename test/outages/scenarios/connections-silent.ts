import { setTimeout as sleep } from 'node:timers/promises'
import { cleanUp } from '../../support/clean-up.ts'
import { aDatabaseProxy } from '../../support/database-proxy.ts'
import { DatabaseProbe } from '../machine/database-probe.ts'
import { makeWorld, startServer } from '../machine/servers.ts'
import { SinglePostgres } from '../machine/single-postgres.ts'
import type { Scenario } from '../scenario.ts'
import { Traffic } from '../traffic/traffic.ts'
import { breakAndRecover, finish, purgeOf } from './stages.ts'

const AWAY_MS = 8000

export const connectionsSilent: Scenario = {
  name: 'connections-silent',
  faults:
    'a network that drops packets: for 8 s nothing reaches PostgreSQL and no connection is closed; later all open connections are forgotten while new ones work',
  needs: ['postgresql'],
  async run(place, seed) {
    const postgres = await SinglePostgres.create(place)
    const proxy = await aDatabaseProxy(postgres.connection)
    place.whenDone(cleanUp)
    const direct = { DATABASE_URL: postgres.url }
    const worldPort = await makeWorld(place, direct)
    const url = postgres.url.replace(`:${postgres.port}/`, `:${proxy.connection.port}/`)
    const { port } = await startServer(place, { DATABASE_URL: url })
    const probe = await DatabaseProbe.start(place, async () => [proxy.connection])
    const traffic = await Traffic.start({
      ports: [port],
      host: `localhost:${worldPort}`,
      seed,
      purge: purgeOf(place, direct),
    })
    const watched = [{ port, probe }]
    const recovery = Math.max(
      await breakAndRecover(traffic, watched, async () => {
        proxy.vanish()
        await sleep(AWAY_MS)
        proxy.comeBack()
      }),
      await breakAndRecover(traffic, watched, () => proxy.silence()),
    )
    await finish(traffic, postgres.connection)
    return { traffic, recovery }
  },
}
