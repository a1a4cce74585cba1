import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { mintToken } from '../../../src/foundation/protocol/token-format.ts'
import { DEFAULT_LIMITS } from '../../../src/surfaces/member-api/documents/limits.ts'
import { verifies } from '../../spec/verifies.ts'
import { cpuOf } from '../../support/cpu.ts'
import { aCourse, anEnrollment, aProductOf } from '../../support/learning.ts'
import { ask, aToken, type GraphQLBody, postGraphQL } from '../../support/member-api.ts'
import { standingClock } from '../../support/standing-clock.ts'
import { aWorld } from '../../support/world.ts'

/**
 * A fifth of the default, and a course of a fifth of the size: the same ratio, in a fifth of the
 * time.
 */
const COST = DEFAULT_LIMITS.cost / 5
const LECTURES = 3000

const world = await aWorld({ limits: { graphqlCost: COST } })
const school = await world.aSchool()
const ada = await world.aMember(school)
let token = ''
beforeEach(standingClock)
beforeAll(async () => {
  token = await aToken(world, school, ada)
  await anEnrollment(school, ada, await aLongCourse(LECTURES))
})

async function aLongCourse(lectures: number) {
  const course = await aCourse(school, [[]])
  await school.db.run(sql`
    insert into lectures (school_id, id, course_id, section_id, position, title, duration_seconds)
    select s.school_id, gen_random_uuid(), s.course_id, s.id, n, 'Lecture ' || n, 60
    from sections s, generate_series(1, ${lectures}) n
    where s.school_id = ${school.id} and s.course_id = ${course.id}`)
  return course
}

const aliases = (n: number, part: string): string =>
  Array.from({ length: n }, (_, i) => `a${i}: ${part}`).join(' ')
const courses = (part: string): string =>
  `{ viewer { enrolledCourses(first: 1) { nodes { ${part} } } } }`
const SYLLABUS = 'sections { lectures { id title state } }'

