import { describe, expect, test } from 'vitest'
import { looksLikePostmasterOf, parsePostmasterFile } from './postmaster.ts'

describe('parsePostmasterFile', () => {
  test('reads a server that is ready', () => {
    const text =
      '4711\n/data/pg18\n1763172000\n5432\n/data/socket\n\n    65537         3\nready   \n'
    expect(parsePostmasterFile(text)).toEqual({
      pid: 4711,
      port: 5432,
      socketFolder: '/data/socket',
      ready: true,
    })
  })

  test('reads a server that has just started', () => {
    expect(parsePostmasterFile('4711\n/data/pg18\n1763172000\n5432\n')).toEqual({
      pid: 4711,
      port: 5432,
      socketFolder: undefined,
      ready: false,
    })
  })

  test('a server that is stopping is not ready', () => {
    expect(parsePostmasterFile('4711\n/d\n1\n5432\n/s\n\n1 1\nstopping\n')?.ready).toBe(false)
  })

  test.each(['', '\n', 'nonsense\n', '-5\n', '0\n'])('%j names no process', (text) => {
    expect(parsePostmasterFile(text)).toBeUndefined()
  })
})

describe('looksLikePostmasterOf', () => {
  const folder = '/srv/school/data/pg18'
  const looks = (command: string) => looksLikePostmasterOf({ command }, folder)

  test('recognises our postmaster by its folder', () => {
    expect(looks(`/app/native/bin/postgres -D ${folder} -c listen_addresses=`)).toBe(true)
  })

  test('counts one that was started by hand with another path as running', () => {
    expect(looks('/usr/lib/postgresql/18/bin/postgres -D data/pg18')).toBe(true)
    expect(looks('./postgres --single')).toBe(true)
  })

  test.each([
    '/app/native/bin/postgres -D /srv/other/data/pg18 -c listen_addresses=',
    `/app/native/bin/postgres -D ${folder}0 -c listen_addresses=`,
    'postgres: schoolgate-1a2b3c: checkpointer',
    'node dist/main.js start',
    '',
  ])('%j is another process', (command) => {
    expect(looks(command)).toBe(false)
  })
})
