import { setTimeout as sleep } from 'node:timers/promises'
import { build } from '../faults/support/running-server.ts'
import { describeMachine, describeSystemPostgres } from './machine/describe-machine.ts'
import { missing } from './machine/needs.ts'
import { Place } from './machine/place.ts'
import { measureOverload } from './overload.ts'
import { overloadOf } from './report/overload.ts'
import { tableOf } from './report/page.ts'
import { merge, readRecord, writeRecord } from './report/record.ts'
import { brokenResult, type Result, resultOf } from './report/result.ts'
import { NotPossible, type Scenario } from './scenario.ts'
import { SCENARIOS } from './scenarios.ts'

/** Guards against a hang, nothing else. */
const SCENARIO_SECONDS = 240
const OVERLOAD = 'overload'
const SEED = Number(process.env.OUTAGE_SEED ?? 18)

const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** By Ctrl-C. */
class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/**
 * `npm run outages`: runs the named scenarios, or all, and writes docs/reliability.md. Returns the
 * exit code.
 */
export async function runOutages(names: readonly string[]): Promise<number> {
  const order = SCENARIOS.map(({ name }) => name)
  const known = [...order, OVERLOAD]
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    say(`There is no scenario ${unknown.join(', ')}. There are: ${known.join(', ')}.`)
    return 2
  }
  const chosen = SCENARIOS.filter(({ name }) => names.length === 0 || names.includes(name))
  const absent = missing([...new Set(chosen.flatMap(({ needs }) => needs))])
  if (absent.length > 0) {
    say(`Not installed: ${absent.join(', ')}. On Debian: apt-get install ${absent.join(' ')}`)
    return 2
  }
  await build()
  const results: Result[] = []
  let leftOut = 0
  for (const scenario of chosen) {
    say(`${scenario.name}: ${scenario.faults}`)
    const result = await runScenario(scenario)
    if (result === undefined) {
      leftOut += 1
      continue
    }
    results.push(result)
    // After each: a run that is interrupted keeps what it has.
    keep(order, result)
  }
  const isOverloaded = names.length === 0 || names.includes(OVERLOAD)
  const overloadProblems = isOverloaded ? await runOverload() : []
  say(`\n${tableOf(results)}`)
  if (leftOut > 0) say(`${leftOut} left out.`)
  const failed = [...results.flatMap(({ problems }) => problems), ...overloadProblems]
  return failed.length > 0 ? 1 : 0
}

/** Reads, writes and a page, for as long as the others take. */
async function runOverload(): Promise<readonly string[]> {
  say(`${OVERLOAD}: more requests than the server can answer`)
  const figures = await measureOverload({
    kinds: ['page', 'UserInfo', 'refresh'],
    seconds: 3,
    connections: [16, 64, 256],
  })
  const overload = overloadOf(figures, new Date().toISOString().slice(0, 10))
  writeRecord({ ...readRecord(), overload })
  for (const problem of overload.problems) say(`  FAILED: ${problem}`)
  return overload.problems
}

function keep(order: readonly string[], result: Result): void {
  const record = readRecord()
  const results = merge(order, record.results, [result])
  writeRecord({ ...record, machine: describeMachine() + describeSystemPostgres(), results })
}

async function runScenario(scenario: Scenario): Promise<Result | undefined> {
  const place = await Place.make()
  const startedAt = Date.now()
  const interrupted = new AbortController()
  const interrupt = () => interrupted.abort()
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  try {
    const run = await Promise.race([scenario.run(place, SEED), tooLong(interrupted.signal)])
    const result = resultOf(scenario, run, (Date.now() - startedAt) / 1000)
    for (const problem of result.problems) say(`  FAILED: ${problem}`)
    if (result.problems.length > 0) say(`  The logs are in ${await place.keepLogs()}`)
    return result
  } catch (error) {
    if (error instanceof Interrupted) throw error
    if (!(error instanceof NotPossible)) {
      say(`  FAILED: ${error instanceof Error ? error.stack : error}`)
      say(`  The logs are in ${await place.keepLogs()}`)
      return brokenResult(scenario, error)
    }
    say(`  left out: ${error.message}`)
    return undefined
  } finally {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
    await place.end()
  }
}

async function tooLong(interrupted: AbortSignal): Promise<never> {
  const [seconds, signal] = [SCENARIO_SECONDS, interrupted]
  await sleep(seconds * 1000, undefined, { ref: false, signal }).catch(() => {
    throw new Interrupted('interrupted')
  })
  throw new Error(`the scenario did not end in ${seconds} s`)
}
