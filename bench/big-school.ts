import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { Asking } from './big-school/asking.ts'
import { makeCallers } from './big-school/callers.ts'
import { memberCases } from './big-school/cases/member-cases.ts'
import { pageCases } from './big-school/cases/page-cases.ts'
import { publicCases } from './big-school/cases/public-cases.ts'
import { restCases } from './big-school/cases/rest-cases.ts'
import { toolCases } from './big-school/cases/tool-cases.ts'
import { keepOpen } from './big-school/keep-open.ts'
import { KeptResults } from './big-school/kept-results.ts'
import { measureLongWork } from './big-school/long-work.ts'
import { measureCase } from './big-school/measure-case.ts'
import { openBigSchool } from './big-school/open.ts'
import { documentOf, rowOf } from './big-school/report.ts'
import { startServer } from './big-school/server.ts'
import { untilCounted } from './big-school/until-counted.ts'
import { wholeNumber } from './usage-error.ts'

/** What one big school costs beside a small one: `npm --prefix bench run big-school`. */

const { values } = parseArgs({
  options: {
    /** Only fill the database, and leave PostgreSQL running. */
    open: { type: 'boolean', default: false },
    /** Rows whose group or name contains this text. */
    only: { type: 'string' },
    /** Two turns instead of seven, no long work, and only as many rows as fit into two minutes. */
    quick: { type: 'boolean', default: false },
    /** After so many minutes no further row is begun. */
    minutes: { type: 'string' },
    /** Go on after a run that ended before all rows were measured: only rows that it lacks. */
    rest: { type: 'boolean', default: false },
    /** Write the page even if not everything was measured. */
    write: { type: 'boolean', default: false },
  },
})
const until =
  performance.now() + wholeNumber('minutes', values.minutes, values.quick ? 2 : 40) * 60_000
// After five runs on a connection PostgreSQL may keep one plan for all values, as it does on a
// server that runs for a day.
const rounds = values.quick ? { warmUp: 1, turns: 2 } : { warmUp: 8, turns: 7 }

const school = await openBigSchool((text) => console.error(text))
if (values.open) await keepOpen(school)
const callers = await makeCallers(school.address)
const server = await startServer(school.address)
const asking = new Asking(server.port)
const bench = { server, asking, postgresPid: school.postgresPid }
if (values.only === undefined || /analytics/i.test(values.only)) {
  await untilCounted(school.address, (text) => console.error(text))
}

const all = [
  ...(await pageCases(asking, callers)),
  ...(await publicCases(asking, callers)),
  ...(await restCases(asking, callers)),
  ...(await memberCases(asking, callers)),
  ...(await toolCases(asking, callers)),
]
const cases = values.quick ? spread(all) : all
const isWanted = (text: string) => values.only === undefined || text.includes(values.only)
const results = await KeptResults.open(!values.rest && values.only === undefined)
const known = new Set(cases.map(({ group, name }) => `${group}: ${name}`))
let isWhole = true
const wanted = cases.filter(({ group, name }) => isWanted(`${group}: ${name}`))
for (const [place, one] of wanted.entries()) {
  if (values.rest && results.has(one)) continue
  if (performance.now() > until) {
    isWhole = false
    console.log(
      `The time is over after ${place} of ${wanted.length} rows: --minutes N gives more, --rest goes on.`,
    )
    break
  }
  const found = await measureCase(bench, one, callers, rounds)
  if (found === undefined) {
    console.log(`| \`${one.name}\` | nothing to ask for |`)
    continue
  }
  results.add(found)
  console.log(rowOf(found))
}
await results.save()
if (!values.quick && isWhole) {
  const isLeft = (name: string) => !(values.rest && results.hasLong(name))
  for await (const row of measureLongWork(bench, callers, school, isWanted, isLeft)) {
    results.addLong(row)
    await results.save()
    console.log(`| ${row.name} | ${row.small} | ${row.big} | ${row.note} |`)
    if (performance.now() < until) continue
    isWhole = false
    break
  }
}
if (values.write || (values.only === undefined && !values.quick && isWhole)) {
  const page = new URL('../docs/performance-big-school.md', import.meta.url)
  const { measured, long } = results.all
  // A page or a filter that the product no longer has may be among those that were kept.
  const current = measured.filter(({ group, name }) => known.has(`${group}: ${name}`))
  await writeFile(
    page,
    documentOf({
      measured: current,
      long,
      isWhole,
      rows: school.rows,
      isInParts: values.quick || values.rest || values.only !== undefined,
      turns: rounds.turns,
    }),
  )
}
await asking.close()
await server.stop()
await school.close()
process.exit()

/** Every seventh row first, so that a run that ends early has asked for something of each kind. */
function spread<T>(rows: readonly T[]): readonly T[] {
  const stride = 7
  return Array.from({ length: stride }, (_, first) =>
    rows.filter((_row, place) => place % stride === first),
  ).flat()
}
