import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { LINES, laneSizes, TIME_OUTS } from '../../src/foundation/db/time-outs.ts'
import { LINE } from '../../src/foundation/http/request-line.ts'

/** The parts of docs/limits.md between two marks are written from the code: `npm run docs`. */

const PAGE = new URL('../../docs/limits.md', import.meta.url)
const config = readConfig({})

const time = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`)

function timeOuts(): string[] {
  const { connect, connectAlone, wait, sharedLock, migrationLock, silence } = TIME_OUTS
  const rows: readonly (readonly [what: string, most: number, setBy?: keyof typeof config])[] = [
    ['a request in the line of requests, before it is refused', LINE.waitMs],
    ['to open a connection', connect],
    ['to open a connection of a start and of commands', connectAlone],
    [
      'to ask the other hosts of a replicated database which is the newest primary, once in a process',
      TIME_OUTS.otherHosts,
    ],
    [
      'a statement of a stranger: any request whose credential is not proven (pages, public tools, sign-in, authorize)',
      config.DATABASE_STRANGER_TIMEOUT_MS,
      'DATABASE_STRANGER_TIMEOUT_MS',
    ],
    [
      'a statement of a signed-in caller, and of token, revocation and introspection requests',
      config.DATABASE_STATEMENT_TIMEOUT_MS,
      'DATABASE_STATEMENT_TIMEOUT_MS',
    ],
    [
      'a statement of batch work: imports, exports, analytics, searches and totals of operators, purging',
      config.DATABASE_BATCH_TIMEOUT_MS,
      'DATABASE_BATCH_TIMEOUT_MS',
    ],
    ['to wait for a connection: strangers', wait.stranger],
    ['to wait for a connection: signed-in callers', wait.interactive],
    ['to wait for a connection: batch work', wait.batch],
    [
      'a statement that waits for a lock on a shared connection, before it goes on alone',
      sharedLock,
    ],
    [
      'a migration that waits for the lock of a table, before it lets requests pass and tries again',
      migrationLock.waitMs,
    ],
    [
      `pause of such a migration; it gives up after ${migrationLock.tries} tries`,
      migrationLock.pauseMs,
    ],
    ['a transaction that sends nothing', TIME_OUTS.idleTransaction],
    [
      'a statement without any answer, before PostgreSQL is asked over a new connection whether it still works on it',
      silence.doubtMs,
    ],
    ['the same statement of a start, of a command or of a migration', TIME_OUTS.doubtAlone],
    [
      'silence of a connection beyond the limit of its statements, before it is closed (2 s in all at least)',
      TIME_OUTS.beyondLimit,
    ],
    ['pause before a database that does not answer is tried again', silence.retryMs],
  ]
  return rows.map(
    ([what, most, setBy]) =>
      `| ${what} | ${time(most)} |${setBy === undefined ? '' : ` \`${setBy}\``} |`,
  )
}

function shares(): string[] {
  const sizes = laneSizes(config.DATABASE_POOL_SIZE)
  const rows = [
    ['signed-in callers', 'half of `DATABASE_POOL_SIZE`', sizes.interactive, LINES.interactive],
    ['strangers', 'a quarter', sizes.stranger, LINES.stranger],
    ['batch work', 'a third', sizes.batch, LINES.batch],
  ] as const
  return rows.map(
    ([who, share, places, line]) =>
      `| connections of ${who} | ${share}: ${places} | ${line.toLocaleString('en')} |`,
  )
}

test.each([
  ['time-outs', timeOuts],
  ['shares', shares],
])('docs/limits.md has the %s of the code (npm run docs rewrites it)', (name, rows) => {
  const text = readFileSync(PAGE, 'utf8')
  const part = new RegExp(`(<!-- ${name} -->\\n(?:\\|.*\\n){2})(?:\\|.*\\n)*(?=<!-- /${name} -->)`)
  expect(text).toMatch(part)
  const wanted = text.replace(part, (_, head) => `${head}${rows().join('\n')}\n`)
  if (process.env.UPDATE_DOCS === '1') writeFileSync(PAGE, wanted)
  expect(readFileSync(PAGE, 'utf8')).toBe(wanted)
})
