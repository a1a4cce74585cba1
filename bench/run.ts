import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { ContenderName } from './contenders/contender-names.ts'
import { type ContestSettings, everybody, holdContest } from './measure/contest.ts'
import { documentOf } from './report/document.ts'
import { plotOf } from './report/plot.ts'
import type { Result } from './report/summary.ts'
import { tableOf } from './report/table.ts'
import { loadScenario, SCENARIO_NAMES } from './scenarios/scenarios.ts'
import { SIZES } from './world/sizes.ts'
import { openWorld } from './world/world.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    /** Contenders, comma-separated; the floor is always among them. */
    only: { type: 'string' },
    starts: { type: 'string' },
    rounds: { type: 'string' },
    /** Write docs/performance.md even though not everything was measured. */
    write: { type: 'boolean' },
  },
})

const SETTINGS: Readonly<Record<'quick' | 'full', ContestSettings>> = {
  quick: {
    starts: 1,
    warmUpRounds: 3,
    rounds: 3,
    round: { requests: 1500, milliseconds: 250, lanes: 8 },
  },
  full: {
    starts: 3,
    warmUpRounds: 6,
    rounds: 4,
    round: { requests: 6000, milliseconds: 1000, lanes: 8 },
  },
}

const size = values.quick ? 'quick' : 'full'
const settings: ContestSettings = {
  ...SETTINGS[size],
  ...(values.starts === undefined ? {} : { starts: Number(values.starts) }),
  ...(values.rounds === undefined ? {} : { rounds: Number(values.rounds) }),
}
const asked = positionals.length === 0 ? SCENARIO_NAMES : positionals
const scenarios = await Promise.all(asked.map(loadScenario))
const wanted = values.only?.split(',')
/** Takes longest to start and to answer, by far. */
const SLOWEST: ContenderName = 'better-auth'
const mayRun = (name: ContenderName): boolean =>
  name === 'floor' || (wanted?.includes(name) ?? !(values.quick && name === SLOWEST))

const isEverything = asked === SCENARIO_NAMES && wanted === undefined && !values.quick
const writes = values.write ?? isEverything
const world = await openWorld(size, SIZES[size])
const results: Result[] = []
try {
  for (const scenario of scenarios) {
    const result = await holdContest(world, scenario, settings, everybody(scenario).filter(mayRun))
    results.push(result)
    console.log(tableOf(result))
    reportFailures(result)
  }
  if (writes) await writeReport()
} finally {
  await world.close()
}

async function writeReport(): Promise<void> {
  const docs = new URL('../docs/', import.meta.url)
  await writeFile(new URL('performance.svg', docs), plotOf(results))
  await writeFile(new URL('performance.md', docs), await documentOf(results, SIZES[size], settings))
}

function reportFailures({ scenario, entries }: Result): void {
  for (const { contender, rounds, failedBefore } of entries) {
    const failed = [...failedBefore, ...rounds].find(
      ({ firstFailure }) => firstFailure !== undefined,
    )
    if (failed === undefined) continue
    console.error(`${scenario.name}, ${contender}: ${failed.firstFailure}`)
    process.exitCode = 1
  }
}
