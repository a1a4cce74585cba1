import { expect, test } from 'vitest'
import type { MemberContext } from '../builder.ts'
import { buildMemberSchema } from '../schema.ts'
import { DocumentStore } from './document-store.ts'
import { DEFAULT_LIMITS } from './limits.ts'

/** Prices do not matter here. */
const free = (): void => undefined

const SMALL = '{ viewer { id } }'
const aStore = (): DocumentStore => new DocumentStore(buildMemberSchema('newer'), DEFAULT_LIMITS)

function load(
  store: DocumentStore,
  count: number,
  document: (i: number) => string,
  school = 'one school',
): void {
  for (let i = 0; i < count; i++) store.load(document(i), undefined, school, free)
}

test('hundreds of documents of an app are kept, and none is parsed twice', () => {
  const store = aStore()
  const first = store.load(SMALL, undefined, 'one school', free)
  load(
    store,
    300,
    (i) => `query Q${i} { viewer { payments(first: 5) { nodes { tradeNo amount } } } }`,
  )
  expect(store.load(SMALL, undefined, 'one school', free)).toBe(first)
})

test('dense documents count by the memory they take, not by their few characters', () => {
  const store = aStore()
  const first = store.load(SMALL, undefined, 'one school', free)
  const states = Array.from({ length: 1800 }, () => 'canceled').join(' ')
  const dense = (i: number) =>
    `query Q${i} { viewer { consultingMeetings(filter: { state: [${states}] }) { totalCount } } }`
  load(store, 90, dense)
  expect(store.load(SMALL, undefined, 'one school', free)).not.toBe(first)
})

test('documents without end from one school push out those of no other school', () => {
  const store = aStore()
  const first = store.load(SMALL, undefined, 'one school', free)
  const states = Array.from({ length: 1800 }, () => 'canceled').join(' ')
  const dense = (i: number) =>
    `query Q${i} { viewer { consultingMeetings(filter: { state: [${states}] }) { totalCount } } }`
  load(store, 200, dense, 'another school')
  expect(store.load(SMALL, undefined, 'one school', free)).toBe(first)
})

test('the second execution pays for compiling, and no other does', async () => {
  const fields = 60
  const names = Array.from({ length: fields }, (_, i) => `a${i}: __typename`).join(' ')
  const operation = aStore().load(`{ ${names} }`, undefined, 'one school', free)
  const paid: number[] = []
  for (let time = 0; time < 4; time++) {
    let units = 0
    await operation.run({} as MemberContext, {}, (price) => {
      units += price
    })
    paid.push(units)
  }
  expect(paid).toEqual([0, 5 * fields, 0, 0])
})
