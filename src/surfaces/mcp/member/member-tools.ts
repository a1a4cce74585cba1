import type { Tool } from '../tool.ts'
import { myAccount } from './my-account.ts'
import { myCourse, myCourses } from './my-courses.ts'
import { myDigitalProducts, myEventRegistrations } from './my-entitlements.ts'
import {
  markAllNotificationsRead,
  markNotificationRead,
  myNotificationSubscriptions,
  myNotifications,
  updateNotificationSubscription,
} from './my-notifications.ts'
import { myPayments } from './my-payments.ts'
import { mySchedule } from './my-schedule.ts'

/** For people who are signed in as members: their own data, and the three things they may change. */
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
