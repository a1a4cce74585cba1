import { describe, expect, test } from 'vitest'
import { isDatabaseUnavailable, retryLostConnection, toDatabaseError } from './unavailable.ts'

const coded = (code: string): Error => Object.assign(new Error('from PostgreSQL'), { code })

describe('what is worth trying again later', () => {
  test.each([
    ['a refused connection', coded('ECONNREFUSED')],
    ['a socket file that is gone', coded('ENOENT')],
    ['a shutdown', coded('57P01')],
    ['the statement timeout', coded('57014')],
    ['no connection left', coded('53300')],
    ['a full disk', coded('53100')],
    ['a deadlock', coded('40P01')],
    ['a transaction of a process that stood still', coded('25P03')],
    ['a former primary', coded('25006')],
    ['a broken connection', coded('08006')],
    ['a connection that vanished', new Error('Connection terminated unexpectedly')],
    ['a pool without a free connection', new Error('timeout exceeded when trying to connect')],
    ['a server that never answered', new Error('timeout expired')],
    [
      'a server that never answered the pool',
      new Error('Connection terminated due to connection timeout'),
    ],
  ])('%s', (_what, error) => {
    const thrown = toDatabaseError(error)
    expect(isDatabaseUnavailable(thrown)).toBe(true)
    expect(thrown).toMatchObject({ message: error.message, cause: error })
  })

  test.each([
    ['a broken key', coded('23505')],
    ['an unknown column', coded('42703')],
    ['a mistake of ours', new TypeError('x is not a function')],
    ['nothing', undefined],
    ['a code that is not a text', { code: 57 }],
  ])('%s is not', (_what, error) => {
    expect(toDatabaseError(error)).toBe(error)
    expect(isDatabaseUnavailable(error)).toBe(false)
  })

  test.each(['ENOENT', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'])(
    '%s that does not come from the database layer is not: files and S3 have such errors, too',
    (code) => {
      expect(isDatabaseUnavailable(coded(code))).toBe(false)
    },
  )
})

describe('a lost connection', () => {
  const thrown = (code: string) => toDatabaseError(coded(code))

  /** Fails with the errors given, one per try, and then succeeds. */
  function work(...errors: readonly unknown[]) {
    const left = [...errors]
    const state = {
      tries: 0,
      async run(): Promise<string> {
        state.tries++
        const error = left.shift()
        if (error !== undefined) throw error
        return 'done'
      },
    }
    return state
  }

  test('of something else than the database is not retried', async () => {
    const bucket = work(coded('ECONNRESET'))
    await expect(retryLostConnection(bucket.run)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(bucket.tries).toBe(1)
  })

  test('is survived twice', async () => {
    const twice = work(thrown('57P01'), thrown('ECONNREFUSED'))
    expect(await retryLostConnection(twice.run)).toBe('done')
    expect(twice.tries).toBe(3)
  })

  test('is told the third time', async () => {
    const errors = ['57P01', '57P03', 'ECONNRESET', 'ECONNRESET'].map(thrown)
    const away = work(...errors)
    await expect(retryLostConnection(away.run)).rejects.toBe(errors[2])
    expect(away.tries).toBe(3)
  })

  test('is not what a refused statement met: that is never run again', async () => {
    const refused = work(thrown('23505'))
    await expect(retryLostConnection(refused.run)).rejects.toMatchObject({ code: '23505' })
    expect(refused.tries).toBe(1)
  })

  test('is not a timeout either: a slow statement run again would only be slow again', async () => {
    const slow = work(thrown('57014'))
    await expect(retryLostConnection(slow.run)).rejects.toMatchObject({ code: '57014' })
    expect(slow.tries).toBe(1)
  })
})
