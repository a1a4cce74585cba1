import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { BULK_ROUTES } from '../../src/surfaces/admin-api/bulk-routes.ts'
import { readClocks, usedBetween } from '../measure/cpu.ts'
import { urlOf } from '../world/world.ts'
import type { BothCallers, Callers } from './callers.ts'
import { submitForm } from './forms.ts'
import { bigId, schoolIdOf } from './ids.ts'
import { type Bench, type Cost, costOf } from './measure-case.ts'
import type { BigSchool } from './open.ts'
import type { LongRow } from './report.ts'
import type { SchoolSize } from './school-size.ts'
import { SERVER_ENV } from './server.ts'

/** Rows of an export that are read before the connection is closed, and rows of an import. */
const EXPORTED = 100_000
const IMPORTED = 1_000

interface Done {
  readonly cost: Cost
  readonly rows: number
}

/** Work that may take longer at the big school, in proportion to its rows. */
export async function* measureLongWork(
  bench: Bench,
  callers: BothCallers,
  school: BigSchool,
  isWanted: (text: string) => boolean,
): AsyncGenerator<LongRow> {
  const both = async (name: string, work: (at: Callers) => Promise<Done>): Promise<LongRow> => {
    const small = await work(callers.small)
    return compare(name, small, await work(callers.big))
  }
  for (const { method, path } of BULK_ROUTES) {
    if (method !== 'GET' || !isWanted(`Long work: export ${path}`)) continue
    yield await both(`export of ${path.split('/')[1]}`, (at) => exportRows(bench, at, path))
  }
  if (isWanted('Long work: import'))
    yield await both('import of students', (at) => importStudents(bench, at, school))
  if (isWanted('Long work: announcement'))
    yield await both('announcement to the largest course', (at) => announce(bench, at, school))
  if (isWanted('Long work: deletion'))
    yield await both('deletion of an app', (at) => deleteApp(bench, at, school))
  for (const command of ['purge', 'doctor'] as const) {
    if (isWanted(`Long work: ${command}`)) yield await runCommand(command, school)
  }
}

function compare(name: string, small: Done, big: Done): LongRow {
  const shown = ({ cost, rows }: Done) =>
    `${rows.toLocaleString('en')} rows, ${cost.cpuMs.toFixed(0)} ms, ${((1000 * cost.cpuMs) / Math.max(1, rows)).toFixed(0)} µs a row, stall ${Math.round(cost.stallMs)} ms, grew ${Math.round(cost.grewMb)} MB`
  const faults = [
    ...(big.cost.status >= 400 || big.cost.status === 0 ? [`**answers ${big.cost.status}**`] : []),
    ...(big.cost.stallMs > 50 ? ['**stalls**'] : []),
  ]
  return { name, small: shown(small), big: shown(big), note: faults.join(', ') }
}

async function exportRows(bench: Bench, at: Callers, path: string): Promise<Done> {
  let rows = 0
  const cost = await costOf(bench, async () => {
    const asked = {
      path: `/api/v1${path}`,
      headers: { ...at.operator, accept: 'application/x-ndjson' },
    }
    const { status, lines } = await bench.asking.countLines(asked, EXPORTED)
    rows = lines
    return { status }
  })
  return { cost, rows }
}

async function importStudents(bench: Bench, at: Callers, school: BigSchool): Promise<Done> {
  const lines = Array.from({ length: IMPORTED }, (_, n) =>
    JSON.stringify({ email: `imported${n}@${at.school.name}.bench.test`, name: `Imported ${n}` }),
  )
  const headers = { ...at.operator, 'content-type': 'application/x-ndjson' }
  const body = `${lines.join('\n')}\n`
  const cost = await costOf(bench, () =>
    bench.asking.ask({ method: 'POST', path: '/api/v1/students/import', headers, body }),
  )
  await query(
    school,
    `delete from school_members where school_id = $1 and user_id in (
    select id from users where email like 'imported%@${at.school.name}.bench.test')`,
    [schoolIdOf(at.school)],
  )
  return { cost, rows: IMPORTED }
}