function expectStopped({ data, errors }: GraphQLBody): void {
  expect(data).toBeUndefined()
  expect(errors).toHaveLength(1)
  expect(errors?.[0]?.extensions).toEqual({
    code: 'limit_exceeded',
    docs: expect.stringMatching(/#limit_exceeded$/),
    limit: 'cost',
    maximum: COST,
  })
  expect(errors?.[0]?.message).toMatch(/smaller pages.*fewer aliases/)
}

/** Below it a ratio says nothing. */
const FLOOR_MS = 60

describe('a course of thousands of lectures', () => {
  verifies('member.limits.ordinary-use-fits', 'can be read once, in one query', async () => {
    const { errors, extensions } = await ask(world, school, token, courses(SYLLABUS))
    expect(errors).toBeUndefined()
    // The viewer, the connection, the course, its section, the lectures, and the rows read for
    // them.
    const actual = 1 + 10 + 1 + 1 + LECTURES + LECTURES / 10
    expect(extensions?.cost).toMatchObject({ actual, limit: COST })
    expect(extensions?.cost?.requested).toBeLessThan(300)
  })

  for (const [what, query] of [
    ['under forty aliases of the sections', courses(aliases(40, SYLLABUS))],
    [
      'under forty aliases of the lectures',
      courses(`sections { ${aliases(40, 'lectures { id }')} }`),
    ],
    [
      'under forty aliases of the list of courses',
      `{ viewer { ${aliases(40, `enrolledCourses(first: 1) { nodes { ${SYLLABUS} } }`)} } }`,
    ],
    ['with sixty aliases of a title', courses(`sections { lectures { ${aliases(60, 'title')} } }`)],
    [
      'with a condition, which is never compiled',
      courses(`${aliases(40, SYLLABUS)} id @skip(if: false)`),
    ],
  ] as const) {
    verifies(
      'member.limits.real-cost',
      `${what} stops at the limit, also once compiled`,
      async () => {
        for (let time = 0; time < 3; time++) expectStopped(await ask(world, school, token, query))
      },
    )
  }

  test('under forty aliases takes no more work than what fits', async () => {
    const fits = courses(aliases(3, SYLLABUS))
    const attack = courses(aliases(40, SYLLABUS))
    const least = (query: string) => cpuOf(() => ask(world, school, token, query), 9)
    expect((await ask(world, school, token, fits)).errors).toBeUndefined()
    const honest = await least(fits)
    expect(await least(attack)).toBeLessThan(2 * honest + FLOOR_MS)
  })

  verifies(
    'member.limits.real-cost',
    'under forty aliases of the list is read once for the request, with its progress',
    async () => {
      const query = `{ viewer { ${aliases(40, 'enrolledCourses { nodes { detailProgress { percent } } }')} } }`
      let answer: GraphQLBody = {}
      const statements = await world.database.statementsOf(async () => {
        answer = await ask(world, school, token, query)
      })
      expect(answer.errors).toBeUndefined()
      const reading = (table: string) =>
        statements.filter((statement) => statement.includes(`from ${table}`))
      expect(reading('sections').length).toBeLessThanOrEqual(1)
      expect(reading('lecture_progress')).toHaveLength(1)
      // The viewer; for each alias a statement, a course and its progress; the rows of one outline.
      expect(answer.extensions?.cost?.actual).toBe(1 + 40 * (10 + 1 + 1) + LECTURES / 10)
    },
  )
})

verifies(
  'member.limits.real-cost',
  'long texts count by their length: a description under many aliases stops',
  async () => {
    const reader = await world.aMember(school)
    const readerToken = await aToken(world, school, reader)
    for (let i = 0; i < 10; i++) await aProductOf(school, reader)
    await school.db
      .update('digital_products')
      .set({ description: 'Long. '.repeat(8_000) })
      .execute()
    const products = (part: string) =>
      `{ viewer { digitalProducts(first: 10) { nodes { ${part} } } } }`
    const once = await ask(world, school, readerToken, products('description'))
    expect(once.errors).toBeUndefined()
    expect(once.extensions?.cost?.actual).toBe(1 + 10 + 10 + 10 * (48_000 / 250))
    expectStopped(await ask(world, school, readerToken, products(aliases(60, 'description'))))
  },
)

describe('introspection', () => {
  verifies(
    'member.limits.introspection',
    'of a few hundred bytes that asks for megabytes is refused',
    async () => {
      const part = `types { fields { type { ofType { name fields { name ${aliases(18, 'description')} } } } } }`
      const query = `{ ${aliases(3, `__schema { ${part} }`)} }`
      const { data, errors } = await ask(world, school, token, query)
      expect(data).toBeUndefined()
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'limit_exceeded', limit: 'cost' })
    },
  )

  verifies('member.limits.introspection', 'costs the length of its answer', async () => {
    for (const query of [
      '{ __schema { queryType { name } } }',
      '{ __type(name: "Viewer") { name fields { name description type { kind ofType { name } } } } }',
      '{ __schema { types { ...T } } } fragment T on __Type { kind name description fields { name } }',
    ]) {
      const { data, extensions } = await ask(world, school, token, query)
      const length = JSON.stringify(data).length
      expect(extensions?.cost?.requested).toBeGreaterThan(length / 10 / 1.5 - 10)
      expect(extensions?.cost?.requested).toBeLessThan((length / 10) * 1.5 + 10)
    }
    const { extensions } = await ask(world, school, token, '{ __schema { queryType { name } } }')
    expect(extensions?.cost?.requested).toBeLessThan(20)
  })

  verifies(
    'member.limits.introspection',
    'under sixty aliases has one limit for the whole document',
    async () => {
      const type = 'fields { name description type { fields { name description } } }'
      for (const [query, variables] of [
        [`{ ${aliases(60, `__schema { types { ${type} } }`)} }`, {}],
        [
          `query ($name: String!) { ${aliases(60, `__type(name: $name) { ${type} }`)} }`,
          { name: 'Query' },
        ],
        [
          `query ($name: String!) { ${aliases(60, `__type(name: $name) { ${type} }`)} }`,
          { name: 'Viewer' },
        ],
      ] as const) {
        const { data, errors } = await ask(world, school, token, query, variables)
        expect(data).toBeUndefined()
        expect(errors?.[0]?.extensions).toMatchObject({ code: 'limit_exceeded', limit: 'cost' })
      }
    },
  )

  test('of a type that a variable names costs the same', async () => {
    const named = await ask(world, school, token, '{ __type(name: "Payment") { fields { name } } }')
    const query = 'query ($name: String!) { __type(name: $name) { fields { name } } }'
    const asked = await ask(world, school, token, query, { name: 'Payment' })
    expect(asked.extensions).toEqual(named.extensions)
    expect((await ask(world, school, token, query, { name: 'Nothing' })).data).toEqual({
      __type: null,
    })
  })
})

const strict = await aWorld({ limits: { memberCostPerMinute: 1000 } })
const there = await strict.aSchool()

