import { expect, test } from 'vitest'
import { createFairTurns, type FairTurns, PasswordHashingBusy } from './password-turns.ts'

/** Works that end when they are told to, and a record of who began in which order. */
function aStage(turns: FairTurns) {
  const begun: string[] = []
  const ends: (() => void)[] = []
  return {
    begun,
    enter(share: string, name = share): Promise<string> {
      return turns.take(share, async () => {
        begun.push(name)
        await new Promise<void>((resolve) => ends.push(resolve))
        return name
      })
    },
    async endOne(): Promise<void> {
      await settled()
      ends.shift()?.()
      await settled()
    },
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('no more run at once than may, and the others follow one by one', async () => {
  const stage = aStage(createFairTurns({ running: 2, waiting: 8 }))
  const all = ['1', '2', '3', '4'].map((name) => stage.enter('school', name))
  await settled()
  expect(stage.begun).toEqual(['1', '2'])
  await stage.endOne()
  expect(stage.begun).toEqual(['1', '2', '3'])
  for (let i = 0; i < 3; i++) await stage.endOne()
  expect(await Promise.all(all)).toEqual(['1', '2', '3', '4'])
})

test('whoever signs in at another school does not wait for the whole storm', async () => {
  const stage = aStage(createFairTurns({ running: 1, waiting: 64 }))
  const all = Array.from({ length: 20 }, (_, n) => stage.enter('stormy', `storm ${n}`))
  all.push(stage.enter('calm', 'calm 0'), stage.enter('calm', 'calm 1'))
  for (let i = 0; i < 5; i++) await stage.endOne()
  expect(stage.begun).toEqual(['storm 0', 'storm 1', 'calm 0', 'storm 2', 'calm 1', 'storm 3'])
  for (let i = 0; i < 17; i++) await stage.endOne()
  expect((await Promise.all(all)).length).toBe(22)
})

test('where too many wait, the newest are refused and nothing of theirs was begun', async () => {
  const stage = aStage(createFairTurns({ running: 1, waiting: 2 }))
  const taken = [stage.enter('s', 'a'), stage.enter('s', 'b'), stage.enter('s', 'c')]
  await expect(stage.enter('s', 'd')).rejects.toBeInstanceOf(PasswordHashingBusy)
  for (let i = 0; i < 3; i++) await stage.endOne()
  expect(await Promise.all(taken)).toEqual(['a', 'b', 'c'])
  expect(stage.begun).toEqual(['a', 'b', 'c'])
})

test('a storm that took every place gives one up for another school', async () => {
  const stage = aStage(createFairTurns({ running: 1, waiting: 3 }))
  const storm = ['a', 'b', 'c', 'd'].map((name) => stage.enter('stormy', name))
  const last = expect(storm[3]).rejects.toBeInstanceOf(PasswordHashingBusy)
  const calm = stage.enter('calm')
  await last
  // Two wait here and one there: a second one there would only turn the tables.
  await expect(stage.enter('calm', 'calm too')).rejects.toBeInstanceOf(PasswordHashingBusy)
  for (let i = 0; i < 4; i++) await stage.endOne()
  expect(await calm).toBe('calm')
  expect(stage.begun).toEqual(['a', 'b', 'calm', 'c'])
})

test('a work that fails gives its place back', async () => {
  const turns = createFairTurns({ running: 1, waiting: 1 })
  const failing = turns.take('s', () => Promise.reject(new Error('no memory')))
  const next = turns.take('s', async () => 'done')
  await expect(failing).rejects.toThrow('no memory')
  expect(await next).toBe('done')
  expect(await turns.take('s', async () => 'and on')).toBe('and on')
})
