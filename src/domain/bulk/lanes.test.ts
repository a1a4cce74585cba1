import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { claimer } from './claimer.ts'
import { Claims, Lanes } from './lanes.ts'
import { byEmail } from './stand-in.ts'
import type { TableKindDetails } from './table-details.ts'

type Row = Readonly<Record<string, unknown>>

function claims(details: object, ...rows: readonly Row[]): Claims {
  const made = new Claims(claimer(details as TableKindDetails))
  for (const [place, values] of rows.entries()) made.add({ line: place + 1, values })
  return made
}

const NAMED = { natural: ['student_id'], standIns: { student_email: byEmail('student_id') } }

describe('batches have to do with each other', () => {
  test('where both name an object, in any case of its letters', () => {
    const [one, two] = [{ external_id: 'a' }, { external_id: 'b' }]
    expect(claims({}, one).meet(claims({}, two))).toBe(false)
    expect(claims({}, one, two).meet(claims({}, two))).toBe(true)
    const [lower, upper] = [{ student_email: 'a@x.test' }, { student_email: 'A@X.test' }]
    expect(claims(NAMED, lower).meet(claims(NAMED, upper))).toBe(true)
  })

  test('where they name objects in different ways, because both may mean the same', () => {
    expect(claims({}, { id: 'a' }).meet(claims({}, { external_id: 'b' }))).toBe(true)
    expect(claims({}, { id: 'a' }, { external_id: 'b' }).meet(claims({}, { id: 'c' }))).toBe(true)
    const [byId, byMail] = [{ student_id: '1' }, { student_email: 'a@x.test' }]
    expect(claims(NAMED, byId).meet(claims(NAMED, byMail))).toBe(true)
  })

  test('where nobody can tell', () => {
    expect(claims({}, {}).meet(claims({}, { id: 'a' }))).toBe(true)
    expect(claims(NAMED, { id: 'a' }).meet(claims(NAMED, { student_id: 'b' }))).toBe(true)
    expect(new Claims(undefined).meet(claims({}, { id: 'a' }))).toBe(true)
  })
})

describe('batches on their way', () => {
  function work() {
    let end: (error?: Error) => void = () => undefined
    const promise = new Promise<void>((resolve, reject) => {
      end = (error) => (error === undefined ? resolve() : reject(error))
    })
    return { promise, end }
  }

  const begun = async (lanes: Lanes, next: Claims): Promise<boolean> => {
    let free = false
    void lanes.free(next).then(() => {
      free = true
    })
    await nextTurn()
    return free
  }

  const [a, b, c] = ['a', 'b', 'c'].map((id) => claims({}, { id })) as [Claims, Claims, Claims]

  test('are as many as there are lanes, and never two about one object', async () => {
    const lanes = new Lanes(2)
    const first = work()
    lanes.take(a, first.promise, () => undefined)
    expect(await begun(lanes, b)).toBe(true)
    expect(await begun(lanes, a)).toBe(false)
    const second = work()
    lanes.take(b, second.promise, () => undefined)
    expect(await begun(lanes, c)).toBe(false)
    first.end()
    expect(await begun(lanes, c)).toBe(true)
  })

  test('count as done in the order of the file', async () => {
    const lanes = new Lanes(2)
    const [first, second, done] = [work(), work(), [] as string[]]
    lanes.take(a, first.promise, () => done.push('first'))
    lanes.take(b, second.promise, () => done.push('second'))
    second.end()
    await nextTurn()
    expect(done).toEqual([])
    first.end()
    await lanes.empty()
    expect(done).toEqual(['first', 'second'])
  })

  test('are all waited for where one fails, and the failure is told', async () => {
    const lanes = new Lanes(2)
    const [first, second] = [work(), work()]
    lanes.take(a, first.promise, () => undefined)
    lanes.take(b, second.promise, () => undefined)
    first.end(new Error('lost'))
    let told: unknown
    const emptied = lanes.empty().catch((error) => {
      told = error
    })
    await nextTurn()
    expect(told).toBeUndefined()
    second.end()
    await emptied
    expect(told).toEqual(new Error('lost'))
  })
})
