import { describe, expect, test } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import {
  aCourse,
  anEnrollment,
  aProductOf,
  aRegistration,
  DAY,
  daysFromNow,
  someProgress,
} from '../../support/learning.ts'
import { aToken, read } from '../../support/member-api.ts'
import { sharedWorld } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)

const SYLLABUS = `{ viewer { enrolledCourses(first: 50) { nodes {
  id slug title expireDate hasLifetimeAccess lastWatchedLecture { lectureId positionSeconds }
  detailProgress { completedLectures totalLectures percent }
  sections { id title lectures { id title state isLocked unlockAt duration } } } } } }`

interface CourseAnswer {
  readonly id: string
  readonly slug: string
  readonly title: string
  readonly expireDate: number | null
  readonly hasLifetimeAccess: boolean
  readonly lastWatchedLecture: unknown
  readonly detailProgress: unknown
  readonly sections: readonly {
    readonly title: string
    readonly lectures: readonly {
      readonly id: string
      readonly title: string
      readonly state: string
      readonly isLocked: boolean
      readonly unlockAt: number | null
      readonly duration: number
    }[]
  }[]
}

async function coursesOf(token: string): Promise<readonly CourseAnswer[]> {
  const { viewer } = await read<{ viewer: { enrolledCourses: { nodes: CourseAnswer[] } } }>(
    world,
    school,
    token,
    SYLLABUS,
  )
  return viewer.enrolledCourses.nodes
}

describe('a course of the viewer', () => {
  verifies(
    [
      'course.slug',
      'course.expire-date',
      'course.lifetime-access',
      'course.last-watched',
      'course.detail-progress',
      'course.sections',
      'course.id-and-title',
      'course.progress.fields',
      'course.plain-lists',
      'lecture.title',
      'lecture.state',
      'lecture.duration',
      'lecture.syllabus-in-one-query',
      'viewer.enrolled-courses',
      'viewer.unix-time',
    ],
    'the whole syllabus with the progress in each lecture comes in one query',
    async () => {
      const ada = await world.aMember(school)
      const course = await aCourse(school, [
        [{ title: 'One', seconds: 61 }, { title: 'Two' }],
        [],
        [{ title: 'Three' }],
      ])
      const [one = '', two = ''] = course.lectures[0] ?? []
      const expiresAt = daysFromNow(90)
      await anEnrollment(school, ada, course, {
        expiresAt,
        lastWatched: { lectureId: two, seconds: 17 },
      })
      await someProgress(school, ada, course, one, 'completed')
      await someProgress(school, ada, course, two, 'read', 17)
      const [found] = await coursesOf(await aToken(world, school, ada))
      expect(found).toMatchObject({
        id: course.id,
        slug: course.slug,
        title: course.title,
        expireDate: seconds(expiresAt),
        hasLifetimeAccess: false,
        lastWatchedLecture: { lectureId: two, positionSeconds: 17 },
        detailProgress: { completedLectures: 1, totalLectures: 3, percent: 33 },
      })
      expect(found?.sections.map(({ title }) => title)).toEqual([
        'Section 0',
        'Section 1',
        'Section 2',
      ])
      const lectures = found?.sections.map((section) =>
        section.lectures.map(({ title, state }) => [title, state]),
      )
      expect(lectures).toEqual([
        [
          ['One', 'completed'],
          ['Two', 'read'],
        ],
        [],
        [['Three', 'unread']],
      ])
      expect(found?.sections[0]?.lectures[0]?.duration).toBe(61)
    },
  )

  verifies(
    ['lecture.is-locked', 'lecture.unlock-at'],
    'locks follow the drip rules and the enrollment of this member',
    async () => {
      const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
      const date = daysFromNow(5)
      const course = await aCourse(school, [
        [{ unlockAfterDays: 10 }, { unlockAt: date }, { unlockAt: date, preview: true }, {}],
      ])
      const enrolledAt = daysFromNow(-3)
      await anEnrollment(school, ada, course, { enrolledAt })
      await anEnrollment(school, ben, course, { enrolledAt: daysFromNow(-11) })
      const locksOf = async (token: string) =>
        (await coursesOf(token))[0]?.sections[0]?.lectures.map(({ isLocked, unlockAt }) => [
          isLocked,
          unlockAt,
        ])
      expect(await locksOf(await aToken(world, school, ada))).toEqual([
        [true, seconds(new Date(enrolledAt.getTime() + 10 * DAY))],
        [true, seconds(date)],
        [false, null],
        [false, null],
      ])
      expect((await locksOf(await aToken(world, school, ben)))?.[0]).toEqual([false, null])
    },
  )

  test('a course with expired access stays listed with locked lectures; one with revoked access does not', async () => {
    const ada = await world.aMember(school)
    const [ended, revoked, forLife] = [
      await aCourse(school),
      await aCourse(school),
      await aCourse(school),
    ]
    await anEnrollment(school, ada, ended, { expiresAt: daysFromNow(-1) })
    await anEnrollment(school, ada, revoked, { revokedAt: daysFromNow(-1) })
    await anEnrollment(school, ada, forLife, { enrolledAt: daysFromNow(-40) })
    const found = await coursesOf(await aToken(world, school, ada))
    expect(found.map(({ id, hasLifetimeAccess }) => [id, hasLifetimeAccess])).toEqual([
      [ended.id, false],
      [forLife.id, true],
    ])
    expect(found[0]?.sections[0]?.lectures[0]?.isLocked).toBe(true)
    expect(found[1]).toMatchObject({ expireDate: null, lastWatchedLecture: null })
  })

  test('a changed curriculum is shown at once, although outlines are cached', async () => {
    const ada = await world.aMember(school)
    const course = await aCourse(school, [[{ title: 'Before' }, {}]])
    await anEnrollment(school, ada, course)
    const token = await aToken(world, school, ada)
    const titles = async () =>
      (await coursesOf(token))[0]?.sections.flatMap(({ title, lectures }) => [
        title,
        ...lectures.map((lecture) => lecture.title),
      ])
    expect(await titles()).toEqual(['Section 0', 'Before', 'Lecture 0.1'])
    const [first = '', second = ''] = course.lectures[0] ?? []
    await school.db.update('lectures').set({ title: 'After' }).where('id', '=', first).execute()
    expect(await titles()).toEqual(['Section 0', 'After', 'Lecture 0.1'])
    await school.db.delete('lectures').where('id', '=', second).execute()
    await school.db
      .update('sections')
      .set({ title: 'Renamed' })
      .where('course_id', '=', course.id)
      .execute()
    expect(await titles()).toEqual(['Renamed', 'After'])
  })
})

