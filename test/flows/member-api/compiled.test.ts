import { beforeAll, describe, expect, test } from 'vitest'
import { aNotification } from '../../support/inbox.ts'
import { aCourse, anEnrollment } from '../../support/learning.ts'
import { aToken, postGraphQL } from '../../support/member-api.ts'
import { sharedWorld } from '../../support/world.ts'

/**
 * The first run of a document is interpreted, later ones are compiled: answers must be the same.
 */
const world = await sharedWorld()
const school = await world.aSchool()
let token = ''
beforeAll(async () => {
  const ada = await world.aMember(school)
  const course = await aCourse(school, [[{}, {}], [{}]])
  await anEnrollment(school, ada, course)
  for (let i = 0; i < 3; i++) await aNotification(school, ada)
  token = await aToken(world, school, ada)
})

const flags = [
  { a: true, b: true },
  { a: true, b: false },
  { a: false, b: true },
  { a: false, b: false },
]

const documents: readonly (readonly [string, string, readonly object[]])[] = [
  [
    'directives on fields',
    'query ($a: Boolean!, $b: Boolean!) { viewer { id @include(if: $a) name @skip(if: $b) } }',
    flags,
  ],
  [
    'a fragment spread twice under different conditions',
    `query ($a: Boolean!, $b: Boolean!) { viewer { ...F @include(if: $a) ...F @include(if: $b) email } }
     fragment F on Viewer { id name }`,
    flags,
  ],
  [
    'conditions within conditions',
    `query ($a: Boolean!, $b: Boolean!) { viewer { ... @include(if: $a) { id ... @skip(if: $b) { name } } } }`,
    flags,
  ],
  [
    'a root field under a condition',
    'query ($a: Boolean!, $b: Boolean!) { __typename viewer @include(if: $a) { id } other: viewer @skip(if: $b) { name } }',
    flags,
  ],
  [
    'one field selected twice with different subfields',
    `query ($a: Boolean!, $b: Boolean!) { viewer { notifications(first: 2) { nodes { id } }
       notifications(first: 2) @include(if: $a) { totalCount nodes @skip(if: $b) { title } } } }`,
    flags,
  ],
  [
    'lists in lists with aliases',
    '{ me: viewer { c: enrolledCourses { n: nodes { s: sections { l: lectures { t: title state __typename } } } } } }',
    [{}],
  ],
  [
    'variables with defaults: given, null and omitted',
    'query ($n: Int = 1, $c: String) { viewer { notifications(first: $n, after: $c) { nodes { kind } } } }',
    [{}, { n: 2 }, { n: null }, { n: 0, c: null }, { n: -1 }, { c: 'nonsense' }, { n: 1.5 }],
  ],
  [
    'an input object with variables',
    `query ($after: Int, $states: [ConsultingMeetingState!]) { viewer { consultingMeetings(
       filter: { startedAfter: $after, state: $states }) { totalCount } } }`,
    [
      {},
      { after: 5 },
      { after: null, states: null },
      { states: ['available'] },
      { states: 'canceled' },
      { states: ['x'] },
    ],
  ],
  [
    'errors beside data',
    '{ __typename viewer { id } other: viewer { notifications(last: -2) { totalCount } } }',
    [{}],
  ],
]

describe('compiled documents give the same answer as interpreted ones', () => {
  for (const [what, query, variables] of documents) {
    test(what, async () => {
      for (const [i, given] of variables.entries()) {
        // The comment makes it a new document, whose first run is interpreted.
        const fresh = { query: `${query} # ${i}`, variables: given }
        const first = (await postGraphQL(world, school, token, fresh)).json()
        for (let again = 0; again < 2; again++) {
          expect((await postGraphQL(world, school, token, fresh)).json()).toEqual(first)
          const shared = { query, variables: given }
          expect((await postGraphQL(world, school, token, shared)).json()).toEqual(first)
        }
      }
    })
  }
})
