import type {
  MemberStory,
  NotificationSketch,
  RegistrationSketch,
} from './content/school-content.ts'
import { personId } from './people.ts'
import { idAt, minorUnits, type Stage } from './stage.ts'

/** Posts, pages and forms with the answers sent to them. */
export function addPublications(stage: Stage): void {
  addArticles(stage)
  addForms(stage)
}

function addArticles(stage: Stage): void {
  const { school, schoolId, clock, rows } = stage
  for (const { slug, title, body, daysAgo, draft = false } of school.posts) {
    rows.add('posts', {
      school_id: schoolId,
      id: idAt(stage, 'post', slug),
      slug,
      title,
      body,
      state: draft ? 'draft' : 'published',
      author_id: personId('owner'),
      published_at: draft ? null : clock.at(-daysAgo, '04:00'),
      created_at: clock.at(-daysAgo, '02:00'),
    })
  }
  for (const [position, { slug, title, body, daysAgo, draft = false }] of school.pages.entries()) {
    rows.add('pages', {
      school_id: schoolId,
      id: idAt(stage, 'page', slug),
      slug,
      title,
      body,
      state: draft ? 'draft' : 'published',
      position,
      published_at: draft ? null : clock.at(-daysAgo, '04:00'),
      created_at: clock.at(-daysAgo, '02:00'),
    })
  }
}

function addForms(stage: Stage): void {
  const { school, schoolId, clock, rows } = stage
  for (const [i, { slug, title, state, fields, answers }] of school.forms.entries()) {
    const form_id = idAt(stage, 'form', slug)
    rows.add('forms', {
      school_id: schoolId,
      id: form_id,
      slug,
      title,
      fields: JSON.stringify(fields),
      state,
      created_at: clock.at(-260 + i),
    })
    for (const [a, { by, daysAgo, values }] of answers.entries()) {
      rows.add('form_submissions', {
        school_id: schoolId,
        id: idAt(stage, 'submission', `${slug}/${a}`),
        form_id,
        user_id: by === undefined ? null : personId(by),
        answers: JSON.stringify(values),
        submitted_at: clock.at(-daysAgo, '08:20'),
      })
    }
  }
}

const HOUR = 3_600_000

export function addEvents(stage: Stage): void {
  const { school, schoolId, clock, rows } = stage
  for (const [i, event] of school.events.entries()) {
    const starts_at = clock.at(event.inDays, event.time)
    rows.add('events', {
      school_id: schoolId,
      id: idAt(stage, 'event', event.slug),
      slug: event.slug,
      title: event.title,
      description: event.description,
      state: event.state ?? 'published',
      starts_at,
      ends_at: new Date(starts_at.getTime() + event.hours * HOUR),
      location: event.location ?? '',
      online_url: event.online === true ? `https://rooms.${school.key}.test/${event.slug}` : null,
      capacity: event.capacity ?? null,
      price_amount: minorUnits(event.price),
      currency: school.currency,
      created_at: clock.at(-90 + i),
    })
    for (const who of event.attendees ?? []) {
      addRegistrations(stage, who, [{ event: event.slug, daysAgo: 25 }])
    }
  }
}

export function addRegistrations(
  stage: Stage,
  who: string,
  registrations: readonly RegistrationSketch[],
): void {
  const { schoolId, clock, rows } = stage
  for (const { event, daysAgo, state = 'registered' } of registrations) {
    rows.add('event_registrations', {
      school_id: schoolId,
      id: idAt(stage, 'registration', `${who}/${event}`),
      event_id: idAt(stage, 'event', event),
      user_id: personId(who),
      state,
      registered_at: clock.at(-daysAgo, '06:30'),
      canceled_at: state === 'canceled' ? clock.at(-Math.ceil(daysAgo / 2), '07:30') : null,
    })
  }
}

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
