import { paymentReminders } from '../commerce/payment-reminders.ts'
import { meetingReminders } from '../consulting/meeting-reminders.ts'
import { eventReminders } from '../events/event-reminders.ts'
import { courseReminders } from '../learning/course-reminders.ts'
import type { Reminder } from '../notifications/reminders.ts'

/** What members are told because a time has come. */
export const REMINDERS: readonly Reminder[] = [
  ...paymentReminders,
  ...courseReminders,
  ...eventReminders,
  ...meetingReminders,
]
