import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { LINES, laneSizes, TIME_OUTS } from '../../src/foundation/db/time-outs.ts'
import { LINE } from '../../src/foundation/http/request-line.ts'

const page = readFileSync(new URL('../../docs/limits.md', import.meta.url), 'utf8')

/** The cells of the first row that contains the text. */
function row(text: string): string[] {
  const line = page.split('\n').find((one) => one.startsWith('|') && one.includes(text)) ?? ''
  return line.split('|').map((cell) => cell.trim())
}

const milliseconds = (text = ''): number =>
  Number.parseInt(text, 10) * (text.endsWith(' ms') ? 1 : 1000)

test('the table of time-outs says what the code does', () => {
  const config = readConfig({})
  const told = (text: string) => milliseconds(row(text)[2])
  expect(told('in the line of requests')).toBe(LINE.waitMs)
  expect(told('to open a connection |')).toBe(TIME_OUTS.connect)
  expect(told('of a start and of commands')).toBe(TIME_OUTS.connectAlone)
  expect(told('DATABASE_STRANGER_TIMEOUT_MS')).toBe(config.DATABASE_STRANGER_TIMEOUT_MS)
  expect(told('DATABASE_STATEMENT_TIMEOUT_MS')).toBe(config.DATABASE_STATEMENT_TIMEOUT_MS)
  expect(told('DATABASE_BATCH_TIMEOUT_MS')).toBe(config.DATABASE_BATCH_TIMEOUT_MS)
  expect(told('strangers and signed-in callers')).toBe(TIME_OUTS.wait.stranger)
  expect(told('strangers and signed-in callers')).toBe(TIME_OUTS.wait.interactive)
  expect(told('connection: batch work')).toBe(TIME_OUTS.wait.batch)
  expect(told('waits for a lock')).toBe(TIME_OUTS.sharedLock)
  expect(told('waits for the lock of a table')).toBe(TIME_OUTS.migrationLock.waitMs)
  expect(told('pause of such a migration')).toBe(TIME_OUTS.migrationLock.pauseMs)
  expect(row('pause of such a migration')[1]).toContain(`${TIME_OUTS.migrationLock.tries} tries`)
  expect(told('sends nothing')).toBe(TIME_OUTS.idleTransaction)
  expect(told('without any answer')).toBe(TIME_OUTS.silence.doubtMs)
  expect(told('the same statement of a start')).toBe(TIME_OUTS.doubtAlone)
  expect(told('beyond the limit')).toBe(TIME_OUTS.beyondLimit)
  expect(told('does not answer')).toBe(TIME_OUTS.silence.retryMs)
})

test('the table of shares says how many connections each class has', () => {
  const sizes = laneSizes(readConfig({}).DATABASE_POOL_SIZE)
  const told = (text: string) => Number(/: (\d+)$/.exec(row(text)[2] ?? '')?.[1])
  expect(told('connections of signed-in callers')).toBe(sizes.interactive)
  expect(told('connections of strangers')).toBe(sizes.stranger)
  expect(told('connections of batch work')).toBe(sizes.batch)
  const inLine = (text: string) => Number(row(text)[3]?.replace(',', ''))
  expect(inLine('connections of signed-in callers')).toBe(LINES.interactive)
  expect(inLine('connections of strangers')).toBe(LINES.stranger)
  expect(inLine('connections of batch work')).toBe(LINES.batch)
})
