import { expect, test } from 'vitest'
import { OutlineCache } from '../../src/domain/learning/outline.ts'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import { anOperator } from '../support/admin-api.ts'
import { ndjson } from '../support/bulk.ts'
import { aCourse, anEnrollment, aSlug } from '../support/learning.ts'
import { aToken, read } from '../support/member-api.ts'
import { aWorld } from '../support/world.ts'
import { useTool } from './mcp/tool-endpoint.ts'

const world = await aWorld()
const school = await world.aSchool()

interface Section {
  readonly title: string
  readonly lectures: readonly { readonly title: string }[]
}

const titlesIn = (sections: readonly Section[] = []): string[] =>
  sections.flatMap(({ title, lectures }) => [title, ...lectures.map((lecture) => lecture.title)])

/** The outline that the public tool shows. */
async function publicTitles(slug: string): Promise<string[]> {
  const shown = await useTool<{ sections: Section[] }>(world, school, 'get_course', { slug })
  return titlesIn(shown.sections)
}

/** The outline that a member with this one course reads. */
async function memberTitles(token: string): Promise<string[]> {
  const { viewer } = await read<{
    viewer: { enrolledCourses: { nodes: { sections: Section[] }[] } }
  }>(
    world,
    school,
    token,
    '{ viewer { enrolledCourses { nodes { sections { title lectures { title } } } } } }',
  )
  return titlesIn(viewer.enrolledCourses.nodes[0]?.sections)
}

test('a course that is deleted and imported again with its id does not show its old outline', async () => {
  const operator = await anOperator(world, school)
  const course = { id: uuidv7(), slug: aSlug(), title: 'A course' }
  const section = { id: uuidv7(), course_id: course.id }
  const lecture = { id: uuidv7(), section_id: section.id }
  const importAll = async (title: string) => {
    for (const [kind, row] of [
      ['courses', { ...course, state: 'published' }],
      ['sections', { ...section, title: `${title} section` }],
      ['lectures', { ...lecture, title: `${title} lecture` }],
    ] as const) {
      const answer = await operator.send('POST', `/${kind}/import`, {
        body: ndjson([row]),
        headers: { 'content-type': 'application/x-ndjson' },
      })
      expect(answer.json()).toMatchObject({ created: 1 })
    }
    const { version } = (await operator.get(`/courses/${course.id}/curriculum`)).json()
    return version
  }
  const version = await importAll('Old')
  expect(await publicTitles(course.slug)).toEqual(['Old section', 'Old lecture'])
  const removed = await operator.send('DELETE', `/courses/${course.id}`)
  expect(removed.statusCode).toBe(200)

  expect(await importAll('New')).toBe(version)
  expect(await publicTitles(course.slug)).toEqual(['New section', 'New lecture'])
  const ada = await world.aMember(school)
  await anEnrollment(school, ada, { ...course, lectures: [[lecture.id]] })
  expect(await memberTitles(await aToken(world, school, ada))).toEqual([
    'New section',
    'New lecture',
  ])
})

test('the tools use the outline that the Member API has cached', async () => {
  const ada = await world.aMember(school)
  const course = await aCourse(school)
  await anEnrollment(school, ada, course)
  const token = await aToken(world, school, ada)
  const readings = async (ask: () => Promise<unknown>) =>
    (await world.database.statementsOf(ask)).filter((text) => /from sections/.test(text)).length
  expect(await readings(() => memberTitles(token))).toBe(1)
  expect(await readings(() => publicTitles(course.slug))).toBe(0)
})

test('many empty sections count toward the size of the cache', async () => {
  const cache = new OutlineCache(10_000)
  const readings = async (sections: readonly [][]) => {
    const { id } = await aCourse(school, sections)
    const key = { id, createdAt: new Date(), outlineVersion: 1 }
    await cache.load(school.db, [key])
    return (await world.database.statementsOf(() => cache.load(school.db, [key]))).length
  }
  expect(await readings([[]])).toBe(0)
  expect(await readings([[], [], [], [], [], []])).toBe(1)
})
