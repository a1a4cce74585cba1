import { expect, test } from 'vitest'
import { aNotification } from '../../support/inbox.ts'
import { aToken, read } from '../../support/member-api.ts'
import { giveEverything } from '../../support/member-with-everything.ts'
import { wholeReads } from '../../support/plans.ts'
import { aWorld } from '../../support/world.ts'

const world = await aWorld()
const school = await world.aSchool()
const ada = await world.aMember(school)
// Two of each: one page of one leads to another.
await giveEverything(school, ada, 2)
const noted = await aNotification(school, ada)
const token = await aToken(world, school, ada)

const { connection, statementsOf } = world.database
const ask = <T = object>(query: string) => read<T>(world, school, token, query)

const CONNECTIONS = {
  enrolledCourses: `slug detailProgress { percent } lastWatchedLecture { lectureId }
    sections { lectures { state isLocked } }`,
  digitalProducts: 'title',
  eventRegistrations: 'state event { title }',
  consultingServices: 'slots { weekday } meetings { state }',
  consultingMeetings: 'title attendeesCount roomUrl',
  payments: 'tradeNo invoice { number } lineitems { title } adjustments { label }',
  notifications: 'title',
}

interface Page {
  readonly viewer: Record<string, { readonly pageInfo: Record<string, string> }>
}

/** Four pages: the first and the one after it, the last and the one before it. */
async function leafThrough(name: string, fields: string): Promise<void> {
  const asked = async (range: string) => {
    const pageInfo = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }'
    const total = name === 'payments' ? 'totalCount' : ''
    const { viewer } = await ask<Page>(
      `{ viewer { ${name}(${range}) { nodes { ${fields} } ${pageInfo} ${total} } } }`,
    )
    return viewer[name]?.pageInfo ?? {}
  }
  const { endCursor } = await asked('first: 1')
  await asked(`first: 1, after: "${endCursor}"`)
  const { startCursor } = await asked('last: 1')
  await asked(`last: 1, before: "${startCursor}"`)
}

test('no connection of the Member API reads a whole table, leafed through either way', async () => {
  const statements = await statementsOf(async () => {
    for (const [name, fields] of Object.entries(CONNECTIONS)) await leafThrough(name, fields)
    for (const filter of ['startedAfter: 1', 'startedBefore: 2000000000', 'state: [available]']) {
      await ask(`{ viewer { consultingMeetings(filter: { ${filter} }) { nodes { title } } } }`)
    }
  })
  expect(statements.length).toBeGreaterThan(50)
  expect(await wholeReads(connection, statements)).toEqual(new Map())
})

test('nothing else that the Member API reads or writes reads a whole table', async () => {
  const statements = await statementsOf(async () => {
    await ask(`{ viewer { id schools { id roles } unreadNotificationCount
      notificationSubscriptions { topic } } }`)
    await ask(`mutation { markNotificationRead(id: "${noted}") { __typename }
      markAllNotificationsRead { __typename }
      updateNotificationSubscription(topic: "courses", channel: email, enabled: false) { __typename } }`)
  })
  expect(statements.length).toBeGreaterThan(6)
  expect(await wholeReads(connection, statements)).toEqual(new Map())
})