describe('the other entitlements', () => {
  verifies(
    ['viewer.digital-products', 'viewer.event-registrations'],
    'revoked products and canceled registrations are not listed',
    async () => {
      const ada = await world.aMember(school)
      const kept = await aProductOf(school, ada)
      await aProductOf(school, ada, { revokedAt: new Date() })
      const place = await aRegistration(school, ada, { eventState: 'canceled' })
      await aRegistration(school, ada, { state: 'canceled' })
      const { viewer } = await read<{ viewer: unknown }>(
        world,
        school,
        await aToken(world, school, ada),
        `{ viewer {
          digitalProducts { totalCount nodes { id slug title description } }
          eventRegistrations { totalCount nodes { id state event { id state location onlineUrl } } }
        } }`,
      )
      expect(viewer).toEqual({
        digitalProducts: {
          totalCount: 1,
          nodes: [{ ...kept, title: 'A product', description: '' }],
        },
        eventRegistrations: {
          totalCount: 1,
          nodes: [
            {
              id: place.id,
              state: 'registered',
              event: { id: place.eventId, state: 'canceled', location: '', onlineUrl: null },
            },
          ],
        },
      })
    },
  )
})

verifies(
  [
    'viewer.id',
    'viewer.name',
    'viewer.email',
    'viewer.avatar',
    'viewer.schools',
    'viewer.schools.roles',
    'viewer.school.fields',
    'viewer.plain-lists',
  ],
  'the viewer is the person who authorized, with every school where they have a role',
  async () => {
    const ada = await world.aMember(school, ['lecturer', 'student'])
    const [other, left] = [await world.aSchool(), await world.aSchool()]
    await world.aMember(other, ['admin'], ada)
    await world.aMember(left, [], ada)
    const { viewer } = await read<{ viewer: { schools: { id: string }[] } }>(
      world,
      school,
      await aToken(world, school, ada),
      '{ viewer { id name email avatar schools { id name subdomain url roles } } }',
    )
    expect(viewer).toMatchObject({
      id: ada.id,
      name: ada.name,
      email: ada.email,
      avatar: `${school.origin}/assets/mark.svg`,
    })
    const described = ({ id, subdomain, origin }: typeof school, roles: string[]) => ({
      id,
      name: `School ${subdomain}`,
      subdomain,
      url: origin,
      roles,
    })
    expect(viewer.schools).toHaveLength(2)
    expect(viewer.schools).toContainEqual(described(school, ['lecturer', 'student']))
    expect(viewer.schools).toContainEqual(described(other, ['admin']))
  },
)
