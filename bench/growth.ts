import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { ContenderName } from './contenders/contender-names.ts'
import { startContender } from './contenders/start.ts'
import { type ContestSettings, holdContest } from './measure/contest.ts'
import { playRound } from './measure/round.ts'
import { measureStartUp } from './measure/start-up.ts'
import { startSignInStorm } from './measure/storm.ts'
import { cpuOf } from './report/summary.ts'
import type { Scenario } from './scenario.ts'
import { refresh } from './scenarios/refresh.ts'
import { userinfo } from './scenarios/userinfo.ts'
import { SIZES, type SizeName } from './world/sizes.ts'
import { openWorld, type World } from './world/world.ts'

/** What must stay the same while an installation grows: `npm --prefix bench run growth`. */

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: 'tiny,full' },
    storm: { type: 'string', default: '20' },
  },
})
const sizes = values.sizes.split(',') as SizeName[]

const settings = (lanes: number): ContestSettings => ({
  rounds: 3,
  round: { requests: 1500, milliseconds: 5000, lanes },
  warmUp: { requests: 6000, milliseconds: 8000, lanes },
})

const lines = [
  '# Growth',
  '',
  'Measured by `npm --prefix bench run growth`; this file is its output.',
  '',
]
const tell = (line: string): void => {
  lines.push(line)
  console.log(line)
}

const cost = async (world: World, scenario: Scenario, name: ContenderName, lanes = 8) => {
  const { entries } = await holdContest(world, scenario, settings(lanes), [name])
  const [entry] = entries
  return entry === undefined ? Number.NaN : Math.round(cpuOf(entry))
}

tell('| | UserInfo, CPU µs | Refresh, CPU µs |\n| --- | --: | --: |')
for (const size of sizes) {
  const world = await openWorld(size, SIZES[size])
  const { schools, tokenPairs } = SIZES[size]
  const label = `${schools.toLocaleString('en')} schools, ${tokenPairs.toLocaleString('en')} token records`
  tell(
    `| ${label} | ${await cost(world, userinfo, 'ours')} | ${await cost(world, refresh, 'ours')} |`,
  )
  await world.close()
}

const last = sizes.at(-1) ?? 'full'
const world = await openWorld(last, SIZES[last])
for (const lanes of [1, 8, 100, 1000]) {
  tell(`| ${lanes} connections | ${await cost(world, userinfo, 'ours', lanes)} | |`)
}
tell(`| \`WORKERS=2\` | ${await cost(world, userinfo, 'ours-workers')} | |`)

const { quiet, stormy, tries } = await compareStorm(world)
tell(
  `\nUserInfo while ${values.storm} people keep signing in (${tries} tries): p99 ${stormy.toFixed(1)} ms; without them ${quiet.toFixed(1)} ms.`,
)
await world.close()
const { seconds, cpuSeconds } = await measureStartUp()
tell(
  `\nFrom start to ready on an existing data folder: ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU.`,
)
await writeFile(new URL('../docs/performance-growth.md', import.meta.url), `${lines.join('\n')}\n`)

async function compareStorm(at: World) {
  const contender = await startContender('ours', at, userinfo)
  try {
    const { round, warmUp } = settings(4)
    const play = await contender.prepare(round.requests)
    await playRound(contender.target, play, warmUp, at.postgresPid)
    const calm = await playRound(contender.target, play, round, at.postgresPid)
    const storm = startSignInStorm(contender.target.port, 's1.bench.test', Number(values.storm))
    const busy = await playRound(contender.target, play, round, at.postgresPid)
    return { quiet: calm.p99, stormy: busy.p99, tries: await storm.stop() }
  } finally {
    await contender.stop()
  }
}
