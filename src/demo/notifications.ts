import type { MemberStory, NotificationSketch } from './content/school-content.ts'
import { personId } from './people.ts'
import { idAt, type Stage } from './stage.ts'

const TOPICS = ['announcements', 'comments', 'courses', 'events', 'meetings', 'payments']
const CHANNELS = ['email', 'in_app'] as const

export function addNotifications(
  stage: Stage,
  who: string,
  notifications: readonly NotificationSketch[],
): void {
  const { schoolId, clock, rows } = stage
  for (const [i, { kind, title, body, url, hoursAgo, unread }] of notifications.entries()) {
    rows.add('notifications', {
      school_id: schoolId,
      id: idAt(stage, 'notification', `${who}/${i}`),
      user_id: personId(who),
      kind,
      title,
      body,
      url: url ?? null,
      created_at: clock.hours(-hoursAgo),
      read_at: unread === true ? null : clock.hours(1 - hoursAgo),
    })
  }
}

export function addNotificationSubscriptions(
  { schoolId, clock, rows }: Stage,
  { who, muted = [] }: MemberStory,
): void {
  for (const topic of TOPICS) {
    for (const channel of CHANNELS) {
      rows.add('notification_subscriptions', {
        school_id: schoolId,
        user_id: personId(who),
        topic,
        channel,
        enabled: !muted.some(([t, c]) => t === topic && c === channel),
        updated_at: clock.at(-30),
      })
    }
  }
}
