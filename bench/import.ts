import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { importRows } from '../src/domain/bulk/import-rows.ts'
import { openDatabase } from '../src/foundation/db/database.ts'
import { migrate } from '../src/foundation/db/migrate.ts'
import { atSchool } from '../src/foundation/db/school-db.ts'
import { furnish } from './imports/classroom.ts'
import { type ContestKind, EACH, STUDENTS } from './imports/contest-kind.ts'
import { CONTEST_KINDS } from './imports/contest-kinds.ts'
import { importBare } from './imports/floor-import.ts'
import { type Imported, importDocument, importTable } from './imports/import-document.ts'
import { type Figures, measureImport } from './imports/measure-import.ts'
import { idOf } from './world/ids.ts'
import { SIZES } from './world/sizes.ts'
import { OURS, openWorld } from './world/world.ts'

/** Files of rows into the database, ours and the floor: `npm --prefix bench run import`. */

const { positionals } = parseArgs({ allowPositionals: true })
const wanted = CONTEST_KINDS.filter(
  ({ kind }) => positionals.length === 0 || positionals.includes(kind.name),
)

const ROWS = STUDENTS * EACH
/** One school each, so that both find the same and neither finds what the other made. */
const [OUR_SCHOOL, FLOOR_SCHOOL] = [1, 3]

const files = new URL('data/import/', import.meta.url)
await mkdir(files, { recursive: true })
const world = await openWorld('quick', SIZES.quick)
const connection = { connectionString: world.urlOf(OURS) }
await migrate(connection)
const { db, close } = openDatabase({ connection, poolSize: 3, statementTimeoutMs: 600_000 })
const client = await world.pool.connect()
try {
  for (const school of [OUR_SCHOOL, FLOOR_SCHOOL]) await furnish(world.pool, school)
  const imported: Imported[] = []
  for (const contest of wanted) {
    const floor = await measureFloor(contest)
    const first = await measureOurs(contest, 'created')
    const again = await measureOurs(contest, 'unchanged')
    imported.push({ contest, floor, first, again })
    console.log(importTable(imported.slice(-1)))
  }
  if (wanted.length === CONTEST_KINDS.length) {
    const document = importDocument(imported, ROWS)
    await writeFile(new URL('../docs/performance-import.md', import.meta.url), document)
  }
} finally {
  client.release()
  await close()
  await world.close()
}

async function measureFloor(contest: ContestKind): Promise<Figures> {
  const file = await writeRows(contest, `${contest.kind.name}-floor`, (student, n) =>
    contest.bare(FLOOR_SCHOOL, student, n),
  )
  const schoolId = idOf('school', FLOOR_SCHOOL)
  return await measureImport(ROWS, world.postgresPid, (onProgress) =>
    importBare(client, schoolId, contest, file, onProgress),
  )
}

async function measureOurs(
  contest: ContestKind,
  expected: 'created' | 'unchanged',
): Promise<Figures> {
  const { kind } = contest
  const file = await writeRows(contest, kind.name, (student, n) =>
    contest.row(OUR_SCHOOL, student, n),
  )
  const at = atSchool(db, idOf('school', OUR_SCHOOL))
  const caller = { roles: ['owner'], origin: 'http://s1.bench.test', via: 'command_line' } as const
  return await measureImport(ROWS, world.postgresPid, async (onProgress) => {
    const summary = await importRows(at, caller, kind, createReadStream(file), {
      format: 'ndjson',
      connections: 2,
      onProgress: ({ rows }) => onProgress(rows),
    })
    if (summary[expected] !== ROWS) throw new Error(JSON.stringify(summary).slice(0, 1000))
  })
}

async function writeRows(
  { order }: ContestKind,
  name: string,
  row: (student: number, n: number) => object,
): Promise<string> {
  const file = new URL(`${name}.ndjson`, files).pathname
  const out = createWriteStream(file)
  for (let k = 0; k < ROWS; k++) {
    const values =
      order === 'by time'
        ? row(k % STUDENTS, Math.floor(k / STUDENTS))
        : row(Math.floor(k / EACH), k % EACH)
    if (!out.write(`${JSON.stringify(values)}\n`)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
  return file
}
