import { getIntrospectionQuery } from 'graphql/index.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../../src/surfaces/member-api/documents/limits.ts'
import { verifies } from '../../spec/verifies.ts'
import { ask, aToken } from '../../support/member-api.ts'
import { sharedWorld } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const ada = await world.aMember(school)
let token = ''
beforeAll(async () => {
  token = await aToken(world, school, ada)
})

const repeat = (n: number, part: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => part(i)).join(' ')

/** A few hundred bytes whose expansion has 2^depth fields. */
function fragmentBomb(depth: number): string {
  const fragments = repeat(depth, (i) => `fragment F${i} on Viewer { ...F${i + 1} ...F${i + 1} }`)
  return `{ viewer { ...F0 } } ${fragments} fragment F${depth} on Viewer { id name }`
}

const SYLLABUS = `nodes { slug detailProgress { percent } sections { title
  lectures { id title state isLocked unlockAt duration } } }`

describe('hostile documents are refused by their expanded size', () => {
  const hostile = [
    ['spreads', 'fragments nested in fragments', fragmentBomb(30)],
    [
      'spreads',
      'fragments side by side, which validation compares each with each',
      `{ viewer { ${repeat(160, (i) => `...F${i}`)} } }
       ${repeat(160, (i) => `fragment F${i} on Viewer { ${['id', 'name', 'email', 'avatar { url }'][i % 4]} }`)}`,
    ],
    [
      'fields',
      'a large fragment spread again and again',
      `{ ${repeat(50, (i) => `a${i}: viewer { ...F }`)} } fragment F on Viewer { id
        payments { nodes { tradeNo amount currency paymentType paymentState createdAt paidAt
          refundingState refundedAmount refundedAt refundRequestedAt bankCode bankName codeNo
          expiredAt invoice { number issuedAt url } installment { count amount }
          lineitems { title quantity unitAmount amount } adjustments { kind label amount } }
          edges { cursor node { tradeNo amount } } totalCount } }`,
    ],
    [
      'aliases',
      'one field with many aliases',
      `{ ${repeat(100, (i) => `a${i}: viewer { unreadNotificationCount }`)} }`,
    ],
    [
      'aliases',
      'many aliases multiplied by fragments',
      `{ a: viewer { ...F } b: viewer { ...F } c: viewer { ...F } }
       fragment F on Viewer { ${repeat(30, (i) => `n${i}: name`)} }`,
    ],
    ['repeats', 'one field over and over', `{ viewer { ${repeat(900, () => 'id')} } }`],
    [
      'repeats',
      'fields of one name, whose selections are merged',
      `{ ${repeat(20, () => `viewer { ${repeat(20, () => 'id')} }`)} }`,
    ],
    [
      'repeats',
      'the same through fragments and pages',
      `{ viewer { ...A ...B ...A } } ${repeat(
        2,
        (i) => `fragment ${'AB'[i]} on Viewer {
        ${repeat(4, () => 'payments { nodes { tradeNo tradeNo } }')} }`,
      )}`,
    ],
    [
      'repeats',
      'a fragment that no operation spreads',
      `{ __typename } fragment F on Viewer { ${repeat(900, () => 'id')} }`,
    ],
    [
      'spreads',
      'fragments that spread each other, and that no operation spreads',
      `{ __typename } ${repeat(12, (i) => `fragment F${i} on Viewer { ...F${i + 1} ...F${i + 1} }`)}
       fragment F12 on Viewer { ...F0 }`,
    ],
    ['tokens', 'a document without end', `{ viewer { ${repeat(5000, () => 'id')} } }`],
    ['length', 'a text without end', `{ __typename } # ${'x'.repeat(60_000)}`],
    [
      'depth',
      'introspection that nests endlessly',
      `{ __schema { types { ${'ofType { '.repeat(25)} name ${'} '.repeat(25)} } } }`,
    ],
    [
      'cost',
      'every syllabus three times',
      `{ viewer { ${repeat(3, (i) => `a${i}: enrolledCourses(first: 100) { ${SYLLABUS} }`)} } }`,
    ],
    [
      'cost',
      'the schema many times',
      `{ ${repeat(12, (i) => `a${i}: __schema { types { ...T } }`)} }
       fragment T on __Type { name description fields { name description type { name }
         args { name description type { name } } } enumValues { name description } }`,
    ],
  ] as const
  for (const [limit, what, query] of hostile) {
    verifies('member.limits.depth-and-cost', `${what}: ${limit}`, async () => {
      const statements = await world.database.statementsOf(async () => {
        const { data, errors } = await ask(world, school, token, query)
        expect(data).toBeUndefined()
        expect(errors?.[0]?.extensions).toMatchObject({
          code: 'limit_exceeded',
          limit,
          maximum: DEFAULT_LIMITS[limit],
        })
        expect(errors?.[0]?.message).toContain(String(DEFAULT_LIMITS[limit]))
      })
      expect(statements).toHaveLength(1)
    })
  }

  test('a fragment that contains itself is found by validation', async () => {
    const { errors } = await ask(
      world,
      school,
      token,
      '{ viewer { ...A } } fragment A on Viewer { id ...B } fragment B on Viewer { ...A }',
    )
    expect(errors?.[0]?.message).toMatch(/Cannot spread fragment "A" within itself/)
  })

  test('many unknown fragments are refused at the first one', async () => {
    const query = `{ viewer { ${repeat(900, (i) => `...F${i}`)} } }`
    const { data, errors } = await ask(world, school, token, query)
    expect(data).toBeUndefined()
    expect(errors).toHaveLength(1)
    expect(errors?.[0]).toMatchObject({
      message: 'Unknown fragment "F0".',
      extensions: { code: 'graphql_validation_failed' },
    })
  })

  test('introspection of fields within fields within fields is refused', async () => {
    const fields = (n: number): string =>
      n === 0 ? 'name' : `fields { type { ${fields(n - 1)} } }`
    const { errors } = await ask(world, school, token, `{ __schema { types { ${fields(4)} } } }`)
    expect(errors?.[0]?.message).toMatch(/introspection/i)
  })

  test('the size of a page counts as given in the variables', async () => {
    const query = `query ($n: Int) { viewer { a: enrolledCourses(first: $n) { ${SYLLABUS} }
      b: enrolledCourses(first: $n) { ${SYLLABUS} } c: enrolledCourses(first: $n) { ${SYLLABUS} } } }`
    const small = await ask(world, school, token, query, { n: 10 })
    expect(small.errors).toBeUndefined()
    const large = await ask(world, school, token, query, { n: 1000 })
    expect(large.errors?.[0]?.extensions).toMatchObject({ limit: 'cost' })
    const usual = await ask(world, school, token, query, {})
    expect(usual.extensions?.cost?.requested).toBe(
      2 * (small.extensions?.cost?.requested ?? 0) - 31,
    )
  })
})

