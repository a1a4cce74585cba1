import { getIntrospectionQuery } from 'graphql/index.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { aPayment } from '../support/billing.ts'
import { aMeeting, aService, aStudyGroup } from '../support/consulting.ts'
import { aNotification } from '../support/inbox.ts'
import {
  aCourse,
  anEnrollment,
  aProductOf,
  aRegistration,
  someProgress,
  type TestCourse,
} from '../support/learning.ts'
import { ask, aToken, read } from '../support/member-api.ts'
import { aWorld, type TestPerson, type TestSchool } from '../support/world.ts'

/**
 * Ada and Ben are members of the same two schools. Each of the four memberships has one of every
 * object, whose texts name the person and the school. Course, section, lecture and notification ids
 * are the same at both schools, because ids are unique only within a school.
 */
const world = await aWorld()
const [here, there] = [await world.aSchool(), await world.aSchool()]
const [ada, ben] = [await world.aPerson(), await world.aPerson()]
const COURSE_ID = '0190c0de-0000-7000-8000-00000000c001'
const NOTIFICATION_ID = '0190c0de-0000-7000-8000-00000000a001'
let token = ''

async function addData(
  school: TestSchool,
  person: TestPerson,
  mark: string,
  options: { courseId?: string; notificationId?: string },
): Promise<TestCourse> {
  const course = await aCourse(school, [[{ title: `lecture ${mark}` }]], {
    title: `course ${mark}`,
    ...(options.courseId === undefined ? {} : { id: options.courseId }),
  })
  await anEnrollment(school, person, course)
  const service = await aService(school, [course], { title: `service ${mark}` })
  await aMeeting(school, { service, seats: [person], title: `seat ${mark}` })
  const group = await aStudyGroup(school, [person])
  await aMeeting(school, { group, title: `class ${mark}` })
  await aPayment(school, person, {
    lines: [{ title: `line ${mark}`, amount: 1 }],
    coupon: { code: `coupon ${mark}`, off: 1 },
    invoice: `invoice ${mark}`,
    refund: { state: 'requested' },
  })
  await aProductOf(school, person, { title: `product ${mark}` })
  await aRegistration(school, person)
  await aNotification(school, person, {
    title: `notification ${mark}`,
    ...(options.notificationId === undefined ? {} : { id: options.notificationId }),
  })
  await school.db
    .insert('notification_subscriptions', {
      user_id: person.id,
      topic: `topic_${mark.replaceAll('-', '_')}`,
      channel: 'email',
      enabled: false,
    })
    .execute()
  return course
}

beforeAll(async () => {
  for (const school of [here, there]) {
    for (const person of [ada, ben]) await world.aMember(school, ['student'], person)
  }
  const mine = await addData(here, ada, 'ada-here', {
    courseId: COURSE_ID,
    notificationId: NOTIFICATION_ID,
  })
  const theirs = await addData(there, ben, 'ben-there', {
    courseId: COURSE_ID,
    notificationId: NOTIFICATION_ID,
  })
  await addData(here, ben, 'ben-here', {})
  await addData(there, ada, 'ada-there', {})
  // Ben has more progress in Ada's course here, and Ada in Ben's course at the other school.
  await anEnrollment(here, ben, mine)
  await anEnrollment(there, ada, theirs)
  await someProgress(here, ben, mine, mine.lectures[0]?.[0] ?? '', 'completed')
  await someProgress(there, ada, theirs, theirs.lectures[0]?.[0] ?? '', 'completed')
  token = await aToken(world, here, ada)
})

interface TypeRef {
  readonly kind: string
  readonly name: string | null
  readonly ofType: TypeRef | null
}
interface Introspection {
  readonly __schema: {
    readonly types: readonly {
      readonly name: string
      readonly kind: string
      readonly fields: readonly { readonly name: string; readonly type: TypeRef }[] | null
    }[]
  }
}

