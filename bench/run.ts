import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { CONTENDER_TITLES, type ContenderName } from './contenders/contender-names.ts'
import { canTakePart } from './contenders/installed.ts'
import { type ContestSettings, everybody, holdContest } from './measure/contest.ts'
import { measureMemory } from './measure/memory.ts'
import { documentOf, memoryInWords } from './report/document.ts'
import { plotOf } from './report/plot.ts'
import { type Result, verdictsOf } from './report/summary.ts'
import { tableOf } from './report/table.ts'
import { loadScenario, SCENARIO_NAMES } from './scenarios/scenarios.ts'
import { UsageError, wholeNumber } from './usage-error.ts'
import { SIZES } from './world/sizes.ts'
import { openWorld } from './world/world.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', short: 'h' },
    quick: { type: 'boolean', default: false },
    /** Contenders, comma-separated; the floor always takes part. */
    only: { type: 'string' },
    starts: { type: 'string' },
    rounds: { type: 'string' },
    memory: { type: 'boolean', default: false },
    /** Write docs/performance.md even if not everything was measured. */
    write: { type: 'boolean' },
  },
})

if (values.help) {
  console.log(`npm run bench -- [--quick] [--starts n] [--rounds n] [--only contender,…] [--memory] [scenario …]

--memory: only the memory of a server at rest and with many schools.

Scenarios: ${SCENARIO_NAMES.join(', ')}
Contenders: ${Object.keys(CONTENDER_TITLES).join(', ')}`)
  process.exit()
}

const SETTINGS: Readonly<Record<'quick' | 'full', ContestSettings>> = {
  quick: {
    starts: 1,
    warmUpRequests: 1000,
    rounds: 3,
    round: { requests: 1500, milliseconds: 250, lanes: 8 },
  },
  full: {
    starts: 3,
    warmUpRequests: 10_000,
    rounds: 4,
    round: { requests: 6000, milliseconds: 1000, lanes: 8 },
  },
}

if (values.memory) {
  console.log(memoryInWords(await measureMemory()))
  process.exit()
}

const size = values.quick ? 'quick' : 'full'
const settings: ContestSettings = {
  ...SETTINGS[size],
  starts: wholeNumber('starts', values.starts, SETTINGS[size].starts),
  rounds: wholeNumber('rounds', values.rounds, SETTINGS[size].rounds),
}
const asked = positionals.length === 0 ? SCENARIO_NAMES : positionals
const scenarios = await Promise.all(asked.map(loadScenario))
const wanted = values.only?.split(',')
for (const name of wanted ?? []) {
  if (name in CONTENDER_TITLES) continue
  const names = Object.keys(CONTENDER_TITLES).join(', ')
  throw new UsageError(`There is no contender ${name}. Contenders: ${names}.`)
}
/** The slowest contenders, and those that are like another one. */
const NOT_IN_QUICK: readonly ContenderName[] = [
  'better-auth',
  'doorkeeper',
  'glewlwyd',
  'floor+pipelined',
  'floor+http',
  'ours-logging',
  'oidc-provider-memory',
  'oidc-provider-postgres+openid',
  'mercurius',
]
/**
 * A quick run without the names of scenarios begins no further one after this time, so that it ends
 * within three minutes.
 */
const QUICK_MS = 120_000
const mayRun = (name: ContenderName): boolean =>
  name === 'floor' || (wanted?.includes(name) ?? !(values.quick && NOT_IN_QUICK.includes(name)))

const missing = [...new Set(scenarios.flatMap(everybody))].filter(
  (name) => mayRun(name) && !canTakePart(name),
)
const takesPart = (name: ContenderName): boolean => mayRun(name) && !missing.includes(name)

const isEverything = asked === SCENARIO_NAMES && wanted === undefined && !values.quick
const writes = values.write ?? isEverything
const startedAt = performance.now()
const world = await openWorld(size, SIZES[size])
const results: Result[] = []
const endsEarlyAt =
  values.quick && asked === SCENARIO_NAMES ? performance.now() + QUICK_MS : Number.POSITIVE_INFINITY
try {
  for (const scenario of scenarios) {
    if (performance.now() > endsEarlyAt) break
    const result = await holdContest(
      world,
      scenario,
      settings,
      everybody(scenario).filter(takesPart),
    )
    results.push(result)
    console.log(tableOf(result))
    reportFailures(result)
  }
  if (writes) await writeReport()
  console.log(closingLine())
} finally {
  await world.close()
}

function closingLine(): string {
  const verdicts = results.flatMap(verdictsOf)
  const met = verdicts.filter(({ isMet }) => isMet).length
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
  const left = asked.slice(results.length)
  const early =
    left.length > 0
      ? ` The time is over: not measured are ${left.join(', ')}. A run that names them takes the time that it needs.`
      : ''
  const quick = values.quick
    ? ' Quick rounds measure code that V8 has not optimized yet: ratios differ by up to a quarter from docs/performance.md.'
    : ''
  return `${met} of ${verdicts.length} bars met, in ${minutes} minutes.${early}${quick}`
}

async function writeReport(): Promise<void> {
  const docs = new URL('../docs/', import.meta.url)
  await writeFile(new URL('performance.svg', docs), plotOf(results))
  const page = await documentOf(results, SIZES[size], settings, await measureMemory())
  await writeFile(new URL('performance.md', docs), page)
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
