import { describe, expect, test } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { aMeeting, aService } from '../../support/consulting.ts'
import { ask, aToken, type GraphQLBody } from '../../support/member-api.ts'
import { sharedWorld } from '../../support/world.ts'
import { graphql, typedClient } from './typed-client.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const ada = await world.aMember(school)
const token = await aToken(world, school, ada)
const service = await aService(school, [])
for (const start of ['1969-07-20T20:17:40Z', '2026-06-01T12:00:00Z', '2040-02-29T12:00:00Z']) {
  await aMeeting(school, { service, seats: [ada], start: new Date(start) })
}

/** The meeting of 1969. */
const EARLIEST = -14_182_940
const FIRST_SECOND = -210_866_803_200
const LAST_SECOND = 9_224_318_015_999

type Answer = GraphQLBody<{ viewer: { consultingMeetings: { totalCount: number } } }>

/** With startedAfter as a literal in the document. */
function literal(after: string | number): Promise<Answer> {
  const field = `consultingMeetings(filter: { startedAfter: ${after} })`
  return ask(world, school, token, `{ viewer { ${field} { totalCount } } }`)
}

/** With startedAfter as a variable of the declared type, alone or as the whole filter. */
function variable(type: string, after: unknown): Promise<Answer> {
  const field = 'consultingMeetings(filter: { startedAfter: $after })'
  const query = `query ($after: ${type}) { viewer { ${field} { totalCount } } }`
  return ask(world, school, token, query, { after })
}

function wholeFilter(after: unknown): Promise<Answer> {
  const query = `query ($filter: ConsultingMeetingFilter) {
    viewer { consultingMeetings(filter: $filter) { totalCount } } }`
  return ask(world, school, token, query, { filter: { startedAfter: after } })
}

const WAYS: Readonly<Record<string, (after: number) => Promise<Answer>>> = {
  'a literal': literal,
  'a variable': (after) => variable('UnixTime', after),
  'a required variable': (after) => variable('UnixTime!', after),
  'a part of a variable': wholeFilter,
}

const total = ({ data, errors }: Answer) => errors ?? data?.viewer.consultingMeetings.totalCount

describe('a time bound of the meeting filter', () => {
  for (const [way, send] of Object.entries(WAYS)) {
    verifies(
      'meeting.filter.unix-time',
      `as ${way} is any integer, also beyond what the database can hold`,
      async () => {
        const cases: readonly (readonly [number, number])[] = [
          [Number.MIN_SAFE_INTEGER, 3],
          [FIRST_SECOND - 1, 3],
          [FIRST_SECOND, 3],
          [EARLIEST, 3],
          [EARLIEST + 1, 2],
          [0, 2],
          [2 ** 31, 1],
          [LAST_SECOND, 0],
          [LAST_SECOND + 1, 0],
          [1_000_000_000_000_000, 0],
          [Number.MAX_SAFE_INTEGER, 0],
        ]
        // The first time a document is interpreted, from the second time it is compiled.
        for (const [after, count] of [...cases, ...cases]) {
          expect([after, total(await send(after))]).toEqual([after, count])
        }
      },
    )

    verifies(
      'meeting.filter.unix-time',
      `as ${way} that no JSON number holds exactly is refused`,
      async () => {
        for (const after of [Number.MIN_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER + 1, 1e20]) {
          const { data, errors } = await send(after)
          expect(data ?? null).toBeNull()
          expect(errors?.[0]?.message).toContain(
            'Send Unix seconds from -9007199254740991 to 9007199254740991.',
          )
        }
      },
    )
  }

  for (const after of ['1.5', '1.0', '1e9', '"1767225600"', 'true', '[1, 2]', '{}', 'now']) {
    verifies('meeting.filter.unix-time', `as the literal ${after} is refused`, async () => {
      const { data, errors } = await literal(after)
      expect(data ?? null).toBeNull()
      expect(errors?.[0]?.extensions?.code).toBe('graphql_validation_failed')
      expect(errors?.[0]?.message).toContain('Send whole Unix seconds as a JSON number')
    })
  }

  for (const after of [1.5, '1767225600', '2026-01-01T00:00:00Z', true, [1, 2], {}]) {
    verifies(
      'meeting.filter.unix-time',
      `as the value ${JSON.stringify(after)} is refused`,
      async () => {
        for (const send of [(value: unknown) => variable('UnixTime', value), wholeFilter]) {
          const { data, errors } = await send(after)
          expect(data ?? null).toBeNull()
          expect(errors?.[0]?.extensions?.code).toBe('bad_argument')
          expect(errors?.[0]?.message).toContain('Send whole Unix seconds as a JSON number')
        }
      },
    )
  }
})

verifies(
  'meeting.filter.unix-time',
  'as the end of the window means the same beyond the range of the database',
  async () => {
    const field = 'consultingMeetings(filter: { startedBefore: $before })'
    const query = `query ($before: UnixTime) { viewer { ${field} { totalCount } } }`
    for (const [before, count] of [
      [Number.MIN_SAFE_INTEGER, 0],
      [EARLIEST, 0],
      [EARLIEST + 1, 1],
      [1_000_000_000_000_000, 3],
    ] as const) {
      expect([before, total(await ask(world, school, token, query, { before }))]).toEqual([
        before,
        count,
      ])
    }
  },
)

describe('a variable that is declared Int', () => {
  verifies(
    'meeting.filter.int-variables',
    'is accepted, interpreted and compiled, also with a default or inside a fragment',
    async () => {
      for (let i = 0; i < 3; i++) {
        expect(total(await variable('Int', 0))).toBe(2)
        expect(total(await variable('Int', null))).toBe(3)
        expect(total(await variable('Int!', 0))).toBe(2)
        expect(total(await variable('Int = 0', undefined))).toBe(2)
        const spread = `query ($after: Int!) { viewer { ...Own } } fragment Own on Viewer {
          consultingMeetings(filter: { startedAfter: $after }) { totalCount } }`
        expect(total(await ask(world, school, token, spread, { after: 0 }))).toBe(2)
      }
    },
  )

  test('is still an Int: 32 bits', async () => {
    const { errors } = await variable('Int', 2 ** 31)
    expect(errors?.[0]?.message).toContain('Int cannot represent non 32-bit signed integer')
  })

  test('of another type, or where another type is expected, is refused', async () => {
    for (const type of ['[Int]', 'Float', 'String', 'ID']) {
      const { errors } = await variable(type, null)
      expect(errors?.[0]?.message).toContain('used in position expecting type "UnixTime"')
    }
    const state = `query ($state: Int) {
      viewer { consultingMeetings(filter: { state: $state }) { totalCount } } }`
    const { errors } = await ask(world, school, token, state, { state: 1 })
    expect(errors?.[0]?.message).toContain('used in position expecting type')
  })
})

verifies(
  'meeting.filter.unix-time',
  'a typed client sends a number, as a variable of either type',
  async () => {
    const client = typedClient(world, school, token)
    const after = { after: 0 }
    const own = graphql(`query ($after: UnixTime!) {
      viewer { consultingMeetings(filter: { startedAfter: $after }) { totalCount } } }`)
    expect((await client(own, after)).viewer?.consultingMeetings.totalCount).toBe(2)
    const earlier = graphql(`query ($after: Int!) {
      viewer { consultingMeetings(filter: { startedAfter: $after }) { totalCount } } }`)
    expect((await client(earlier, after)).viewer?.consultingMeetings.totalCount).toBe(2)
  },
)
