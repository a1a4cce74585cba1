import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { announceToCourse } from '../src/domain/learning/announcements.ts'
import { tell } from '../src/domain/notifications/notify.ts'
import { performOperation } from '../src/domain/operation/operation.ts'
import { createSchool } from '../src/domain/schools/write-school.ts'
import { openDatabase } from '../src/foundation/db/database.ts'
import { startEmbeddedPostgres } from '../src/foundation/db/embedded/embedded-postgres.ts'
import { migrate } from '../src/foundation/db/migration/migrate.ts'
import { atSchool } from '../src/foundation/db/school-db.ts'
import { quickMailServer } from '../test/support/mail-server.ts'
import { SERVER_ENV } from './big-school/server.ts'
import { freePort } from './contenders/free-port.ts'
import { stop, untilReady } from './contenders/start.ts'
import { wholeNumber } from './usage-error.ts'
import { stopAtExit } from './world/stop-at-exit.ts'
import { urlOf } from './world/world.ts'

/** An announcement by email to many subscribers: `npm --prefix bench run news`. */

const { values } = parseArgs({ options: { thousands: { type: 'string' } } })
const PEOPLE = wholeNumber('thousands', values.thousands, 100) * 1000
const PAGE = new URL('../docs/performance-news.md', import.meta.url)
/** Between two notifications of the other school. */
const OTHER_MS = 5000

const folder = await mkdtemp(join(tmpdir(), 'news-'))
const postgres = await startEmbeddedPostgres({ dataDir: folder, durable: false })
stopAtExit(postgres)
await migrate(postgres.address)
const { db, close } = openDatabase({
  connection: postgres.address,
  poolSize: 4,
  statementTimeoutMs: 30_000,
})
const client = new pg.Client(postgres.address)
await client.connect()

const COURSE = '00000000-0000-7000-8000-000000000001'
const [big, small] = [await aSchool('big', PEOPLE), await aSchool('small', 1)]

/** A school whose students have signed in and have one course. */
async function aSchool(subdomain: string, people: number): Promise<string> {
  const details = { subdomain, origin: `https://${subdomain}.example`, name: subdomain }
  const id = await db
    .transaction()
    .execute((tx) => createSchool(tx, details, { via: 'command_line' }))
  await client.query(
    `with people as (
       insert into users (id, email, name)
       select gen_random_uuid(), $2 || i || '@people.example', 'Person ' || i from generate_series(1, $3::int) i
       returning id),
     joined as (
       insert into school_members (school_id, user_id, roles, signed_in_at)
       select $1, id, '{student}', now() from people),
     course as (
       insert into courses (school_id, id, slug, title, currency, state, published_at)
       values ($1, $4, 'course', 'Course', 'TWD', 'published', now()))
     insert into enrollments (school_id, id, course_id, user_id, source, enrolled_at)
     select $1, gen_random_uuid(), $4, id, 'grant', now() - interval '1 day' from people`,
    [id, subdomain, people, COURSE],
  )
  await client.query('analyze')
  return id
}

/** Every mail that was taken: by recipient, its Message-IDs, each as often as it came. */
const taken = new Map<string, string[]>()
/** When the last notification of the other school was made, until its mail comes. */
const waits: { since: number; seconds?: number }[] = []
const smtp = await quickMailServer(({ to, raw }) => {
  const [recipient = ''] = to
  if (recipient.startsWith('small')) {
    const waiting = waits.find(({ seconds }) => seconds === undefined)
    if (waiting !== undefined) waiting.seconds = (performance.now() - waiting.since) / 1000
    return
  }
  const id = /^Message-ID: (.*)$/im.exec(raw)?.[1] ?? ''
  const before = taken.get(recipient)
  if (before === undefined) taken.set(recipient, [id])
  else before.push(id)
})

