import type { ContenderName } from '../contenders/contender-names.ts'
import { BASELINE, type Contender, startContender } from '../contenders/start.ts'
import type { Entry, Result } from '../report/summary.ts'
import type { Scenario } from '../scenario.ts'
import type { World } from '../world/world.ts'
import { playRound, type Round, type RoundSettings } from './round.ts'

export interface ContestSettings {
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
  const contenders: Contender[] = []
  try {
    // One after the other: two that start at once may be given the same port.
    for (const name of names) contenders.push(await startContender(name, world, scenario))
    const rounds = new Map<Contender, Round[]>(contenders.map((contender) => [contender, []]))
    for (const contender of contenders) await playOne(world, contender, settings.warmUp)
    for (let turn = 0; turn < settings.rounds; turn++) {
      for (const [contender, done] of rounds) {
        done.push(await playOne(world, contender, settings.round))
      }
    }
    const entries = [...rounds].map(
      ([contender, done]): Entry => ({ contender: contender.name, rounds: done }),
    )
    return { scenario, entries }
  } finally {
    await Promise.all(contenders.map((contender) => contender.stop()))
  }
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
