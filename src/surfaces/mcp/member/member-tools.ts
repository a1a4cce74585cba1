import { z } from 'zod'
import { READS, scopedTool, type Tool } from '../tool.ts'
import { graphqlLink, linkTo } from './graphql-link.ts'
import { myCourse, myCourses } from './my-courses.ts'
import { myDigitalProducts, myEventRegistrations, mySchedule } from './my-entitlements.ts'
import {
  markAllNotificationsRead,
  markNotificationRead,
  myNotificationSubscriptions,
  myNotifications,
  updateNotificationSubscription,
} from './my-notifications.ts'
import { myPayments } from './my-payments.ts'

const myAccount = scopedTool({
  name: 'my_account',
  title: 'My account',
  description: 'Who is signed in: id, name, email, and their roles at this school. Reads only.',
  annotations: READS,
  scopes: ['account:read'],
  about: 'profile',
  input: z.strictObject({}),
  output: z.object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    roles: z.array(z.string()),
    graphql: graphqlLink,
  }),
  run: async ({ caller: { person, roles }, school }) => ({
    id: person.id,
    name: person.name,
    email: person.email,
    roles: [...roles],
    graphql: linkTo(school, '{ viewer { id name email schools { name roles } } }'),
  }),
})

/**
 * For people who are signed in as members: their own data, and the three things they may change.
 */
export const MEMBER_TOOLS: readonly Tool[] = [
  myAccount,
  myCourses,
  myCourse,
  mySchedule,
  myPayments,
  myDigitalProducts,
  myEventRegistrations,
  myNotifications,
  myNotificationSubscriptions,
  markNotificationRead,
  markAllNotificationsRead,
  updateNotificationSubscription,
]
