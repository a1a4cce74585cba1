import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { ContenderName } from './contenders/contender-names.ts'
import { type Contender, startContender, startOurs } from './contenders/start.ts'
import { playRound, type Round } from './measure/round.ts'
import { measureStartUp } from './measure/start-up.ts'
import { startSignInStorm } from './measure/storm.ts'
import { middleOf, shownAgainst } from './report/summary.ts'
import type { Scenario } from './scenario.ts'
import { refresh } from './scenarios/refresh.ts'
import { userinfo } from './scenarios/userinfo.ts'
import { UsageError, wholeNumber } from './usage-error.ts'
import { SIZES, type SizeName } from './world/sizes.ts'
import { openWorld, type World } from './world/world.ts'

/** The cost of a request while an installation grows: `npm --prefix bench run growth`. */

const { values } = parseArgs({
  options: {
    small: { type: 'string', default: 'tiny' },
    large: { type: 'string', default: 'huge' },
    storm: { type: 'string' },
    turns: { type: 'string' },
  },
})
const TURNS = wholeNumber('turns', values.turns, 9)
/**
 * A number of requests for each process: with a time, or one number for two processes, the side
 * with more processes would still compile while it is measured. The number is so high that each
 * process has served nearly all of ten thousand schools; two processes serve half of them in each
 * pass.
 */
const WARM_UP = { requests: 40_000, milliseconds: 60_000 }
/** Long enough that the slow first requests after a pause have little weight. */
const ROUND = { requests: 10_000, milliseconds: 6000 }
const STORM_ROUND = { requests: 4000, milliseconds: 800 }
/** A p99 varies far more than a median, so there are more turns. */
const STORM_TURNS = 11
const LANES = 8
const MANY_LANES = 64

const lines = [
  '# Growth',
  '',
  `Measured by \`npm --prefix bench run growth\` on ${new Date().toISOString().slice(0, 10)}; this file is its output.`,
  'Both sides of a comparison run at the same time and take turns; the table shows the median of the',
  "turns' ratios of CPU time per request, of Node and PostgreSQL together. Every process has answered",
  `${WARM_UP.requests.toLocaleString('en')} requests before; connections are opened before the measurement and closed after it.`,
  'The last column is the control: the ratio of the floor for the same step, bare Fastify with one hand-written',
  'statement, in the same turns. This part is the cost of the machine and of Node, for every server.',
  'Requests go to all schools in turn, each with another token; the tokens are spread over all records.',
  'With more connections our requests get cheaper: statements of several requests are sent together.',
  '',
  '| | from CPU µs | to CPU µs | ratio | bar | floor |',
  '| --- | --: | --: | --: | --: | --: |',
]

/** One side of a comparison. */
interface Side {
  readonly world: World
  readonly contender: ContenderName
  readonly lanes: number
  readonly processes?: number
}

interface Step {
  readonly before: Side
  readonly after: Side
}

const small = await openWhole(values.small)
const large = await openWhole(values.large)
try {
  const [from, to] = [label(small), label(large)]
  for (const scenario of [userinfo, refresh]) {
    const step = (contender: ContenderName): Step => ({
      before: { world: small, contender, lanes: LANES },
      after: { world: large, contender, lanes: LANES },
    })
    const title = `${scenario.title}: ${from} → ${to}`
    await compare(title, scenario, 1.15, step('ours'), step('floor'))
  }
  for (const [before, after] of [
    [1, LANES],
    [LANES, 100],
    [LANES, 1000],
  ] as const) {
    const step = (contender: ContenderName): Step => ({
      before: { world: large, contender, lanes: before },
      after: { world: large, contender, lanes: after },
    })
    const title = `UserInfo: ${before} → ${after} connections`
    await compare(title, userinfo, 1.15, step('ours'), step('floor'))
  }
  // Enough connections for two busy processes; the same number per process; and so few that each of
  // the two processes wakes up for nearly every request.
  for (const [before, after] of [
    [MANY_LANES, MANY_LANES],
    [LANES, 2 * LANES],
    [LANES, LANES],
  ] as const) {
    const step = (contender: ContenderName, twice: ContenderName): Step => ({
      before: { world: large, contender, lanes: before },
      after: { world: large, contender: twice, lanes: after, processes: 2 },
    })
    const title = `UserInfo: one process, ${before} connections → \`WORKERS=2\`, ${after} connections`
    const [us, floor] = [step('ours', 'ours-workers'), step('floor', 'floor-workers')]
    await compare(title, userinfo, 1.1, us, floor)
  }
  await measureSignInStorm(large)
} finally {
  await large.close()
  await small.close()
}
const { seconds, cpuSeconds } = await measureStartUp()
tell(
  '',
  `From the start of the process to ready on an existing data folder, the embedded PostgreSQL included, the median of five: ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU (bar: 2.5 s${seconds < 2.5 ? '' : ', **not met**'}).`,
)
const isUsual = process.argv.length === 2
if (isUsual) {
  const page = new URL('../docs/performance-growth.md', import.meta.url)
  await writeFile(page, `${lines.join('\n')}\n`)
}

