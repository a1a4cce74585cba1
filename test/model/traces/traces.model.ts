import { expect, test } from 'vitest'
import { aWorld } from '../../support/world.ts'
import { RecordKeeper } from './record.ts'
import { range, Traces } from './run.ts'

const GOAL = Number(process.env.MODEL_TRACES ?? 100_000)
const MINUTES = Number(process.env.MODEL_MINUTES ?? 60)
/** A single trace, to look into a difference; it is not recorded. */
const ONLY = process.env.MODEL_TRACE

test.runIf(ONLY === undefined)(
  'the servers do in every trace what the model does, while connections break and servers restart',
  async () => {
    const traces = await Traces.prepare(await aWorld())
    const keeper = new RecordKeeper(() => traces.servers)
    const end = Date.now() + MINUTES * 60_000
    await traces.run(untilThen(keeper.record.traces, end), (trace) => keeper.add(trace))
    keeper.write()
    expect(keeper.record.differences).toEqual([])
  },
)

test.runIf(ONLY !== undefined)(`trace ${ONLY} alone`, async () => {
  const traces = await Traces.prepare(await aWorld(), 1)
  const trace = Number(ONLY)
  await traces.run(range(trace, trace + 1), ({ difference }) => expect(difference).toBeUndefined())
})

function* untilThen(from: number, end: number): Generator<number> {
  for (const trace of range(from, GOAL)) {
    if (Date.now() > end) return
    yield trace
  }
}
