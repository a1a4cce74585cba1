import { describe, expect, test } from 'vitest'
import { findProcess, isRunning, listProcesses, parseProc, parsePs } from './account.ts'

describe('parseProc', () => {
  test('reads parent and command line', () => {
    expect(parseProc(42, '42 (postgres) S 7 42 42 0', 'bin/postgres\0-D\0/data dir\0')).toEqual({
      pid: 42,
      parent: 7,
      command: 'bin/postgres -D /data dir',
    })
  })

  test('is not confused by brackets in a name', () => {
    expect(parseProc(42, '42 (a) S 1 (b) R 7 42', 'x\0')?.parent).toBe(7)
  })

  test('a process that ended but was not reaped counts as gone', () => {
    expect(parseProc(42, '42 (postgres) Z 1 42 42 0', '')).toBeUndefined()
  })
})

describe('parsePs', () => {
  test('reads one process per line and leaves out those that are gone', () => {
    const output = `    1     0 Ss   /sbin/launchd
  501     1 S    /app/bin/postgres -D /Users/ada/data/pg18 -c port=5432
  502     1 Z    (postgres)
`
    expect(parsePs(output)).toEqual([
      { pid: 1, parent: 0, command: '/sbin/launchd' },
      { pid: 501, parent: 1, command: '/app/bin/postgres -D /Users/ada/data/pg18 -c port=5432' },
    ])
  })
})

describe('this machine', () => {
  test('finds this process by its pid and in the list', async () => {
    expect(await isRunning(process.pid)).toBe(true)
    expect(await findProcess(process.pid)).toMatchObject({ parent: process.ppid })
    expect((await listProcesses()).map(({ pid }) => pid)).toContain(process.pid)
  })
})
