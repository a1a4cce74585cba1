import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { AbandonedError, Limiter, LimiterFull } from './limiter.ts'

/** Tasks that end when they are told to, and a record of the order in which they began. */
function aStage(limiter: Limiter) {
  const begun: string[] = []
  const ends: (() => void)[] = []
  return {
    begun,
    enter(tenant: string, name = tenant, signal?: AbortSignal): Promise<string> {
      const task = async () => {
        begun.push(name)
        await new Promise<void>((resolve) => ends.push(resolve))
        return name
      }
      return limiter.run(task, tenant, signal)
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

test('a task of another tenant does not wait for all tasks of a busy tenant', async () => {
  const stage = aStage(new Limiter({ running: 1, waiting: 64 }))
  const all = Array.from({ length: 20 }, (_, n) => stage.enter('stormy', `storm ${n}`))
  all.push(stage.enter('calm', 'calm 0'), stage.enter('calm', 'calm 1'))
  for (let i = 0; i < 5; i++) await stage.endOne()
  expect(stage.begun).toEqual(['storm 0', 'storm 1', 'calm 0', 'storm 2', 'calm 1', 'storm 3'])
  for (let i = 0; i < 17; i++) await stage.endOne()
  expect((await Promise.all(all)).length).toBe(22)
})

test('a tenant whose tasks never end leaves places for every other tenant', async () => {
  const limiter = new Limiter({ running: 6, waiting: 64 })
  const stage = aStage(limiter)
  for (let i = 0; i < 50; i++) void stage.enter('stuck')
  expect(limiter.runningOf('stuck')).toBe(4)
  void stage.enter('one')
  void stage.enter('other')
  expect(stage.begun).toEqual(['stuck', 'stuck', 'stuck', 'stuck', 'one', 'other'])
})

test('if too many tasks of a tenant wait, its newest is refused and not begun', async () => {
  const stage = aStage(new Limiter({ running: 1, waiting: 2 }))
  const taken = [stage.enter('s', 'a'), stage.enter('s', 'b'), stage.enter('s', 'c')]
  await expect(stage.enter('s', 'd')).rejects.toBeInstanceOf(LimiterFull)
  for (let i = 0; i < 3; i++) await stage.endOne()
  expect(await Promise.all(taken)).toEqual(['a', 'b', 'c'])
  expect(stage.begun).toEqual(['a', 'b', 'c'])
})

test('a tenant with a full line costs no other tenant its place to wait', async () => {
  const limiter = new Limiter({ running: 1, waiting: 2 })
  const stage = aStage(limiter)
  const storm = ['a', 'b', 'c'].map((name) => stage.enter('stormy', name))
  await expect(stage.enter('stormy', 'd')).rejects.toBeInstanceOf(LimiterFull)
  expect([limiter.isFull('stormy'), limiter.isFull('calm')]).toEqual([true, false])
  const calm = stage.enter('calm')
  expect(limiter.waiting).toBe(3)
  for (let i = 0; i < 4; i++) await stage.endOne()
  expect(await Promise.all([...storm, calm])).toEqual(['a', 'b', 'c', 'calm'])
  expect(stage.begun).toEqual(['a', 'b', 'calm', 'c'])
})

test('without places to wait, a limiter is full once its tasks run', async () => {
  const limiter = new Limiter({ running: 1, waiting: 0 })
  const stage = aStage(limiter)
  expect(limiter.isFull()).toBe(false)
  const first = stage.enter('', 'a')
  // The task has begun before anything else could happen.
  expect([stage.begun, limiter.running, limiter.isFull()]).toEqual([['a'], 1, true])
  await expect(stage.enter('', 'b')).rejects.toBeInstanceOf(LimiterFull)
  await stage.endOne()
  expect(await first).toBe('a')
  expect(limiter.isFull()).toBe(false)
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

test('a task that has waited for too long is refused, and the place goes to the next', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const limiter = new Limiter({ running: 1, waiting: 9, waitMs: 1000 })
  const stage = aStage(limiter)
  const first = stage.enter('s', 'a')
  const late = expect(stage.enter('s', 'b')).rejects.toBeInstanceOf(LimiterFull)
  await vi.advanceTimersByTimeAsync(600)
  const next = stage.enter('s', 'c')
  await vi.advanceTimersByTimeAsync(600)
  vi.useRealTimers()
  await late
  await stage.endOne()
  await stage.endOne()
  expect(await Promise.all([first, next])).toEqual(['a', 'c'])
  expect(stage.begun).toEqual(['a', 'c'])
})

test('a waiting task whose caller is gone leaves the line, and is not begun', async () => {
  const limiter = new Limiter({ running: 1, waiting: 2 })
  const stage = aStage(limiter)
  const first = stage.enter('s', 'a')
  const caller = new AbortController()
  const gone = expect(stage.enter('s', 'b', caller.signal)).rejects.toBeInstanceOf(AbandonedError)
  caller.abort()
  await gone
  await expect(stage.enter('s', 'c', caller.signal)).rejects.toBeInstanceOf(AbandonedError)
  const next = stage.enter('s', 'd')
  await stage.endOne()
  await stage.endOne()
  expect(await Promise.all([first, next])).toEqual(['a', 'd'])
  expect(stage.begun).toEqual(['a', 'd'])
})

test('while a place is free, no promise is made', () => {
  const limiter = new Limiter({ running: 2, waiting: 1 })
  expect(limiter.enter('s')).toBeUndefined()
  limiter.leave('s')
  expect(limiter.running).toBe(0)
})

describe('whatever comes and goes', () => {
  interface Step {
    readonly what: 'enter' | 'leave' | 'give up'
    readonly tenant: number
    readonly pick: number
  }
  const step = fc.record<Step>({
    what: fc.constantFrom('enter', 'enter', 'leave', 'leave', 'give up'),
    tenant: fc.nat(5),
    pick: fc.nat(),
  })
  const limits = fc.record({ running: fc.integer({ min: 1, max: 9 }), waiting: fc.nat(6) })

  /** What a task of the model is: its tenant, and whether it runs, waits or is over. */
  interface Task {
    readonly tenant: string
    readonly caller: AbortController
    state: 'waits' | 'runs' | 'refused' | 'done'
    readonly order: number
  }

  async function play(given: { running: number; waiting: number }, steps: readonly Step[]) {
    const limiter = new Limiter(given)
    const tasks: Task[] = []
    const of = (state: Task['state'], tenant?: string) =>
      tasks.filter((task) => task.state === state && (tenant ?? task.tenant) === task.tenant)
    for (const { what, tenant: number, pick } of steps) {
      const tenant = `school ${number}`
      if (what === 'enter') {
        const wasFull = limiter.isFull(tenant)
        const task: Task = {
          tenant,
          caller: new AbortController(),
          state: 'waits',
          order: tasks.length,
        }
        tasks.push(task)
        const turn = limiter.enter(tenant, task.caller.signal)
        if (turn === undefined) task.state = 'runs'
        else {
          turn.then(
            () => (task.state = 'runs'),
            () => (task.state = 'refused'),
          )
        }
        await settled()
        expect(task.state === 'refused').toBe(wasFull)
      } else {
        const among = of(what === 'leave' ? 'runs' : 'waits')
        const task = among[pick % Math.max(1, among.length)]
        if (task === undefined) continue
        if (what === 'leave') {
          task.state = 'done'
          limiter.leave(task.tenant)
        } else task.caller.abort()
        await settled()
      }
      check(limiter, given, of)
    }
    while (of('runs').length > 0) {
      const [task] = of('runs')
      if (task === undefined) break
      task.state = 'done'
      limiter.leave(task.tenant)
      await settled()
      check(limiter, given, of)
    }
    return { limiter, tasks, of }
  }

  function check(
    limiter: Limiter,
    given: { readonly running: number; readonly waiting: number },
    of: (state: Task['state'], tenant?: string) => Task[],
  ): void {
    const running = of('runs').length
    expect(limiter.running).toBe(running)
    expect(running).toBeLessThanOrEqual(given.running)
    expect(limiter.waiting).toBe(of('waits').length)
    const free = given.running - running
    for (const { tenant, order } of of('waits')) {
      const held = of('runs', tenant).length
      expect(of('waits', tenant).length).toBeLessThanOrEqual(given.waiting)
      // A tenant waits only if its tasks take twice the free places: one that runs nothing waits
      // for none.
      expect(held).toBeGreaterThanOrEqual(2 * free)
      // Within a tenant no later task has begun.
      for (const later of of('runs', tenant)) expect(later.order).toBeLessThan(order)
    }
  }

  test('bounds hold, no place stays free for a tenant without tasks, and all that wait have their turn', async () => {
    await fc.assert(
      fc.asyncProperty(limits, fc.array(step, { maxLength: 60 }), async (given, steps) => {
        const { limiter, of } = await play(given, steps)
        expect(of('waits')).toEqual([])
        expect([limiter.running, limiter.waiting]).toEqual([0, 0])
      }),
      { numRuns: 150 },
    )
  })

  test('while others wait, a tenant gets every turn only once', async () => {
    const storm = fc.integer({ min: 1, max: 40 })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6 }), storm, fc.nat(5), async (n, m, others) => {
        const limiter = new Limiter({ running: n, waiting: 100 })
        const stage = aStage(limiter)
        for (let k = 0; k < m; k++) void stage.enter('stormy')
        for (let k = 0; k < others; k++) void stage.enter(`calm ${k}`)
        await settled()
        const before = stage.begun.length
        for (let k = 0; k < m + others; k++) await stage.endOne()
        const turns = stage.begun.slice(before)
        const lastCalm = turns.findLastIndex((name) => name !== 'stormy')
        // Between two turns of the busy tenant every other tenant that waits has one.
        const stormy = turns.slice(0, lastCalm + 1).filter((name) => name === 'stormy')
        expect(stormy.length).toBeLessThanOrEqual(1)
        expect(stage.begun).toHaveLength(m + others)
      }),
      { numRuns: 100 },
    )
  })
})
