import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { type ImportSummary, importRows } from '../src/domain/bulk/import-rows.ts'
import { openDatabase } from '../src/foundation/db/database.ts'
import { migrate } from '../src/foundation/db/migration/migrate.ts'
import { atSchool } from '../src/foundation/db/school-db.ts'
import { addClassroom } from './imports/classroom.ts'
import { type ContestKind, EACH, STUDENTS } from './imports/contest-kind.ts'
import { CONTEST_KINDS, notifications } from './imports/contest-kinds.ts'
import { importBare } from './imports/floor-import.ts'
import {
  type Imported,
  importDocument,
  importTable,
  memoryParagraph,
} from './imports/import-document.ts'
import { type Figures, measureImport } from './imports/measure-import.ts'
import { type MemoryTrace, traceMemory } from './imports/trace-memory.ts'
import { idOf } from './world/ids.ts'
import { SIZES } from './world/sizes.ts'
import { OURS, openWorld } from './world/world.ts'

/** Imports files of rows with ours and with the floor: `npm --prefix bench run import`. */

const { positionals } = parseArgs({ allowPositionals: true })
const wanted = CONTEST_KINDS.filter(
  ({ kind }) => positionals.length === 0 || positionals.includes(kind.name),
)

const ROWS = STUDENTS * EACH
/** One school each, so that both start with the same rows and neither sees the other's rows. */
const [OUR_SCHOOL, FLOOR_SCHOOL] = [1, 3]

const files = new URL('data/import/', import.meta.url)
await mkdir(files, { recursive: true })
const world = await openWorld('quick', SIZES.quick)
const connection = { connectionString: world.urlOf(OURS) }
await migrate(connection)
const { db, close } = openDatabase({ connection, poolSize: 3, statementTimeoutMs: 600_000 })
const client = await world.pool.connect()
try {
  for (const school of [OUR_SCHOOL, FLOOR_SCHOOL]) await addClassroom(world.pool, school)
  const imported: Imported[] = []
  let trace: MemoryTrace | undefined
  for (const contest of wanted) {
    const floor = await measureFloor(contest)
    const first = await measureOurs(contest, 'created')
    const again = await measureOurs(contest, 'unchanged')
    imported.push({ contest, floor, first, again })
    console.log(importTable(imported.slice(-1)))
  }
  if (positionals.length === 0 || positionals.includes('memory')) {
    trace = await traceOurs(notifications)
    console.log(memoryParagraph(trace))
  }
  if (wanted.length === CONTEST_KINDS.length && trace !== undefined) {
    const document = importDocument(imported, ROWS, trace)
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
  const file = await writeRows(contest, contest.kind.name, (student, n) =>
    contest.row(OUR_SCHOOL, student, n),
  )
  return await measureImport(ROWS, world.postgresPid, async (onProgress) => {
    const summary = await importOurs(contest, OUR_SCHOOL, file, onProgress)
    if (summary[expected] !== ROWS) throw new Error(JSON.stringify(summary).slice(0, 1000))
  })
}

/** The file of one kind, ten times as large. */
async function traceOurs(contest: ContestKind): Promise<MemoryTrace> {
  const each = 10 * EACH
  const file = await writeRows(
    contest,
    `${contest.kind.name}-long`,
    (student, n) => contest.row(FLOOR_SCHOOL, student, n),
    each,
  )
  const trace = await traceMemory(STUDENTS * each, async (onProgress) => {
    const { created, rows } = await importOurs(contest, FLOOR_SCHOOL, file, onProgress)
    if (created !== STUDENTS * each) throw new Error(`${created} of ${rows} rows were imported`)
  })
  await rm(file)
  return trace
}

async function importOurs(
  { kind }: ContestKind,
  school: number,
  file: string,
  onProgress: (done: number) => void,
): Promise<ImportSummary> {
  const at = atSchool(db, idOf('school', school))
  const caller = { roles: ['owner'], origin: 'http://s1.bench.test', via: 'command_line' } as const
  return await importRows(at, caller, kind, createReadStream(file), {
    format: 'ndjson',
    connections: 2,
    onProgress: ({ rows }) => onProgress(rows),
  })
}

async function writeRows(
  { order }: ContestKind,
  name: string,
  row: (student: number, n: number) => object,
  each = EACH,
): Promise<string> {
  const file = new URL(`${name}.ndjson`, files).pathname
  const out = createWriteStream(file)
  for (let k = 0; k < STUDENTS * each; k++) {
    const values =
      order === 'by time'
        ? row(k % STUDENTS, Math.floor(k / STUDENTS))
        : row(Math.floor(k / each), k % each)
    if (!out.write(`${JSON.stringify(values)}\n`)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
  return file
}