describe('too many requests', () => {
  verifies(
    'member.limits.rate',
    'of one authorization are 429 with a GraphQL error; another one is not affected',
    async () => {
      const busy = await aToken(strict, there, await strict.aMember(there))
      const quiet = await aToken(strict, there, await strict.aMember(there))
      const send = (by: string) => postGraphQL(strict, there, by, { query: '{ viewer { id } }' })
      const first = await send(busy)
      expect(first.statusCode).toBe(200)
      expect(first.headers['ratelimit-policy']).toBe('"member-api";q=1000;w=60')
      // aToken sent one request, too. Each costs 10 and its tokens, and this one has an object.
      expect(first.headers.ratelimit).toMatch(/^"member-api";r=9[5-8]\d;t=[123]$/)
      expect(first.headers['retry-after']).toBeUndefined()
      expect(first.headers['access-control-expose-headers']).toContain('RateLimit')
      const answers = await Promise.all(Array.from({ length: 200 }, () => send(busy)))
      const refused = answers.find(({ statusCode }) => statusCode === 429)
      expect(refused?.json()).toEqual({
        errors: [
          {
            message: expect.stringMatching(/too many/i),
            extensions: { code: 'rate_limited', docs: expect.stringMatching(/#rate_limited$/) },
          },
        ],
      })
      expect(Number(refused?.headers['retry-after'])).toBeGreaterThanOrEqual(1)
      expect(refused?.headers.ratelimit).toMatch(/^"member-api";r=0;t=\d+$/)
      expect(refused?.headers['access-control-allow-origin']).toBe('*')
      expect((await send(quiet)).statusCode).toBe(200)
    },
  )

  verifies(
    'member.limits.rate',
    'a long document costs more than a short one, also if it is refused',
    async () => {
      const busy = await aToken(strict, there, await strict.aMember(there))
      const query = `{ nothing } # ${'x'.repeat(40_000)}`
      for (let time = 0; time < 3; time++) await postGraphQL(strict, there, busy, { query })
      expect((await postGraphQL(strict, there, busy, { query })).statusCode).toBe(429)
    },
  )

  for (const [what, query] of [
    [
      'introspection under sixty aliases that is refused',
      `{ ${aliases(60, '__schema { ...F }')} no }
       fragment F on __Schema { types { fields { type { fields { name } } } } }`,
    ],
    [
      'unused variables',
      `query (${Array.from({ length: 400 }, (_, i) => `$v${i}: Int`).join()}) { __typename }`,
    ],
    [
      'fragments in a ring',
      `{ viewer { ...F0 } } ${Array.from({ length: 200 }, (_, i) => `fragment F${i} on Viewer { ...F${(i + 1) % 200} }`).join(' ')}`,
    ],
    [
      'operations without end',
      Array.from({ length: 240 }, (_, i) => `query Q${i} { __typename }`).join(' '),
    ],
    ['what no parser reads', `{ viewer { ${'id '.repeat(1500)}`],
  ] as const) {
    verifies('member.limits.rate', `${what}: a document pays for its tokens`, async () => {
      const busy = await aToken(strict, there, await strict.aMember(there))
      const refused = await postGraphQL(strict, there, busy, { query })
      expect(refused.json().errors).toBeDefined()
      expect((await postGraphQL(strict, there, busy, { query })).statusCode).toBe(429)
    })
  }

  verifies(
    'member.limits.rate',
    'types that a variable names are paid for, also if the rest of the query is too dear',
    async () => {
      const busy = await aToken(strict, there, await strict.aMember(there))
      const tooDear = 'enrolledCourses(first: 100) { nodes { sections { lectures { id } } } }'
      const query = `query ($name: String!) {
        viewer { ${aliases(8, tooDear)} } ${aliases(5, '__type(name: $name) { ...T }')}
      }
      fragment T on __Type { fields { name description type { fields { name description } } } }`
      const send = () => postGraphQL(strict, there, busy, { query, variables: { name: 'Viewer' } })
      const { errors } = (await send()).json()
      // The types alone would fit.
      expect(errors[0].message).toContain('It is estimated at')
      for (let time = 0; time < 6; time++) await send()
      expect((await send()).statusCode).toBe(429)
    },
  )

  verifies('member.limits.rate', 'a document pays once more when it is compiled', async () => {
    const busy = await aToken(strict, there, await strict.aMember(there))
    const query = `query Compiled { viewer { ${'id name email '.repeat(20)} ${aliases(59, 'id')} } }`
    const send = () => postGraphQL(strict, there, busy, { query })
    expect((await send()).statusCode).toBe(200)
    expect((await send()).statusCode).toBe(200)
    expect((await send()).statusCode).toBe(429)
  })

  verifies(
    'member.limits.rate',
    'a good token without a scope of the Member API gets no 403 without end',
    async () => {
      const person = await strict.aMember(there)
      const narrow = await aToken(strict, there, person, 'openid')
      const send = () => postGraphQL(strict, there, narrow, '{')
      expect((await send()).statusCode).toBe(403)
      const answers = await Promise.all(Array.from({ length: 200 }, send))
      const refused = answers.filter(({ statusCode }) => statusCode === 429)
      expect(refused.length).toBeGreaterThan(0)
      expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    },
  )

  verifies('member.limits.rate', 'a document that is known pays for its tokens once', async () => {
    const app = await aToken(strict, there, await strict.aMember(there))
    const query = `query Known { viewer { ${aliases(40, 'id')} } }`
    for (let time = 0; time < 20; time++) {
      expect((await postGraphQL(strict, there, app, { query })).statusCode).toBe(200)
    }
  })

  for (const [what, end] of [
    ['a long body', '}'],
    ['a long body that is no JSON', ''],
  ] as const) {
    verifies('member.limits.rate', `${what} costs by its length`, async () => {
      const busy = await aToken(strict, there, await strict.aMember(there))
      const body = `{"query":"{ __typename }","variables":{"k":"${'x'.repeat(200_000)}"}${end}`
      expect((await postGraphQL(strict, there, busy, body)).statusCode).not.toBe(429)
      // Before the body is read: it is no JSON either.
      expect((await postGraphQL(strict, there, busy, '{')).statusCode).toBe(429)
    })
  }

  verifies(
    'member.limits.strangers',
    'without a token, or with a made-up one, from one address are 429 before the body is read',
    async () => {
      const member = await aToken(strict, there, await strict.aMember(there))
      const elsewhere = await strict.aSchool()
      const guest = await aToken(strict, elsewhere, await strict.aMember(elsewhere))
      const send = (by: string | undefined, address: string, body = '{', at = there) =>
        strict.app.inject({
          method: 'POST',
          url: '/member/graphql',
          remoteAddress: address,
          headers: {
            host: new URL(at.origin).host,
            'content-type': 'application/json',
            ...(by === undefined ? {} : { authorization: `Bearer ${by}` }),
          },
          payload: body,
        })
      const burst = async (by: string | undefined) =>
        (
          await Promise.all(
            Array.from({ length: 500 }, (_, i) => send(by, `2001:db8::${(i + 1).toString(16)}`)),
          )
        ).filter(({ statusCode }) => statusCode === 429)
      let refused = await burst(undefined)
      for (let time = 0; time < 40 && refused.length === 0; time++) refused = await burst(undefined)
      expect(refused[0]?.json().errors[0].extensions).toEqual({
        code: 'rate_limited',
        docs: expect.stringMatching(/#rate_limited$/),
      })
      expect(refused[0]?.headers['ratelimit-policy']).toBe('"address";q=6000;w=60')
      expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThanOrEqual(1)
      const madeUp = mintToken('access', uuidv7()).value
      let kept = 0
      const statements = await strict.database.statementsOf(async () => {
        kept = (await burst(madeUp)).length
      })
      expect(kept).toBeGreaterThan(0)
      expect(statements.length).toBeLessThanOrEqual(505 - kept)
      const good = '{"query":"{ __typename }"}'
      expect((await send(member, '192.0.2.7', good)).statusCode).toBe(200)
      // Neither a token that was good lately nor another school is locked out at the same address.
      expect((await send(member, '2001:db8::1', good)).statusCode).toBe(200)
      expect((await send(guest, '2001:db8::1', good, elsewhere)).statusCode).toBe(200)
    },
  )
})

test('queries at the same time cannot each spend the same allowance', async () => {
  const strict = await aWorld({
    connection: world.database.connection,
    limits: { memberCostPerMinute: 1000, graphqlCost: 20_000 },
  })
  const ben = await world.aMember(school)
  await anEnrollment(school, ben, await aLongCourse(15_000))
  const own = await aToken(strict, school, ben)
  const query = courses(SYLLABUS)
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => postGraphQL(strict, school, own, { query })),
  )
  const done = answers.filter(({ statusCode }) => statusCode === 200)
  // One allowance, and one query beyond it.
  expect(done.length).toBeLessThanOrEqual(2)
  expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(6 - done.length)
  for (const { headers } of answers.filter(({ statusCode }) => statusCode === 429)) {
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
  }
})
