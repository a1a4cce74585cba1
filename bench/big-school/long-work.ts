import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { BULK_ROUTES } from '../../src/surfaces/admin-api/bulk.ts'
import { adminPaths } from '../../src/surfaces/pages/frame/paths.ts'
import { type Asked, Asking } from './asking.ts'
import type { BothCallers, Callers } from './callers.ts'
import { submitForm } from './forms.ts'
import { bigId, schoolIdOf } from './ids.ts'
import { type Bench, type Cost, costOf } from './measure-case.ts'
import type { BigSchool } from './open.ts'
import type { LongRow } from './report.ts'
import { runCommand, saidRun } from './run-command.ts'
import type { SchoolSize } from './school-size.ts'
import { measureWhole } from './whole-database.ts'

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
  isLeft: (name: string) => boolean,
): AsyncGenerator<LongRow> {
  const works: [name: string, work: (at: Callers) => Promise<Done>][] = [
    ...BULK_ROUTES.filter(({ method }) => method === 'GET').map(
      ({ path }): [string, (at: Callers) => Promise<Done>] => [
        `export of ${path.split('/')[1]}`,
        (at) =>
          exportRows(bench, {
            path: `/api/v1${path}`,
            headers: { ...at.operator, accept: 'application/x-ndjson' },
          }),
      ],
    ),
    [
      'export of the audit log',
      (at) =>
        exportRows(bench, {
          path: `${adminPaths.audit}/export?format=ndjson`,
          headers: at.browser,
        }),
    ],
    ['import of students', (at) => importStudents(bench, at, school)],
    ['deletion of an app', (at) => endApp(bench, at, school, deletionOf)],
    ['end of the access of an app', (at) => endApp(bench, at, school, endOf)],
  ]
  for (const [name, work] of works) {
    if (!isWanted(`Long work: ${name}`) || !isLeft(name)) continue
    const small = await work(callers.small)
    yield compare(name, small, await work(callers.big))
  }
  if (isWanted(`Long work: ${ANNOUNCEMENT}`) && isLeft(ANNOUNCEMENT)) {
    yield await announceAtBoth(bench, callers, school)
  }
  for (const command of ['purge', 'doctor'] as const) {
    const name = `\`schoolgate ${command}\``
    if (!isWanted(`Long work: ${command}`) || !isLeft(name)) continue
    // On the whole database, with both schools in it.
    const ran = await runCommand([command], school.address, school.postgresPid)
    yield { name, small: '', big: saidRun(ran), note: '' }
  }
  yield* measureWhole(school, isWanted, isLeft)
}

const ANNOUNCEMENT = 'announcement to the largest course'

async function announceAtBoth(
  bench: Bench,
  callers: BothCallers,
  school: BigSchool,
): Promise<LongRow> {
  const waited: string[] = []
  const announceAt = async (at: Callers, other: Callers): Promise<Done> => {
    const before = askMeanwhile(bench.server.port, other)
    await sleep(QUIET_MS)
    const usual = await before.stop()
    const asking = askMeanwhile(bench.server.port, other)
    const done = await announce(bench, at, school)
    waited.push(`${await asking.stop()} (before: ${usual})`)
    return done
  }
  const small = await announceAt(callers.small, callers.big)
  const row = compare(ANNOUNCEMENT, small, await announceAt(callers.big, callers.small))
  const note = `answers of the other school meanwhile, 95th percentile and slowest: ${waited.join('; ')}`
  return { ...row, note: [row.note, note].filter((text) => text !== '').join(', ') }
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

async function exportRows(bench: Bench, asked: Asked): Promise<Done> {
  let rows = 0
  const cost = await costOf(bench, async () => {
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
  const cost = await costOf(bench, async () => {
    const answer = await submitForm(bench.asking, at.browser, page, {
      title: TITLE,
      body: 'Hello.',
    })
    await untilNoJobs(school, at.school)
    return answer
  })
  const [removed] = await query(
    school,
    `with gone as (delete from notifications where school_id = $1 and title = $2 returning 1)
     select count(*) as many from gone`,
    [schoolIdOf(at.school), TITLE],
  )
  await query(school, 'vacuum notifications', [])
  return { cost, rows: Number(removed?.many) }
}

/** Seldom enough not to count much in the cost of the work. */
const ASKED_EVERY_MS = 100
/**
 * A machine with other work has slow answers without any announcement, too: so it is asked before,
 * as well.
 */
const QUIET_MS = 10_000

/** A person of another school opens a page again and again; `stop` tells how long answers took. */
function askMeanwhile(port: number, { busyBrowser }: Callers): { stop(): Promise<string> } {
  const asking = new Asking(port)
  const times: number[] = []
  let isStopping = false
  const run = async () => {
    while (!isStopping) {
      const started = performance.now()
      await asking.ask({ path: '/account', headers: busyBrowser })
      times.push(performance.now() - started)
      await sleep(ASKED_EVERY_MS)
    }
  }
  const asked = run()
  return {
    async stop() {
      isStopping = true
      await asked
      await asking.close()
      const sorted = times.toSorted((one, other) => one - other)
      const late = sorted[Math.floor(0.95 * sorted.length)] ?? 0
      return `${late.toFixed(0)} and ${(sorted.at(-1) ?? 0).toFixed(0)} ms`
    },
  }
}

/** The work goes on after the answer. */
async function untilNoJobs(school: BigSchool, at: SchoolSize): Promise<void> {
  const open = `select 1 from jobs where school_id = $1 and state in ('waiting', 'running')`
  while ((await query(school, open, [schoolIdOf(at)])).length > 0) await sleep(200)
}

const deletionOf = (app: string): string => `/admin/developers/applications/${app}/delete`
const endOf = (app: string): string => `${adminPaths.endAccess}?id=${app}`

/** The request and the job that marks the authorizations afterwards. */
async function endApp(
  bench: Bench,
  at: Callers,
  school: BigSchool,
  page: (app: string) => string,
): Promise<Done> {
  const rows = at.school.thousands * 20
  const id = `doomed-${Date.now()}`
  await addApp(school, at.school, id, rows)
  const cost = await costOf(bench, async () => {
    const answer = await submitForm(bench.asking, at.browser, page(id), {
      confirm_name: 'Doomed',
    })
    await untilNoJobs(school, at.school)
    return answer
  })
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