async function startServer(): Promise<ChildProcess> {
  const port = await freePort()
  const child = spawn(process.execPath, ['../dist/main.js', 'start'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      ...SERVER_ENV,
      PORT: String(port),
      DATABASE_URL: urlOf(postgres.address, postgres.address.database),
      SMTP_URL: `smtp://127.0.0.1:${smtp}`,
      MAIL_FROM: 'no-reply@schools.example',
      NEWS_MAILS_PER_DAY: String(PEOPLE * 2),
    },
  })
  stopAtExit({ stop: () => stop(child) })
  await untilReady(port, child)
  return child
}

async function memoryOf({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
}

let server = await startServer()
await sleep(3000)
const begin = performance.now()
const rss = [await memoryOf(server)]
const announced = await performOperation(
  announceToCourse,
  atSchool(db, big),
  { via: 'command_line', roles: ['owner'], origin: 'https://big.example' },
  { id: COURSE, title: 'A new term', body: 'It begins on Monday.' },
)
if (announced.kind !== 'done') throw new Error(JSON.stringify(announced))
const { rows } = await client.query('select user_id from school_members where school_id = $1', [
  small,
])
// The mails of an announcement wait up to ten minutes for others; the run does not.
let isKilled = false
let nextOther = 0
while (taken.size < PEOPLE) {
  await client.query(
    `update notifications set mail_due_at = now() where school_id = $1 and mail_due_at > now()`,
    [big],
  )
  if (performance.now() > nextOther && waits.every(({ seconds }) => seconds !== undefined)) {
    nextOther = performance.now() + OTHER_MS
    waits.push({ since: performance.now() })
    const facts = { order_number: 'O-1', words: '' }
    await atSchool(db, small).transaction((tx) =>
      tell(tx, 'order_reopened', [rows[0].user_id], facts),
    )
  }
  await sleep(1000)
  rss.push(await memoryOf(server))
  if (rss.length % 30 === 0) console.error(`${taken.size} mails, ${rss.at(-1)} MB`)
  if (!isKilled && taken.size > PEOPLE / 2) {
    isKilled = true
    server.kill('SIGKILL')
    server = await startServer()
  }
}
const seconds = (performance.now() - begin) / 1000
// A mail that is tried again after the end would come now.
await sleep(5000)
const { rows: kept } = await client.query(
  `select (select count(*)::int from outgoing_mails) as queued,
     (select count(*)::int from notifications where school_id = $1) as told`,
  [big],
)
await stop(server)

const twice = [...taken.values()].filter((ids) => ids.length > 1)
const others = twice.filter((ids) => new Set(ids).size > 1)
const waited = waits.flatMap((wait) => wait.seconds ?? []).sort((a, b) => a - b)
const half = Math.floor(rss.length / 2)
const text = `# An announcement by email

Measured by \`npm --prefix bench run news\` on ${new Date().toISOString().slice(0, 10)}; this file is its output.

An announcement to ${PEOPLE.toLocaleString('en')} students of one course, who have signed in and want email, from one process. Half-way the process was
killed (SIGKILL) and started again. Another school told a member of something every ${OTHER_MS / 1000} seconds meanwhile. The mail server takes all at once.

| | |
| --- | --- |
| told | ${kept[0].told.toLocaleString('en')} |
| people whose mail came | ${taken.size.toLocaleString('en')} |
| mails left in the queue | ${kept[0].queued} |
| mails that came twice, because the process died after it handed them over | ${twice.length} |
| of these with another \`Message-ID\` | ${others.length} |
| time | ${Math.round(seconds)} s, ${Math.round(PEOPLE / seconds)} mails a second |
| memory of the server before, most in the first half, most in the second | ${rss[0]} MB, ${Math.max(...rss.slice(0, half))} MB, ${Math.max(...rss.slice(half))} MB |
| mails of the other school: number, median, slowest | ${waited.length}, ${waited[waited.length >> 1]?.toFixed(1)} s, ${waited.at(-1)?.toFixed(1)} s |
`
console.log(text)
if (values.thousands === undefined) await writeFile(PAGE, text)
client.end()
await close()
await postgres.stop()
await rm(folder, { recursive: true, force: true })
process.exit(0)
