import type { RegistrationSketch } from './content/school-content.ts'
import { personId } from './people.ts'
import { idAt, minorUnits, type Stage } from './stage.ts'

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
