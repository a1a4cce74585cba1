import { test } from 'vitest'
import { aWorld } from '../../support/world.ts'
import { Participants } from '../real-server.ts'
import { DisturbedServers } from './disturbed-servers.ts'
import { runTrace, traceOf } from './run.ts'

const participants = await Participants.gather(await aWorld())
const servers = await DisturbedServers.start(participants.world, participants.schools[0])

/** `npm run model` runs the others. */
test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])(
  'trace %i: two servers in turn do what the model does, while connections to the database break',
  async (trace) => {
    await runTrace(traceOf(trace), participants, servers)
    await servers.restart(trace % 2)
  },
)
