import { describe, expect, test } from 'vitest'
import { aNotification } from '../../support/inbox.ts'
import { aCourse, anEnrollment, someProgress } from '../../support/learning.ts'
import { aToken, read } from '../../support/member-api.ts'
import { giveEverything } from '../../support/member-with-everything.ts'
import { sharedWorld } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()

/** How many statements a document needs, with the check of the token. */
async function count(token: string, query: string): Promise<number> {
  const statements = await world.database.statementsOf(() => read(world, school, token, query))
  return statements.length
}

const SYLLABUS = `nodes { slug detailProgress { percent totalLectures } sections { title
  lectures { id title state isLocked unlockAt duration } } }`

test('viewer needs only the statement of the token check, and name and picture one more', async () => {
  const token = await aToken(world, school, await world.aMember(school))
  expect(await count(token, '{ viewer { id } }')).toBe(1)
  expect(await count(token, '{ viewer { id name email avatar } }')).toBe(2)
  expect(await count(token, '{ __typename }')).toBe(1)
})

test('a syllabus of 500 lectures needs four statements, and three when its outline is cached', async () => {
  const ada = await world.aMember(school)
  const sections = Array.from({ length: 25 }, () => Array.from({ length: 20 }, () => ({})))
  const course = await aCourse(school, sections)
  await anEnrollment(school, ada, course)
  for (const lecture of course.lectures[3] ?? []) {
    await someProgress(school, ada, course, lecture, 'completed')
  }
  const token = await aToken(world, school, ada)
  const query = `{ viewer { enrolledCourses { ${SYLLABUS} } } }`
  expect(await count(token, query)).toBe(4)
  expect(await count(token, query)).toBe(3)
  const { viewer } = await read<{
    viewer: { enrolledCourses: { nodes: { detailProgress: unknown }[] } }
  }>(world, school, token, query)
  expect(viewer.enrolledCourses.nodes[0]?.detailProgress).toEqual({
    percent: 4,
    totalLectures: 500,
  })
})

describe('no query needs more statements for more rows', async () => {
  const [few, many] = [await world.aMember(school), await world.aMember(school)]
  await giveEverything(school, few, 1)
  await giveEverything(school, many, 12)
  const tokens = [await aToken(world, school, few), await aToken(world, school, many)]
  const page = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }'
  const shapes = [
    [2, 'schools { id roles }'],
    [4, `enrolledCourses { ${SYLLABUS} ${page} }`],
    [2, `digitalProducts { nodes { title } edges { cursor node { slug } } ${page} }`],
    [2, `eventRegistrations { nodes { state event { title } } ${page} }`],
    [2, `consultingServices { nodes { title } ${page} }`],
    [4, 'consultingServices { nodes { slots { weekday } meetings { state } } }'],
    [2, `consultingMeetings { nodes { title roomUrl } ${page} }`],
    [3, 'consultingMeetings { nodes { attendeesCount } edges { node { attendeesCount } } }'],
    [2, `payments { nodes { tradeNo invoice { number } installment { count } } ${page} }`],
    [4, 'payments { nodes { lineitems { title } adjustments { label } } }'],
    [2, 'payments { totalCount }'],
    [3, 'payments { totalCount nodes { tradeNo } }'],
    [2, `notifications { nodes { title } ${page} }`],
    [3, 'unreadNotificationCount notificationSubscriptions { topic }'],
  ] as const
  for (const [statements, fields] of shapes) {
    test(`${statements} for ${fields}`, async () => {
      const query = `{ viewer { ${fields} } }`
      for (const token of tokens) expect(await count(token, query)).toBe(statements)
    })
  }
})

test('whether a page exists in the other direction is looked up only if it is selected', async () => {
  const ada = await world.aMember(school)
  for (let i = 0; i < 3; i++) await aNotification(school, ada)
  const token = await aToken(world, school, ada)
  const { viewer } = await read<{
    viewer: { notifications: { pageInfo: { endCursor: string } } }
  }>(world, school, token, '{ viewer { notifications(first: 1) { pageInfo { endCursor } } } }')
  const next = (info: string) => `{ viewer { notifications(first: 1,
    after: "${viewer.notifications.pageInfo.endCursor}") { nodes { id } pageInfo { ${info} } } } }`
  expect(await count(token, next('hasNextPage endCursor'))).toBe(2)
  expect(await count(token, next('hasPreviousPage'))).toBe(3)
})