const TITLE = 'An announcement of the bench'

async function announce(bench: Bench, at: Callers, school: BigSchool): Promise<Done> {
  const page = `/admin/courses/${bigId('course', at.school, 1)}/announce`
  const count = async () =>
    Number(
      (
        await query(
          school,
          'select count(*) as many from notifications where school_id = $1 and title = $2',
          [schoolIdOf(at.school), TITLE],
        )
      )[0]?.many,
    )
  const cost = await costOf(bench, async () => {
    const answer = await submitForm(bench.asking, at.browser, page, {
      title: TITLE,
      body: 'Hello.',
    })
    await untilStill(count)
    return answer
  })
  const rows = await count()
  await query(school, 'delete from notifications where school_id = $1 and title = $2', [
    schoolIdOf(at.school),
    TITLE,
  ])
  return { cost, rows }
}

/** The work may go on after the answer: it has ended when the number stays the same. */
async function untilStill(count: () => Promise<number>): Promise<void> {
  for (let before = -1, now = await count(); now !== before; ) {
    before = now
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    now = await count()
  }
}

async function deleteApp(bench: Bench, at: Callers, school: BigSchool): Promise<Done> {
  const rows = at.school.thousands * 20
  const id = `doomed-${Date.now()}`
  await addApp(school, at.school, id, rows)
  const page = `/admin/developers/applications/${id}/delete`
  const cost = await costOf(bench, () => submitForm(bench.asking, at.browser, page, {}))
  return { cost, rows }
}

async function addApp(school: BigSchool, at: SchoolSize, id: string, rows: number): Promise<void> {
  const values = [schoolIdOf(at), id]
  await query(
    school,
    `insert into clients (school_id, client_id, kind, audience, name, redirect_uris, scopes)
    values ($1, $2, 'application', 'member', 'Doomed', '{https://app.bench.test/callback}', '{openid}')`,
    values,
  )
  await query(
    school,
    `
    with opened as (
      insert into authorizations (id, school_id, client_id, user_id, audience, scopes, resource)
      select gen_random_uuid(), $1, $2, user_id, 'member', '{openid}', 'http://${at.host}'
      from (select user_id from school_members where school_id = $1 limit ${rows}) m returning id)
    insert into token_pairs (id, authorization_id, bound_school_id, scopes, access_hash, refresh_hash,
      access_expires_at, refresh_expires_at)
    select id, id, $1, '{openid}', sha256(id::text::bytea), sha256(id::text::bytea), now(), now() + interval '90 days'
    from opened`,
    values,
  )
}

/** A command is run on the whole database, with both schools in it. */
async function runCommand(command: string, { address, postgresPid }: BigSchool): Promise<LongRow> {
  const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
  const clocks = readClocks(postgresPid)
  const started = performance.now()
  const child = spawn(
    'bash',
    ['-c', `"$0" "$1" ${command} >/dev/null; times`, process.execPath, main],
    {
      env: { ...process.env, ...SERVER_ENV, DATABASE_URL: urlOf(address, address.database) },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let told = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (told += text))
  await once(child, 'close')
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const [user = 0, system = 0] = [
    ...(told.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g),
  ].map(([, m, s]) => 60 * Number(m) + Number(s))
  const database = usedBetween(clocks, readClocks(postgresPid)) / 1e6
  return {
    name: `\`schoolgate ${command}\``,
    small: '',
    big: `${seconds} s, CPU ${(user + system).toFixed(1)} s of Node and ${database.toFixed(1)} s of PostgreSQL`,
    note: '',
  }
}

async function query(
  { address }: BigSchool,
  text: string,
  values: readonly unknown[],
): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ ...address })
  await client.connect()
  try {
    return (await client.query(text, [...values])).rows
  } finally {
    await client.end()
  }
}
