import { describe, expect, test } from 'vitest'
import { Visitor } from '../../support/browser-like.ts'
import { connect } from '../../support/postgres.ts'
import { aWorld, sharedWorld, type TestSchool } from '../../support/world.ts'
import { callTool, useTool } from './tool-endpoint.ts'

const world = await sharedWorld()
/**
 * The same schools, with a limit for strangers that only a search meets: the schools are found
 * without it.
 */
const strict = await aWorld({
  connection: world.database.connection,
  directory: world.context.directory,
  databaseSettings: { statementTimeoutMs: { stranger: 300, interactive: 30_000, batch: 30_000 } },
})

async function aSchoolWith(...bodies: readonly string[]): Promise<TestSchool> {
  const school = await world.aSchool()
  for (const [n, body] of bodies.entries()) {
    await school.db
      .insert('posts', {
        id: `0190c0de-0000-7000-8000-00000000000${n}`,
        slug: `post-${n}`,
        title: `Post ${n}`,
        body,
        state: 'published',
        published_at: new Date(Date.now() - 1000 * n),
      })
      .execute()
  }
  return school
}

interface Found {
  readonly results: readonly { readonly id: string }[]
}

async function found(school: TestSchool, query: string): Promise<readonly string[]> {
  const { results } = await useTool<Found>(world, school, 'search', { query })
  return results.map(({ id }) => id.replace('post:', ''))
}

describe('a search', () => {
  test('finds every word, in any case, inside words, and in languages without spaces', async () => {
    const school = await aSchoolWith(
      'Watercolour for BEGINNERS',
      '水彩畫入門課程',
      '100%_sure\\thing',
    )
    expect(await found(school, 'colour begin')).toEqual(['post-0'])
    expect(await found(school, 'colour 入門')).toEqual([])
    expect(await found(school, '入門')).toEqual(['post-1'])
    expect(await found(school, '0%_SURE\\t')).toEqual(['post-2'])
    expect(await found(school, 'post  2')).toEqual(['post-2'])
  })

  test('of a word that almost occurs at every place of long texts looks at bounded lengths', async () => {
    const at = (place: number) => `${'a'.repeat(place)} needle ${'a'.repeat(60_000 - place)}`
    const school = await aSchoolWith(at(10_000), at(30_000))
    expect(await found(school, 'needle')).toEqual(['post-0'])
    // The beginning of a word of any length counts, and words beyond the eighth do not.
    expect(await found(school, 'a'.repeat(198))).toEqual(['post-0', 'post-1'])
    expect(await found(school, `${'a'.repeat(64)}b`)).toEqual(['post-0', 'post-1'])
    expect(await found(school, `${'needle '.repeat(8)} absent`)).toEqual(['post-0'])
    const [many, few] = ['a'.repeat(60), 'a'.repeat(30)]
    for (const costly of [`${many}b`, `b${many}`, `${few}b${few}`]) {
      expect(await found(school, costly)).toEqual([])
    }
  })

  test('reads the school in one statement', async () => {
    const school = await aSchoolWith('text')
    await found(school, 'text')
    expect(await world.database.statementsOf(() => found(school, 'text'))).toHaveLength(1)
  })

  test('that takes too long is an error of this call, which says what to do', async () => {
    const school = await aSchoolWith('text')
    const holder = await connect(world.database.connection)
    await holder.query('begin; lock table posts in access exclusive mode')
    try {
      const answer = await callTool(strict, school, 'search', { query: 'text' })
      expect(answer.isError).toBe(true)
      expect(answer.content[0]?.text).toContain('took longer')
      expect((await new Visitor(strict, school).get('/sign-in')).statusCode).toBe(200)
    } finally {
      await holder.end()
    }
    expect(await found(school, 'text')).toEqual(['post-0'])
  })
})
