import { describe, expect, test } from 'vitest'
import { KeyedLimiter, LimiterFull } from './limiter.ts'

/** Tasks that end when told to, and which of them have begun. */
function tasks() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  return {
    begun,
    task: (name: string) => async () => {
      begun.push(name)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      return name
    },
    end: (name: string) => ends.get(name)?.(),
  }
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('a limiter for each key', () => {
  test('runs so many tasks of one key, and the others in the order in which they came', async () => {
    const limiter = new KeyedLimiter({ running: 2, waiting: 9 })
    const { begun, task, end } = tasks()
    const all = ['a', 'b', 'c', 'd'].map((name) => limiter.run('key', task(name)))
    await settle()
    expect(begun).toEqual(['a', 'b'])
    end('b')
    await settle()
    expect(begun).toEqual(['a', 'b', 'c'])
    end('a')
    await settle()
    end('c')
    end('d')
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('lets no task wait for another key, and forgets a key without tasks', async () => {
    const limiter = new KeyedLimiter({ running: 1, waiting: 0 })
    const { begun, task, end } = tasks()
    const all = [limiter.run('one', task('a')), limiter.run('other', task('b'))]
    await settle()
    expect(begun).toEqual(['a', 'b'])
    expect(limiter.size).toBe(2)
    end('a')
    end('b')
    await Promise.all(all)
    expect(limiter.size).toBe(0)
  })

  test('refuses a task that it has no place for, without beginning it', async () => {
    const limiter = new KeyedLimiter({ running: 1, waiting: 1 })
    const { begun, task, end } = tasks()
    const all = [limiter.run('key', task('a')), limiter.run('key', task('b'))]
    expect([limiter.isFull('key'), limiter.isFull('other')]).toEqual([true, false])
    await expect(limiter.run('key', task('c'))).rejects.toBeInstanceOf(LimiterFull)
    end('a')
    await settle()
    end('b')
    expect(await Promise.all(all)).toEqual(['a', 'b'])
    expect(begun).toEqual(['a', 'b'])
  })

  test('gives the turn on when a task fails', async () => {
    const limiter = new KeyedLimiter({ running: 1, waiting: 1 })
    const failing = limiter.run('key', () => Promise.reject(new Error('broken')))
    const next = limiter.run('key', async () => 'done')
    await expect(failing).rejects.toThrow('broken')
    expect(await next).toBe('done')
    expect(limiter.size).toBe(0)
  })
})
