import { describe, expect, test } from 'vitest'
import { explainStartFailure } from './bring-up.ts'

const where = { clusterDir: '/data/pg18', logFile: '/data/postgresql.log', exit: 'it ended' }
const stamp = '2025-11-15 02:00:00.000 UTC [4711]'

describe('explainStartFailure', () => {
  test('another postmaster was faster', () => {
    const log = `${stamp} FATAL:  lock file "postmaster.pid" already exists\n`
    expect(explainStartFailure(log, where)).toBe('locked')
  })

  test('another postmaster has not written its lock file yet', () => {
    const log = `${stamp} FATAL:  lock file "postmaster.pid" is empty\n`
    expect(explainStartFailure(log, where)).toBe('locking')
  })

  test('sessions of a killed postmaster still run', () => {
    const log = `${stamp} FATAL:  pre-existing shared memory block (key 9, ID 3) is still in use\n`
    expect(explainStartFailure(log, where)).toBe('orphans')
  })

  test.each([
    ['disk-full', 'FATAL:  could not write to file "pg_wal/xlogtemp.9": No space left on device'],
    ['out-of-memory', 'FATAL:  could not map anonymous shared memory: Cannot allocate memory'],
  ])('%s is named', (code, line) => {
    expect(explainStartFailure(`${stamp} ${line}\n`, where)).toMatchObject({ code })
  })

  test('quotes any other reason from the log', () => {
    const log = `${stamp} LOG:  starting\n${stamp} FATAL:  unrecognized configuration parameter "x"\n${stamp} LOG:  shut down\n`
    expect(explainStartFailure(log, where)).toMatchObject({
      code: 'start-failed',
      message: 'PostgreSQL did not start on /data/pg18: unrecognized configuration parameter "x"',
    })
  })

  test('reports the exit if the log is empty', () => {
    expect(explainStartFailure('', where)).toMatchObject({
      message: 'PostgreSQL did not start on /data/pg18: it ended',
    })
  })
})
