import { describe, expect, test } from 'vitest'
import { isDatabaseUnavailable, retryLostConnection } from './unavailable.ts'

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
    ['a former primary', coded('25006')],
    ['a broken connection', coded('08006')],
    ['a connection that vanished', new Error('Connection terminated unexpectedly')],
    ['a pool without a free connection', new Error('timeout exceeded when trying to connect')],
    ['a server that never answered', new Error('timeout expired')],
    ['a plan made stale', new Error('cached plan must not change result type')],
  ])('%s', (_what, error) => {
    expect(isDatabaseUnavailable(error)).toBe(true)
  })

  test.each([
    ['a broken key', coded('23505')],
    ['an unknown column', coded('42703')],
    ['a mistake of ours', new TypeError('x is not a function')],
    ['nothing', undefined],
    ['a code that is no text', { code: 57 }],
  ])('%s is not', (_what, error) => {
    expect(isDatabaseUnavailable(error)).toBe(false)
  })
})

describe('a lost connection', () => {
  /** Fails with the errors given, one per try, and then succeeds. */
  function work(...errors: readonly Error[]) {
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

  test('is survived twice', async () => {
    const twice = work(coded('57P01'), coded('ECONNREFUSED'))
    expect(await retryLostConnection(twice.run)).toBe('done')
    expect(twice.tries).toBe(3)
  })

  test('is told the third time', async () => {
    const errors = [coded('57P01'), coded('57P03'), coded('ECONNRESET'), coded('ECONNRESET')]
    const away = work(...errors)
    await expect(retryLostConnection(away.run)).rejects.toBe(errors[2])
    expect(away.tries).toBe(3)
  })

  test('is not what a refused statement met: that is never run again', async () => {
    const refused = work(coded('23505'))
    await expect(retryLostConnection(refused.run)).rejects.toMatchObject({ code: '23505' })
    expect(refused.tries).toBe(1)
  })

  test('is not a timeout either: a slow statement run again would only be slow again', async () => {
    const slow = work(coded('57014'))
    await expect(retryLostConnection(slow.run)).rejects.toMatchObject({ code: '57014' })
    expect(slow.tries).toBe(1)
  })
})