describe('ordinary documents are accepted', () => {
  verifies(
    'member.limits.ordinary-use-fits',
    'full introspection, as developer tools send it',
    async () => {
      for (const options of [{}, { inputValueDeprecation: true, specifiedByUrl: true }]) {
        const { data, errors } = await ask(world, school, token, getIntrospectionQuery(options))
        expect(errors).toBeUndefined()
        expect(data).toHaveProperty('__schema.types')
      }
    },
  )

  verifies('member.limits.ordinary-use-fits', 'fifty whole syllabuses', async () => {
    const query = `{ viewer { enrolledCourses(first: 50) { ${SYLLABUS} pageInfo { endCursor } } } }`
    const { errors, extensions } = await ask(world, school, token, query)
    expect(errors).toBeUndefined()
    expect(extensions?.cost?.limit).toBe(DEFAULT_LIMITS.cost)
    expect(extensions?.cost?.requested).toBeGreaterThan(10_000)
  })

  test('twenty components that each add a fragment on the same node', async () => {
    const query = `{ viewer { __typename ${repeat(19, (i) => `...F${i}`)} } }
      ${repeat(
        19,
        (i) => `fragment F${i} on Viewer { __typename id
        payments(first: 5) { __typename nodes { __typename tradeNo } } }`,
      )}`
    const { errors } = await ask(world, school, token, query)
    expect(errors).toBeUndefined()
  })

  test('the cost of each document is reported', async () => {
    const cost = async (query: string) =>
      (await ask(world, school, token, query)).extensions?.cost?.requested
    expect(await cost('{ __typename }')).toBe(0)
    expect(await cost('{ viewer { id name email } }')).toBe(1)
    expect(await cost('{ viewer { payments(first: 5) { nodes { tradeNo } } } }')).toBe(1 + 10 + 5)
    expect(await cost('{ viewer { payments(last: 9999) { edges { node { tradeNo } } } } }')).toBe(
      1 + 10 + 50 * 2,
    )
    expect(await cost('mutation { markAllNotificationsRead { markedCount } }')).toBe(10)
  })
})