/** A selection of every field of the schema, so that this test cannot forget one. */
function everything(schema: Introspection, typeName: string): string {
  const type = schema.__schema.types.find(({ name }) => name === typeName)
  const fields = (type?.fields ?? []).map(({ name, type: ref }) => {
    const below = everything(schema, namedType(ref))
    return below === '' ? name : `${name} ${below}`
  })
  return fields.length === 0 ? '' : `{ ${fields.join(' ')} }`
}

function namedType(ref: TypeRef): string {
  return ref.ofType === null ? (ref.name ?? '') : namedType(ref.ofType)
}

describe('no field shows data of another member or another school', () => {
  verifies(
    ['viewer.own-data-only', 'meeting.never-others'],
    'Ada reads every field of the schema in one request',
    async () => {
      const schema = await read<Introspection>(world, here, token, getIntrospectionQuery())
      const query = `{ viewer ${everything(schema, 'Viewer')} }`
      // First interpreted, then compiled, with the cached course outlines.
      for (let i = 0; i < 3; i++) {
        const text = JSON.stringify(await read(world, here, token, query))
        for (const kind of [
          'course',
          'lecture',
          'service',
          'seat',
          'class',
          'line',
          'coupon',
          'invoice',
          'product',
          'notification',
        ]) {
          expect(text).toContain(`${kind} ada-here`)
        }
        expect(text).toContain('topic_ada_here')
        for (const mark of [
          'ben-here',
          'ada-there',
          'ben-there',
          'ben_here',
          'a_there',
          'n_there',
        ]) {
          expect(text).not.toContain(mark)
        }
        expect(text).not.toContain(ben.id)
        expect(text).not.toContain(ben.email)
        expect(text).not.toContain('"completed"')
      }
    },
  )

  test('totals count only the viewer’s rows at this school', async () => {
    const lists = [
      ['enrolledCourses', 1],
      ['digitalProducts', 1],
      ['eventRegistrations', 1],
      ['consultingServices', 1],
      ['consultingMeetings', 2],
      ['payments', 1],
      ['notifications', 1],
    ] as const
    for (const [list, total] of lists) {
      const { viewer } = await read<{ viewer: Record<string, { totalCount: number }> }>(
        world,
        here,
        token,
        `{ viewer { ${list} { totalCount } } }`,
      )
      expect(viewer[list]?.totalCount).toBe(total)
    }
  })

  test('a cursor of another member gives a page of the viewer’s own rows', async () => {
    const his = await aToken(world, here, ben)
    const { viewer } = await read<{ viewer: { payments: { pageInfo: { startCursor: string } } } }>(
      world,
      here,
      his,
      '{ viewer { payments { pageInfo { startCursor } } } }',
    )
    const { data } = await ask(
      world,
      here,
      token,
      `{ viewer { payments(before: "${viewer.payments.pageInfo.startCursor}") { nodes { lineitems { title } } } } }`,
    )
    expect(JSON.stringify(data)).not.toContain('ben-here')
  })

  test('marking an id that two schools use marks the notification of this school', async () => {
    const query = `mutation { markNotificationRead(id: "${NOTIFICATION_ID}") {
      notification { title } } }`
    const { data } = await ask(world, here, token, query)
    expect(data).toEqual({
      markNotificationRead: { notification: { title: 'notification ada-here' } },
    })
    const unread = await there.db
      .from('notifications')
      .select('read_at')
      .where('id', '=', NOTIFICATION_ID)
      .executeTakeFirstOrThrow()
    expect(unread.read_at).toBeNull()
  })

  test('marking all and subscribing affect only this school and this member', async () => {
    await ask(world, here, token, 'mutation { markAllNotificationsRead { markedCount } }')
    await ask(
      world,
      here,
      token,
      'mutation { updateNotificationSubscription(topic: "payments", channel: email, enabled: false) { subscription { topic } } }',
    )
    const rows = await world.database.db
      .selectFrom('notification_subscriptions')
      .select(['school_id', 'user_id'])
      .where('topic', '=', 'payments')
      .execute()
    expect(rows).toEqual([{ school_id: here.id, user_id: ada.id }])
    const unread = await world.database.db
      .selectFrom('notifications')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where('read_at', 'is', null)
      .executeTakeFirstOrThrow()
    expect(unread.n).toBe(3)
  })
})
