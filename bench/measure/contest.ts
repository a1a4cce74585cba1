import type { ContenderName } from '../contenders/contender-names.ts'
import { isProgram } from '../contenders/installed.ts'
import { BASELINE, type Contender, startContender } from '../contenders/start.ts'
import type { Result } from '../report/summary.ts'
import type { Scenario } from '../scenario.ts'
import type { World } from '../world/world.ts'
import { measureAfterwards } from './afterwards.ts'
import { playRound, type Round, type RoundSettings } from './round.ts'

export interface ContestSettings {
  /**
   * How often the floor and ours are started: every process compiles the same code differently,
   * which changes the cost of small answers by a tenth. Peers differ by more than that and are
   * started once.
   */
  readonly starts: number
  /**
   * Uncounted requests to each contender after each start, until the code is compiled and the plans
   * are cached. A number, not a time: on a busy machine a time would end before V8 has seen enough
   * calls, and cold code would be compared.
   */
  readonly warmUpRequests: number
  readonly rounds: number
  readonly round: RoundSettings
}

/**
 * All contenders take turns, round after round, so that other load of the machine affects all of
 * them. The order changes from turn to turn, because the first one finds the CPU caches of another.
 */
export async function holdContest(
  world: World,
  scenario: Scenario,
  settings: ContestSettings,
  names: readonly ContenderName[] = everybody(scenario),
): Promise<Result> {
  const entries = names.map((contender) => ({
    contender,
    rounds: [] as Round[],
    failedBefore: [] as Round[],
  }))
  const starts = settings.starts === 1 ? 1 : settings.starts * (scenario.moreStarts ?? 1)
  for (let start = 0; start < starts; start++) {
    const playing = start === 0 ? names : names.filter((name) => COMPARED.includes(name))
    console.error(
      `${scenario.name}: ${playing.length} contenders, start ${start + 1} of ${starts} …`,
    )
    const contenders = await startAll(world, scenario, playing)
    try {
      const requests = Math.ceil(settings.warmUpRequests * (scenario.warmUp ?? 1))
      for (const contender of contenders) {
        const entry = entries.find((one) => one.contender === contender.name)
        const share = isProgram(contender.name) ? PROGRAM_WARM_UP : 1
        const before = await warmUp(world, contender, requests * share, settings.round)
        entry?.failedBefore.push(...before)
      }
      for (let turn = 0; turn < settings.rounds; turn++) {
        for (const contender of rotated(contenders, turn)) {
          const round = await playOne(world, contender, settings.round)
          entries.find((one) => one.contender === contender.name)?.rounds.push(round)
        }
      }
    } finally {
      await Promise.all(contenders.map((contender) => contender.stop()))
    }
  }
  if (!scenario.leavesRows) return { scenario, entries }
  const { ours, floor } = await measureAfterwards(world, settings.starts)
  const afterwards: Partial<Record<ContenderName, number>> = {
    ours,
    baseline: ours,
    floor,
    'floor+pipelined': floor,
  }
  return {
    scenario,
    entries: entries.map((entry) => ({ ...entry, afterwards: afterwards[entry.contender] ?? 0 })),
  }
}

/**
 * Nothing is compiled in C, and Ruby compiles a method after ten calls; both are too slow for as
 * many requests as V8 needs.
 */
const PROGRAM_WARM_UP = 0.1

/** The number of single-use codes and tokens, which must be made first. */
const MOST_ONCE = 2000

const COMPARED: readonly ContenderName[] = ['floor', 'ours', 'baseline']

function rotated<T>(items: readonly T[], turn: number): readonly T[] {
  const first = turn % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}

/** Starts all at once; if one fails, the others are stopped before the error is thrown. */
async function startAll(
  world: World,
  scenario: Scenario,
  names: readonly ContenderName[],
): Promise<readonly Contender[]> {
  const started = await Promise.allSettled(
    names.map((name) => startContender(name, world, scenario)),
  )
  const failed = started.find((start) => start.status === 'rejected')
  const contenders = started.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  if (failed === undefined) return contenders
  await Promise.all(contenders.map((contender) => contender.stop()))
  throw failed.reason
}

export function everybody({ peers }: Scenario): readonly ContenderName[] {
  return ['floor', 'ours', ...(BASELINE === undefined ? [] : ['baseline' as const]), ...peers]
}

/** Sends this number of requests, however long that takes, and returns the rounds with failures. */
async function warmUp(
  world: World,
  contender: Contender,
  requests: number,
  { lanes }: RoundSettings,
): Promise<readonly Round[]> {
  const failed: Round[] = []
  for (let sent = 0; sent < requests; ) {
    const settings = { requests: requests - sent, milliseconds: Number.POSITIVE_INFINITY, lanes }
    const round = await playOne(world, contender, settings)
    if (round.failures > 0) failed.push(round)
    sent += round.requests
  }
  return failed
}

async function playOne(
  world: World,
  contender: Contender,
  settings: RoundSettings,
): Promise<Round> {
  const play = await contender.prepare(Math.min(settings.requests, MOST_ONCE))
  return await playRound(contender.target, play, settings, world.postgresPid)
}
