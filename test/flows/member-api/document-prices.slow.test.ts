import { expect, test } from 'vitest'
import {
  DocumentRefused,
  DocumentStore,
} from '../../../src/surfaces/member-api/documents/document-store.ts'
import { DEFAULT_LIMITS } from '../../../src/surfaces/member-api/documents/limits.ts'
import { priceOfBody, REQUEST } from '../../../src/surfaces/member-api/documents/prices.ts'
import { buildMemberSchema } from '../../../src/surfaces/member-api/schema.ts'
import { HOSTILE_DOCUMENTS } from '../../attack/cost/hostile-documents.ts'
import { cpuOf } from '../../support/cpu.ts'

const schema = buildMemberSchema('newer')

/** What a document pays that no server has seen, refused or not. */
function prepare(source: string): number {
  let units = REQUEST + priceOfBody(source.length)
  try {
    new DocumentStore(schema, DEFAULT_LIMITS).load(source, undefined, 'a school', (price) => {
      units += price
    })
  } catch (error) {
    if (!(error instanceof DocumentRefused)) throw error
  }
  return units
}

const ORDINARY = `query Courses($first: Int = 20) { viewer { id name
  enrolledCourses(first: $first) { nodes { id slug title detailProgress { percent }
    sections { title lectures { id title state isLocked duration } } }
    pageInfo { hasNextPage endCursor } totalCount } } }`
const TIMES = 50

/** A unit of a hostile document may take this many times as long as one of an ordinary document. */
const MOST = 40
/** Below this a clock and a collection of garbage decide. */
const FLOOR_MS = 30

test('a hostile document pays about as much for its CPU as an ordinary one', async () => {
  const ordinaryMs = await cpuOf(() => {
    for (let time = 0; time < TIMES; time++) prepare(ORDINARY)
  })
  const ordinary = ordinaryMs / TIMES / prepare(ORDINARY)
  const cheap: string[] = []
  for (const [name, source] of Object.entries(HOSTILE_DOCUMENTS)) {
    const ms = await cpuOf(() => prepare(source))
    const times = ms / prepare(source) / ordinary
    if (ms > FLOOR_MS && times > MOST) cheap.push(`${name}: ${ms} ms, ${times.toFixed(0)} times`)
  }
  expect(cheap).toEqual([])
})