/** Requests go to every school. */
async function openWhole(given: string): Promise<World> {
  if (!(given in SIZES)) {
    throw new UsageError(`There is no size ${given}. Sizes: ${Object.keys(SIZES).join(', ')}.`)
  }
  const name = given as SizeName
  return await openWorld(name, SIZES[name], SIZES[name].schools)
}

/** Measures both sides in turn, together with the two sides of the control. */
async function compare(
  title: string,
  scenario: Scenario,
  bar: number,
  step: Step,
  control: Step,
): Promise<void> {
  const sides = [step.before, step.after, control.before, control.after]
  const playing: { side: Side; contender: Contender; cpu: number[] }[] = []
  try {
    for (const side of sides) {
      const contender = await startContender(side.contender, side.world, scenario)
      playing.push({ side, contender, cpu: [] })
      const requests = WARM_UP.requests * (side.processes ?? 1)
      await play(contender, side, { ...WARM_UP, requests })
    }
    for (let turn = 0; turn < TURNS; turn++) {
      for (const { side, contender, cpu } of playing) {
        const { node, postgres } = await play(contender, side, ROUND)
        cpu.push(node + postgres)
      }
    }
    const [before = [], after = [], ...floor] = playing.map(({ cpu }) => cpu)
    const ratio = growth(before, after)
    const cells = [
      title,
      Math.round(middleOf(before)),
      Math.round(middleOf(after)),
      `${shownAgainst(bar, ratio)}${ratio <= bar ? '' : ', **not met**'}`,
      bar,
      growth(floor[0] ?? [], floor[1] ?? []).toFixed(2),
    ]
    tell(`| ${cells.join(' | ')} |`)
  } finally {
    await Promise.all(playing.map(({ contender }) => contender.stop()))
  }
}

function growth(before: readonly number[], after: readonly number[]): number {
  return middleOf(after.map((cpu, turn) => cpu / (before[turn] ?? Number.NaN)))
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

/** Sign-ins make the server hash passwords; other requests should not become slower. */
async function measureSignInStorm(world: World): Promise<void> {
  const env = { LOG_LEVEL: 'warn', TRUST_PROXY: 'loopback' }
  const contender = await startOurs('ours', world, userinfo, env)
  const side = { world, contender: 'ours', lanes: 4 } as const
  const crowd = wholeNumber('storm', values.storm, 20)
  try {
    await play(contender, side, WARM_UP)
    const quiet: number[] = []
    const stormy: number[] = []
    let tries = 0
    // The first turn does not count: its sign-ins are the first of their process.
    for (let turn = -1; turn < STORM_TURNS; turn++) {
      const before = await play(contender, side, STORM_ROUND)
      const storm = startSignInStorm(contender.target.port, 's1.bench.test', crowd)
      const meanwhile = await play(contender, side, STORM_ROUND)
      const tried = await storm.stop()
      if (turn < 0) continue
      quiet.push(before.p99)
      stormy.push(meanwhile.p99)
      tries += tried
    }
    const ratio = middleOf(stormy) / middleOf(quiet)
    tell(
      '',
      `UserInfo while ${crowd} people keep signing in (${tries} attempts): p99 ${middleOf(stormy).toFixed(1)} ms, without them ${middleOf(quiet).toFixed(1)} ms: ${ratio.toFixed(1)} times (bar: 2)${ratio <= 2 ? '' : ', **not met**'}.`,
    )
  } finally {
    await contender.stop()
  }
}

function label({ size }: World): string {
  const n = (value: number) => value.toLocaleString('en')
  return `${n(size.schools)} school${size.schools === 1 ? '' : 's'} and ${n(size.tokenPairs)} token records`
}

function tell(...told: string[]): void {
  lines.push(...told)
  console.log(told.join('\n'))
}
