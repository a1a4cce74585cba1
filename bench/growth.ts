import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { ContenderName } from './contenders/contender-names.ts'
import { type Contender, startContender, startOurs } from './contenders/start.ts'
import { playRound, type Round } from './measure/round.ts'
import { measureStartUp } from './measure/start-up.ts'
import { startSignInStorm } from './measure/storm.ts'
import { middleOf } from './report/summary.ts'
import type { Scenario } from './scenario.ts'
import { refresh } from './scenarios/refresh.ts'
import { userinfo } from './scenarios/userinfo.ts'
import { SIZES, type SizeName } from './world/sizes.ts'
import { openWorld, type World } from './world/world.ts'

/** What must stay the same while an installation grows: `npm --prefix bench run growth`. */

const { values } = parseArgs({
  options: {
    small: { type: 'string', default: 'tiny' },
    large: { type: 'string', default: 'huge' },
    storm: { type: 'string', default: '20' },
    turns: { type: 'string', default: '9' },
  },
})
const TURNS = Number(values.turns)
const WARM_UP = { requests: 15_000, milliseconds: 4000 }
const ROUND = { requests: 4000, milliseconds: 800 }
const LANES = 8

const lines = [
  '# Growth',
  '',
  `Measured by \`npm --prefix bench run growth\` on ${new Date().toISOString().slice(0, 10)}; this file is its output.`,
  'Both sides of a comparison run at the same time and play in turn; what is shown is the median of the',
  "turns' ratios of CPU per request, of Node and PostgreSQL together.",
  '',
  '| | from CPU µs | to CPU µs | ratio | bar |',
  '| --- | --: | --: | --: | --: |',
]

/** One side of a comparison. */
interface Side {
  readonly world: World
  readonly contender: ContenderName
  readonly lanes: number
}

const small = await openWorld(values.small, SIZES[values.small as SizeName])
const large = await openWorld(values.large, SIZES[values.large as SizeName])
try {
  const [from, to] = [label(small), label(large)]
  const ours = { contender: 'ours', lanes: LANES } as const
  for (const scenario of [userinfo, refresh]) {
    await compare(`${scenario.title}: ${from} → ${to}`, scenario, 1.15, [
      { world: small, ...ours },
      { world: large, ...ours },
    ])
  }
  for (const [before, after] of [
    [1, LANES],
    [LANES, 100],
    [LANES, 1000],
  ] as const) {
    await compare(`UserInfo: ${before} → ${after} connections`, userinfo, 1.15, [
      { world: large, ...ours, lanes: before },
      { world: large, ...ours, lanes: after },
    ])
  }
  await compare('UserInfo: one process → `WORKERS=2`', userinfo, 1.1, [
    { world: large, ...ours },
    { world: large, ...ours, contender: 'ours-workers' },
  ])
  await weatherStorm(large)
} finally {
  await large.close()
  await small.close()
}
const { seconds, cpuSeconds } = await measureStartUp()
tell(
  '',
  `From start to ready on an existing data folder, the embedded PostgreSQL included: ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU (bar: 2.5 s).`,
)
await writeFile(new URL('../docs/performance-growth.md', import.meta.url), `${lines.join('\n')}\n`)

async function compare(
  title: string,
  scenario: Scenario,
  bar: number,
  [before, after]: readonly [Side, Side],
): Promise<void> {
  const contenders = [
    await startContender(before.contender, before.world, scenario),
    await startContender(after.contender, after.world, scenario),
  ] as const
  try {
    await play(contenders[0], before, WARM_UP)
    await play(contenders[1], after, WARM_UP)
    const turns: { readonly from: number; readonly to: number }[] = []
    for (let turn = 0; turn < TURNS; turn++) {
      const from = cpu(await play(contenders[0], before, ROUND))
      turns.push({ from, to: cpu(await play(contenders[1], after, ROUND)) })
    }
    const ratio = middleOf(turns.map(({ from, to }) => to / from))
    const [from, to] = [middleOf(turns.map((t) => t.from)), middleOf(turns.map((t) => t.to))]
    tell(
      `| ${title} | ${Math.round(from)} | ${Math.round(to)} | ${ratio.toFixed(2)}${ratio <= bar ? '' : ', **not met**'} | ${bar} |`,
    )
  } finally {
    await Promise.all(contenders.map((contender) => contender.stop()))
  }
}

async function play(
  contender: Contender,
  { world, lanes }: Side,
  length: { readonly requests: number; readonly milliseconds: number },
): Promise<Round> {
  const round = await playRound(
    contender.target,
    await contender.prepare(length.requests),
    { ...length, lanes },
    world.postgresPid,
  )
  if (round.failures > 0) throw new Error(`${round.failures} failed: ${round.firstFailure}`)
  return round
}

/** People who sign in make the server hash passwords; whoever else calls should not notice. */
async function weatherStorm(world: World): Promise<void> {
  const env = { LOG_LEVEL: 'warn', TRUST_PROXY: 'loopback' }
  const contender = await startOurs('ours', world, userinfo, env)
  const side = { world, contender: 'ours', lanes: 4 } as const
  try {
    await play(contender, side, WARM_UP)
    const quiet: number[] = []
    const stormy: number[] = []
    let tries = 0
    for (let turn = 0; turn < 5; turn++) {
      quiet.push((await play(contender, side, ROUND)).p99)
      const storm = startSignInStorm(contender.target.port, 's1.bench.test', Number(values.storm))
      stormy.push((await play(contender, side, ROUND)).p99)
      tries += await storm.stop()
    }
    const ratio = middleOf(stormy) / middleOf(quiet)
    tell(
      '',
      `UserInfo while ${values.storm} people keep signing in (${tries} tries): p99 ${middleOf(stormy).toFixed(1)} ms, without them ${middleOf(quiet).toFixed(1)} ms: ${ratio.toFixed(1)} times (bar: 2).`,
    )
  } finally {
    await contender.stop()
  }
}

function cpu({ node, postgres }: Round): number {
  return node + postgres
}

function label({ size }: World): string {
  const n = (value: number) => value.toLocaleString('en')
  return `${n(size.schools)} school${size.schools === 1 ? '' : 's'} and ${n(size.tokenPairs)} token records`
}

function tell(...told: string[]): void {
  lines.push(...told)
  console.log(told.join('\n'))
}
