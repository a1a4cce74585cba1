import { readFile } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'
import type { ContestSettings } from '../measure/contest.ts'
import type { Size } from '../world/sizes.ts'
import type { Result } from './summary.ts'
import { tableOf } from './table.ts'

/** The whole of docs/performance.md. */
export async function documentOf(
  results: readonly Result[],
  size: Size,
  { starts, warmUpRounds, rounds, round }: ContestSettings,
): Promise<string> {
  const n = (value: number) => value.toLocaleString('en')
  return `# Performance

Measured by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}; this file is its output. The
[bench](../bench/README.md) also has a quick mode, and each contender and each floor is one short file there.

![CPU per request](performance.svg)

What counts is CPU time per request, of Node and PostgreSQL together, as a multiple of the floor: bare
Fastify with the least hand-written SQL that the endpoint could do, measured in the same run. Seconds on
a machine that others use say little; ratios within a run do. Bars are what we hold ourselves to.

- **Machine**: ${availableParallelism()} cores (${cpus()[0]?.model.trim() || process.arch}), shared with other work; the load
  generator runs on the same cores, so requests per second are lower than a server of its own would reach.
- **Database**: PostgreSQL 18 with ${n(size.schools)} schools, ${n(size.people)} people, ${n(size.tokenPairs)} token records and
  ${n(size.progressRows)} progress rows; no disk flush, for everybody. Requests go to
  100 schools in turn (introspection, which the older variant alone has, to 10; the syllabus to 16).
- **Rounds**: ${warmUpRounds} to warm up, which are not counted, and ${rounds} that are, each of ${round.milliseconds} ms or up to
  ${n(round.requests)} requests over ${round.lanes} connections, all contenders in turn. The floor and Schoolgate are started
  ${starts} times and play as many rounds each time, because the same code costs a tenth more or less from one process
  to the next, and twice as often for documents, where that matters most; peers play once. The median round is
  shown. **× floor** is not the quotient of two of these: each round is divided by the floor's of the same turn, and
  the median of that is told. A remark tells where requests failed, where rounds differ by more than a quarter, and
  where others took more than a third of a core.
- **What limits it**: the CPU of the one process that answers, where its table says that it took nearly a
  core or more (V8 compiles and collects in threads of its own, so it can be more than one); else the load generator,
  which shares the two cores with it and with PostgreSQL. On a shared connection a statement waits for those
  before it, up to five milliseconds before another is used: less CPU for all, and a little more waiting for each.
- **Floor**: what the endpoint must do, in plain code, a pooled connection for each statement. Schoolgate sends the
  statements of all requests over few connections without waiting for answers in between, which spares both sides
  more than its checks cost: that is why it comes close. Two tables show what the floor would save by it.
- **\`/mcp\`** is asked without a token, and its floor uses the SDK as the SDK's documentation does, with a
  \`Request\` for every message, as Schoolgate does.
- **No contender logs requests**, except where a line says so. Peers hold only the records they are asked
  for, which is in their favour; better-auth exchanges and revokes 200 tokens a round, because each costs it
  a whole authorization first.
- **Refresh**: asked for \`openid\`, as most of its clients do, oidc-provider signs an ID token at every
  refresh; Schoolgate signs one at the code exchange only. Without \`openid\` it leaves the signature out: in
  memory it then takes less than the floor, which has to write to a database, and so less than Schoolgate.
- **Peers**: oidc-provider keeps its records through an adapter of ours, in one table with one prepared statement per
  method; its version 9 asks for Node 22 and says so, but runs on 20. better-auth has its own PostgreSQL adapter and
  OAuth provider plugin. Yoga and Mercurius read what the floor reads; Schoolgate keeps a course's outline in memory.
- **Versions**: Node ${process.versions.node}, ${(await versions()).join(', ')}.

${results.map(tableOf).join('\n')}`
}

async function versions(): Promise<readonly string[]> {
  const own = await readJson('../../package.json')
  const peers = await readJson('../package.json')
  const all: Record<string, string> = { ...peers.dependencies, ...own.dependencies }
  return [
    'fastify',
    'pg',
    'oidc-provider',
    'better-auth',
    'graphql-yoga',
    'mercurius',
    '@modelcontextprotocol/server',
  ].map((name) => `${name} ${all[name]}`)
}

async function readJson(path: string): Promise<{ dependencies: Record<string, string> }> {
  return JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8'))
}
