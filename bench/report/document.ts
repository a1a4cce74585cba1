import { readFile } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'
import type { ContenderName } from '../contenders/contender-names.ts'
import { isProgram, versionOf } from '../contenders/installed.ts'
import type { ContestSettings } from '../measure/contest.ts'
import type { Memory } from '../measure/memory.ts'
import type { Size } from '../world/sizes.ts'
import { SETTINGS } from '../world/world.ts'
import type { Result } from './summary.ts'
import { tableOf } from './table.ts'

/** The whole of docs/performance.md. */
export async function documentOf(
  results: readonly Result[],
  size: Size,
  { starts, warmUpRequests, rounds, round }: ContestSettings,
  memory: Memory,
): Promise<string> {
  const n = (value: number) => value.toLocaleString('en')
  return `# Performance

Measured by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}; this file is its output. The
[bench](../bench/README.md) also has a quick mode, and each contender and each floor is one short file there.
Other measurements: [growth](performance-growth.md), [one big school](performance-big-school.md), [imports](performance-import.md), [an announcement by email](performance-news.md).

![CPU per request](performance.svg)

The main figure is CPU time per request, of the server and PostgreSQL together, as a multiple of the floor: bare
Fastify with the least hand-written SQL for the endpoint, measured in the same run. Absolute times on a shared
machine mean little; ratios within a run are reliable. A bar is the limit that we set for a ratio.

- **Machine**: ${availableParallelism()} cores (${cpus()[0]?.model.trim() || process.arch}), shared with other work; the load
  generator runs on the same cores, so requests per second are lower than on a separate server.
- **Database**: PostgreSQL 18 with ${n(size.schools)} schools, ${n(size.people)} people, ${n(size.tokenPairs)} token records and
  ${n(size.progressRows)} progress rows, the same server for all contenders: ${SETTINGS.shared_buffers} of shared buffers,
  \`fsync\`, \`synchronous_commit\` and \`full_page_writes\` off, autovacuum off and no checkpoint during a run, because these
  happen at random moments. Requests go to 100 schools in turn (introspection, which only the older variant has, to 10; the
  syllabus to 16).
- **Rounds**: after ${n(warmUpRequests)} requests to each contender to warm up (a fifth of them for openapi.json, a tenth for the
  syllabus), ${rounds} rounds count, each of ${round.milliseconds} ms or up to ${n(round.requests)} requests over ${round.lanes} connections, all contenders in turn. The floor and Schoolgate are started
  ${starts} times with all rounds each time, because the cost of the same code differs by a tenth from process to process,
  and twice as often for documents, where that matters most; peers are started once. The tables show the median
  round. **× floor** is not the quotient of two medians: each round is divided by the floor's round of the same turn,
  and the table shows the median of these ratios. A remark says if requests failed, if rounds differ by more than a
  quarter, or if other processes took more than a third of a core.
- **What limits it**: the CPU of the server process, if its table says that it took nearly a core or more (V8
  compiles and collects garbage in other threads, so it can be more than one); else the load generator,
  which shares the two cores with it and with PostgreSQL. On a shared connection a statement waits for those
  before it, up to five milliseconds before another is used: less CPU in total, and a slightly longer wait for each.
- **Floor**: the necessary work of the endpoint in plain code, with a pooled connection for each statement. Schoolgate sends the
  statements of all requests over few connections without waiting for answers in between, which saves
  more than its checks cost: so it comes close to the floor. Two tables also show the floor with pipelined statements.
- **\`/mcp\`** is called without a token, and its floor uses the SDK as its documentation shows, with a
  \`Request\` for every message; in Schoolgate messages with the same headers share one.
- **No contender logs requests**, except where a line says so. Peers have only the records that are requested,
  which is an advantage for them; better-auth exchanges and revokes 200 tokens per round, because each needs a
  whole authorization first.
- **Refresh**: one in twelve is the first of its day, as for a client in use. Schoolgate writes an audit entry only then.
  With \`openid\`, which most clients request, oidc-provider signs an ID token at every refresh;
  Schoolgate signs one only at the code exchange. Without \`openid\` oidc-provider signs none: in memory it then
  takes less than the floor, which writes to a database, and so less than Schoolgate.
- **Purge and vacuum**: a refresh leaves a dead pair behind. With autovacuum off no round pays for it, so this is measured
  apart, on ${n(20_000)} dead pairs, and added to the CPU of Schoolgate and of the floor, but not to that of peers.
- **Documents**: Fastify is most of their floor, so the tables also show \`node:http\` without it.
- **Rate limits** of Schoolgate are set so high that they refuse nothing here; they are still counted. better-auth has none.
- **Peers**: oidc-provider stores its records with our adapter, in one table with partial indexes and one prepared statement per
  method; its version 9 warns that it needs Node 22, but runs on 20. better-auth has its own PostgreSQL adapter and
  OAuth provider plugin, and keeps the client in memory. ${programsInWords(results)}Yoga and Mercurius read what the floor reads; Schoolgate keeps a course's outline in memory.
- **Versions**: Node ${process.versions.node}, ${(await versions(results)).join(', ')}.

${results.map(tableOf).join('\n')}
### Memory

${memoryInWords(memory)}
`
}

export function memoryInWords({ schools, ours, floor }: Memory): string {
  const mib = (value: number) => `${Math.round(value)} MiB`
  return `Resident memory of one process: Schoolgate ${mib(ours.idle)} at rest after the start, ${mib(ours.asked)} after ${(3 * schools).toLocaleString('en')} requests to ${schools.toLocaleString('en')} schools, all of which it then has in its cache; the floor ${mib(floor.idle)} and ${mib(floor.asked)}.`
}

/** Peers that npm does not have, if they took part. */
function programsIn(results: readonly Result[]): readonly ContenderName[] {
  const names = results.flatMap(({ entries }) => entries.map(({ contender }) => contender))
  return [...new Set(names)].filter(isProgram)
}

const IN_WORDS: Partial<Record<ContenderName, string>> = {
  doorkeeper: `Doorkeeper runs on Rails in production mode and one process of Puma, with as many threads and connections as the
  pools of the others, Ruby's compiler (YJIT), no log, and digests of tokens; UserInfo is a small controller of ours.`,
  glewlwyd: `glewlwyd (C) has its own tables, with indexes that we added where its statements had none, and one connection to
  PostgreSQL for all threads; its access tokens are signed (ES256), which a refresh pays for.`,
}

function programsInWords(results: readonly Result[]): string {
  const names = programsIn(results)
  if (names.length === 0) return ''
  const words = names.map((name) => IN_WORDS[name]).join(' ')
  return `${words} Statements of programs that are not Node's are not counted, and they warm up
  with a tenth of the requests. `
}

async function versions(results: readonly Result[]): Promise<readonly string[]> {
  const own = await readJson('../../package.json')
  const peers = await readJson('../package.json')
  const all: Record<string, string> = { ...peers.dependencies, ...own.dependencies }
  const packages = [
    'fastify',
    'pg',
    'oidc-provider',
    'better-auth',
    'graphql-yoga',
    'mercurius',
    '@modelcontextprotocol/server',
  ].map((name) => `${name} ${all[name]}`)
  return [...packages, ...programsIn(results).map((name) => versionOf(name) ?? name)]
}

async function readJson(path: string): Promise<{ dependencies: Record<string, string> }> {
  return JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8'))
}
