import { expect, test } from 'vitest'
import { Limiter, LimiterFull } from './limiter.ts'

/** Tasks that end when they are told to, and a record of the order in which they began. */
function aStage(limiter: Limiter) {
  const begun: string[] = []
  const ends: (() => void)[] = []
  return {
    begun,
    enter(share: string, name = share): Promise<string> {
      return limiter.run(async () => {
        begun.push(name)
        await new Promise<void>((resolve) => ends.push(resolve))
        return name
      }, share)
    },
    async endOne(): Promise<void> {
      await settled()
      ends.shift()?.()
      await settled()
    },
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('no more tasks run at once than may, and the others follow one by one', async () => {
  const stage = aStage(new Limiter({ running: 2, waiting: 8 }))
  const all = ['1', '2', '3', '4'].map((name) => stage.enter('school', name))
  await settled()
  expect(stage.begun).toEqual(['1', '2'])
  await stage.endOne()
  expect(stage.begun).toEqual(['1', '2', '3'])
  for (let i = 0; i < 3; i++) await stage.endOne()
  expect(await Promise.all(all)).toEqual(['1', '2', '3', '4'])
})

test('a task of another share does not wait for all tasks of a busy share', async () => {
  const stage = aStage(new Limiter({ running: 1, waiting: 64 }))
  const all = Array.from({ length: 20 }, (_, n) => stage.enter('stormy', `storm ${n}`))
  all.push(stage.enter('calm', 'calm 0'), stage.enter('calm', 'calm 1'))
  for (let i = 0; i < 5; i++) await stage.endOne()
  expect(stage.begun).toEqual(['storm 0', 'storm 1', 'calm 0', 'storm 2', 'calm 1', 'storm 3'])
  for (let i = 0; i < 17; i++) await stage.endOne()
  expect((await Promise.all(all)).length).toBe(22)
})

test('if too many tasks wait, the newest is refused and not begun', async () => {
  const stage = aStage(new Limiter({ running: 1, waiting: 2 }))
  const taken = [stage.enter('s', 'a'), stage.enter('s', 'b'), stage.enter('s', 'c')]
  await expect(stage.enter('s', 'd')).rejects.toBeInstanceOf(LimiterFull)
  for (let i = 0; i < 3; i++) await stage.endOne()
  expect(await Promise.all(taken)).toEqual(['a', 'b', 'c'])
  expect(stage.begun).toEqual(['a', 'b', 'c'])
})

test('a share that took every place to wait gives one up for another share', async () => {
  const stage = aStage(new Limiter({ running: 1, waiting: 3 }))
  const storm = ['a', 'b', 'c', 'd'].map((name) => stage.enter('stormy', name))
  const last = expect(storm[3]).rejects.toBeInstanceOf(LimiterFull)
  const calm = stage.enter('calm')
  await last
  // Two wait here and one there: a second one there would only turn the tables.
  await expect(stage.enter('calm', 'calm too')).rejects.toBeInstanceOf(LimiterFull)
  for (let i = 0; i < 4; i++) await stage.endOne()
  expect(await calm).toBe('calm')
  expect(stage.begun).toEqual(['a', 'b', 'calm', 'c'])
})

test('without places to wait, a limiter is full once its tasks run', async () => {
  const limiter = new Limiter({ running: 1, waiting: 0 })
  const stage = aStage(limiter)
  expect(limiter.isFull).toBe(false)
  const first = stage.enter('s', 'a')
  // The task has begun before anything else could happen.
  expect([stage.begun, limiter.running, limiter.isFull]).toEqual([['a'], 1, true])
  await expect(stage.enter('s', 'b')).rejects.toBeInstanceOf(LimiterFull)
  await stage.endOne()
  expect(await first).toBe('a')
  expect(limiter.isFull).toBe(false)
})

test('a task that fails gives its place back', async () => {
  const limiter = new Limiter({ running: 1, waiting: 1 })
  const failing = limiter.run(() => Promise.reject(new Error('no memory')))
  const next = limiter.run(async () => 'done')
  await expect(failing).rejects.toThrow('no memory')
  expect(await next).toBe('done')
  expect(await limiter.run(async () => 'and on')).toBe('and on')
  expect(limiter.running).toBe(0)
})
