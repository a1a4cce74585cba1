import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { ParallelBatches, TouchedObjects } from './parallel-batches.ts'
import { byEmail } from './reference-column.ts'
import type { TableKindDetails } from './table-details.ts'
import { objectNamer } from './table-kind.ts'

type Row = Readonly<Record<string, unknown>>

function touching(details: object, ...rows: readonly Row[]): TouchedObjects {
  const made = new TouchedObjects(objectNamer(details as TableKindDetails))
  for (const [place, values] of rows.entries()) made.add({ line: place + 1, values })
  return made
}

const NAMED = { natural: ['student_id'], references: { student_email: byEmail('student_id') } }

describe('two batches may write the same object', () => {
  test('if both name it, in upper or lower case', () => {
    const [one, two] = [{ external_id: 'a' }, { external_id: 'b' }]
    expect(touching({}, one).mayOverlap(touching({}, two))).toBe(false)
    expect(touching({}, one, two).mayOverlap(touching({}, two))).toBe(true)
    const [lower, upper] = [{ student_email: 'a@x.test' }, { student_email: 'A@X.test' }]
    expect(touching(NAMED, lower).mayOverlap(touching(NAMED, upper))).toBe(true)
  })

  test('if they name objects by different columns', () => {
    expect(touching({}, { id: 'a' }).mayOverlap(touching({}, { external_id: 'b' }))).toBe(true)
    expect(
      touching({}, { id: 'a' }, { external_id: 'b' }).mayOverlap(touching({}, { id: 'c' })),
    ).toBe(true)
    const [byId, byMail] = [{ student_id: '1' }, { student_email: 'a@x.test' }]
    expect(touching(NAMED, byId).mayOverlap(touching(NAMED, byMail))).toBe(true)
  })

  test('if a row does not name its object', () => {
    expect(touching({}, {}).mayOverlap(touching({}, { id: 'a' }))).toBe(true)
    expect(touching(NAMED, { id: 'a' }).mayOverlap(touching(NAMED, { student_id: 'b' }))).toBe(true)
    expect(new TouchedObjects(undefined).mayOverlap(touching({}, { id: 'a' }))).toBe(true)
  })
})

describe('running batches', () => {
  function work() {
    let end: (error?: Error) => void = () => undefined
    const promise = new Promise<void>((resolve, reject) => {
      end = (error) => (error === undefined ? resolve() : reject(error))
    })
    return { promise, end }
  }

  const begun = async (running: ParallelBatches, next: TouchedObjects): Promise<boolean> => {
    let free = false
    void running.waitFor(next).then(() => {
      free = true
    })
    await nextTurn()
    return free
  }

  const [a, b, c] = ['a', 'b', 'c'].map((id) => touching({}, { id })) as [
    TouchedObjects,
    TouchedObjects,
    TouchedObjects,
  ]

  test('never exceed the limit, and never include two for one object', async () => {
    const running = new ParallelBatches(2)
    const first = work()
    running.start(a, first.promise, () => undefined)
    expect(await begun(running, b)).toBe(true)
    expect(await begun(running, a)).toBe(false)
    const second = work()
    running.start(b, second.promise, () => undefined)
    expect(await begun(running, c)).toBe(false)
    first.end()
    expect(await begun(running, c)).toBe(true)
  })

  test('report the end in the order of the file', async () => {
    const running = new ParallelBatches(2)
    const [first, second, done] = [work(), work(), [] as string[]]
    running.start(a, first.promise, () => done.push('first'))
    running.start(b, second.promise, () => done.push('second'))
    second.end()
    await nextTurn()
    expect(done).toEqual([])
    first.end()
    await running.finish()
    expect(done).toEqual(['first', 'second'])
  })

  test('all finish before the failure of one is thrown', async () => {
    const running = new ParallelBatches(2)
    const [first, second] = [work(), work()]
    running.start(a, first.promise, () => undefined)
    running.start(b, second.promise, () => undefined)
    first.end(new Error('lost'))
    let told: unknown
    const emptied = running.finish().catch((error) => {
      told = error
    })
    await nextTurn()
    expect(told).toBeUndefined()
    second.end()
    await emptied
    expect(told).toEqual(new Error('lost'))
  })
})
