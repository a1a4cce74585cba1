import { readClocks, usedBetween } from '../measure/cpu.ts'
import { middleOf } from '../report/summary.ts'
import type { Answered, Asking } from './asking.ts'
import type { BothCallers } from './callers.ts'
import type { Case } from './case.ts'
import type { Server } from './server.ts'

/** What a question costs at one school. */
export interface Cost {
  /** Milliseconds of CPU of Node and PostgreSQL, the median. */
  readonly cpuMs: number
  readonly stallMs: number
  /** How much the memory of Node grew. */
  readonly grewMb: number
  readonly status: number
  readonly milliseconds: number
}

export interface Measured {
  readonly group: string
  readonly name: string
  readonly small: Cost
  readonly big: Cost
}

export interface Rounds {
  readonly warmUp: number
  readonly turns: number
}

/** An answer that takes so long is asked for once only. */
const SLOW_MS = 2_000

export interface Bench {
  readonly server: Server
  readonly asking: Asking
  readonly postgresPid: number
}

/** Asks both schools in turn. Undefined if one has nothing to ask for. */
export async function measureCase(
  bench: Bench,
  one: Case,
  callers: BothCallers,
  { warmUp, turns }: Rounds,
): Promise<Measured | undefined> {
  const [small, big] = [one.ask(callers.small), one.ask(callers.big)]
  if (small === undefined || big === undefined) return undefined
  for (let n = 0; n < warmUp; n++) {
    for (const asked of [small, big]) {
      const started = performance.now()
      await bench.asking.ask(asked)
      if (performance.now() - started > SLOW_MS) n = warmUp
    }
  }
  const costs = { small: [] as Cost[], big: [] as Cost[] }
  for (let turn = 0; turn < turns; turn++) {
    for (const [size, asked] of [
      ['small', small],
      ['big', big],
    ] as const) {
      if (turn > 0 && (costs[size][0]?.milliseconds ?? 0) > SLOW_MS) continue
      costs[size].push(await costOf(bench, () => bench.asking.ask(asked)))
    }
  }
  return {
    group: one.group,
    name: one.name,
    small: medianOf(costs.small),
    big: medianOf(costs.big),
  }
}

export async function costOf(
  { server, postgresPid }: Bench,
  work: () => Promise<Pick<Answered, 'status'>>,
): Promise<Cost> {
  const before = await server.askLoop()
  const clocks = [readClocks(server.pid), readClocks(postgresPid)] as const
  const started = performance.now()
  const { status } = await work()
  const milliseconds = performance.now() - started
  const used =
    usedBetween(clocks[0], readClocks(server.pid)) + usedBetween(clocks[1], readClocks(postgresPid))
  const after = await server.askLoop()
  return {
    cpuMs: used / 1000,
    stallMs: after.stallMs,
    grewMb: Math.max(0, after.rss - before.rss) / 2 ** 20,
    status,
    milliseconds,
  }
}

function medianOf(costs: readonly Cost[]): Cost {
  return {
    cpuMs: middleOf(costs.map(({ cpuMs }) => cpuMs)),
    stallMs: Math.max(...costs.map(({ stallMs }) => stallMs)),
    grewMb: Math.max(...costs.map(({ grewMb }) => grewMb)),
    status:
      costs.find(({ status }) => status >= 500 || status === 0)?.status ?? costs[0]?.status ?? 0,
    milliseconds: middleOf(costs.map(({ milliseconds }) => milliseconds)),
  }
}
