import { coursesOf, PERSON, peopleOf, type SchoolSize, someOf } from '../school-size.ts'
import { each, rowTexts } from './row-texts.ts'

/** Consulting, events, forms, articles. */
export function otherRows(size: SchoolSize): readonly string[] {
  const { school, id, ago } = rowTexts(size)
  const people = peopleOf(size)
  const courses = coursesOf(size)
  const some = someOf(size)
  const roster = size.thousands * 50
  const seats = size.thousands * 5
  const registrations = size.thousands * 200
  const answers = size.thousands * 50
  return [
    `insert into consulting_services (school_id, id, title, description, host_id, state, created_at)
     select ${school}, ${id('service', 'n')}, 'Talk about course ' || n, 'Half an hour.', ${id('person', PERSON.lecturer)},
       case when n % 10 = 9 then 'paused' else 'offered' end, ${ago('n', some)} from ${each('n', some)}`,
    `insert into consulting_service_courses (school_id, service_id, course_id)
     select ${school}, ${id('service', 'n')}, ${id('course', `1 + n % ${courses}`)} from ${each('n', some)}`,
    `insert into consulting_slots (school_id, id, service_id, weekday, starts_at, duration_minutes, time_zone, capacity)
     select ${school}, ${id('slot', 'n * 10 + d')}, ${id('service', 'n')}, d, '09:00', 30, 'Asia/Taipei', 3
     from ${each('n', some)}, generate_series(1, 3) d`,
    `insert into study_groups (school_id, id, name, course_id, created_at)
     select ${school}, ${id('group', 'n')}, 'Group ' || n, ${id('course', `1 + n % ${courses}`)}, ${ago('n', some)} from ${each('n', some)}`,
    `insert into study_group_members (school_id, group_id, user_id, joined_at)
     select ${school}, ${id('group', 1)}, ${id('person', 'n')}, ${ago('n', roster)} from ${each('n', roster)}
     union all select ${school}, ${id('group', 'n')}, ${id('person', `(n * 31 + k) % ${people} + 1`)}, now()
     from generate_series(2, ${some}) n, generate_series(1, 10) k`,
    // Half of the meetings of the busy member are ahead.
    `insert into consulting_meetings (school_id, id, service_id, title, state, starts_at, ends_at)
     select ${school}, ${id('meeting', 'n')}, ${id('service', `1 + n % ${some}`)}, 'Meeting ' || n, 'scheduled', t.at, t.at + interval '30 minutes'
     from ${each('n', seats)}, lateral (select (date_trunc('hour', now()) + interval '1 hour' * (n - ${seats} / 2))::timestamptz(3) as at) t`,
    `insert into consulting_meetings (school_id, id, study_group_id, title, state, starts_at, ends_at)
     select ${school}, ${id('class', 'n')}, ${id('group', `1 + n % ${some}`)}, 'Class ' || n, 'available', t.at, t.at + interval '50 minutes'
     from ${each('n', size.thousands)}, lateral (select (date_trunc('hour', now()) + interval '6 hours' * (n - ${size.thousands} / 2))::timestamptz(3) as at) t`,
    `insert into meeting_seats (school_id, meeting_id, user_id)
     select ${school}, ${id('meeting', 'n')}, ${id('person', PERSON.busy)} from ${each('n', seats)}
     union all select ${school}, ${id('meeting', 'n')}, ${id('person', `400 + n % ${people - 400}`)} from ${each('n', seats)}`,
    `insert into events (school_id, id, slug, title, state, starts_at, ends_at, capacity, currency, created_at)
     select ${school}, ${id('event', 'n')}, 'event-' || n, 'Open day ' || n, 'published', t.at, t.at + interval '2 hours', 1000000, 'USD', ${ago('n', some)}
     from ${each('n', some)}, lateral (select (date_trunc('hour', now()) + interval '7 days' * (n - ${some} / 2))::timestamptz(3) as at) t`,
    `insert into event_registrations (school_id, id, event_id, user_id, state, registered_at, canceled_at)
     select ${school}, ${id('registration', 'n')}, ${id('event', `1 + n % ${some}`)}, ${id('person', 'n')},
       case when n % 12 = 0 then 'canceled' when n % 12 = 1 then 'attended' else 'registered' end, ${ago('n', registrations)},
       case when n % 12 = 0 then now() end from ${each('n', registrations)}`,
    `insert into forms (school_id, id, slug, title, fields, created_at)
     select ${school}, ${id('form', 'n')}, 'form-' || n, 'Questions ' || n,
       '[{"name":"answer","label":"Answer","kind":"text","required":false}]', ${ago('n', some)} from ${each('n', some)}`,
    `insert into form_submissions (school_id, id, form_id, user_id, answers, submitted_at)
     select ${school}, ${id('submission', 'n')}, ${id('form', `1 + n % ${some}`)}, ${id('person', 'n')}, '{"answer":"yes"}', ${ago('n', answers)}
     from ${each('n', answers)}`,
    `insert into posts (school_id, id, slug, title, body, state, author_id, published_at, created_at)
     select ${school}, ${id('post', 'n')}, 'post-' || n, 'Article ' || n, 'What happened in week ' || n || '.', 'published',
       ${id('person', PERSON.lecturer)}, ${ago('n', courses)}, ${ago('n', courses)} from ${each('n', courses)}`,
    `insert into pages (school_id, id, slug, title, body, state, position, published_at, created_at)
     select ${school}, ${id('page', 'n')}, 'page-' || n, 'Page ' || n, 'About part ' || n || '.', 'published', n, now(), ${ago('n', some)}
     from ${each('n', some)}`,
  ]
}
