import { expect, test } from 'vitest'
import { aWorld } from '../../support/world.ts'
import { Participants } from '../real-server.ts'
import { DisturbedServers } from './disturbed-servers.ts'
import { readRecord, writeRecord } from './record.ts'
import { runTrace, traceOf } from './run.ts'

const GOAL = Number(process.env.MODEL_TRACES ?? 100_000)
const MINUTES = Number(process.env.MODEL_MINUTES ?? 60)
/** A server starts anew after so many traces. */
const TRACES_PER_START = 50

test('the servers do in every trace what the model does, while connections break and servers restart', async () => {
  const participants = await Participants.gather(await aWorld())
  const servers = await DisturbedServers.start(participants.world, participants.schools[0])
  const record = readRecord()
  const end = Date.now() + MINUTES * 60_000
  while (record.traces < GOAL && Date.now() < end) {
    const trace = record.traces
    const steps = traceOf(trace)
    await runTrace(steps, participants, servers).catch((error: unknown) => {
      const story = steps.map(String).join(', ')
      record.differences.push({ trace, said: `${`${error}`.slice(0, 2000)}\n${story}` })
    })
    record.traces += 1
    record.steps += steps.length
    record.disturbed += steps.filter((step) => `${step}`.includes('disturbed')).length
    if (record.traces % TRACES_PER_START === 0) {
      await servers.restart((record.traces / TRACES_PER_START) % 2)
      participants.forgetClients()
      record.restarts += 1
      writeRecord(record)
    }
  }
  writeRecord(record)
  expect(record.differences).toEqual([])
})
