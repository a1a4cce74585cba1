import type { ContenderName } from '../contenders/contender-names.ts'
import { BASELINE, type Contender, startContender } from '../contenders/start.ts'
import type { Result } from '../report/summary.ts'
import type { Scenario } from '../scenario.ts'
import type { World } from '../world/world.ts'
import { playRound, type Round, type RoundSettings } from './round.ts'

export interface ContestSettings {
  /**
   * How often everybody is started anew: the same code is compiled and laid out in memory differently in
   * every process, and small answers cost a tenth more or less for it.
   */
  readonly starts: number
  /** After each start. */
  readonly rounds: number
  readonly round: RoundSettings
  /** Not counted: until the code is compiled and the plans are cached. */
  readonly warmUp: RoundSettings
}

/**
 * Everybody in turn, round after round, so that whatever else the machine does meets all of them.
 */
export async function holdContest(
  world: World,
  scenario: Scenario,
  settings: ContestSettings,
  names: readonly ContenderName[] = everybody(scenario),
): Promise<Result> {
  const entries = names.map((contender) => ({ contender, rounds: [] as Round[] }))
  for (let start = 0; start < settings.starts; start++) {
    const contenders = await startAll(world, scenario, names)
    try {
      for (const contender of contenders) await playOne(world, contender, settings.warmUp)
      for (let turn = 0; turn <= settings.rounds; turn++) {
        for (const [index, contender] of contenders.entries()) {
          const round = await playOne(world, contender, settings.round)
          // After so long a wait the first one is slow for everybody, and is not counted either.
          if (turn > 0) entries[index]?.rounds.push(round)
        }
      }
    } finally {
      await Promise.all(contenders.map((contender) => contender.stop()))
    }
  }
  return { scenario, entries }
}

/** All at once; when one of them fails to start, the others are stopped before that is told. */
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

async function playOne(
  world: World,
  contender: Contender,
  settings: RoundSettings,
): Promise<Round> {
  const play = await contender.prepare(settings.requests)
  return await playRound(contender.target, play, settings, world.postgresPid)
}
