import { coursesOf, FULL_PAGE, PERSON, peopleOf, type SchoolSize, someOf } from '../school-size.ts'
import { commerceRows } from './commerce-rows.ts'
import { learningRows } from './learning-rows.ts'
import { otherRows } from './other-rows.ts'
import { peopleRows } from './people-rows.ts'
import { each, rowTexts } from './row-texts.ts'

/** Tables whose rows do not depend on how many rows another one has. */
const CATALOGUE: readonly string[] = [
  ...['clients', 'files', 'courses', 'sections', 'lectures', 'lecturers', 'course_lecturers'],
  ...['membership_plans', 'membership_plan_courses', 'digital_products', 'coupons'],
  ...['consulting_services', 'consulting_service_courses', 'consulting_slots'],
  ...['study_groups', 'study_group_members', 'events', 'forms', 'posts', 'pages'],
]

/** Meetings of a service, and classes of a group, as at the big school. */
const MEETINGS = 50
const CLASSES = 10
/** Redemptions of a coupon, as at the big school. */
const REDEMPTIONS = 20
/** Authorizations that the busy member gave each app, as at the big school. */
const BUSY_AUTHORIZATIONS = 10
const OLD = { courses: 5, some: 4 } as const

const tableOf = (statement: string): string => statement.split(' ', 3)[2] ?? ''

/** Numbers with a deferred key cannot be compared by any key. */
const unlessThere = (statement: string): string =>
  `${statement} on conflict ${['sections', 'lectures'].includes(tableOf(statement)) ? '(school_id, id) ' : ''}do nothing`

/**
 * At least a full page of everything that is listed, also of what is listed below a single object.
 */
export function pageRows(size: SchoolSize): readonly string[] {
  const { school, id, ago } = rowTexts(size)
  const [courses, some] = [coursesOf(size), someOf(size)]
  const catalogue = [peopleRows, learningRows, commerceRows, otherRows]
    .flatMap((rows) => rows(size))
    .filter((statement) => CATALOGUE.includes(tableOf(statement)))
  const newCourses = `generate_series(${OLD.courses + 1}, ${courses}) c`
  const newOnes = `generate_series(${OLD.some + 1}, ${some}) n`
  const people = each('p', FULL_PAGE)
  // Other people for each object, all of them students.
  const person = (n: string) => id('person', `${PERSON.student} + (${n} * 7 + p) % 600`)
  const added = (kind: string, n: string) => id(`added ${kind}`, `${n} * 1000 + p`)
  const at = ago('p', FULL_PAGE)
  const hours = (count: string) => `(date_trunc('hour', now()) + interval '1 hour' * (${count}))`
  const everybody = each('p', peopleOf(size))
  const long = ago('p', peopleOf(size))
  return [
    ...catalogue,
    // A page of each state, older than the others.
    `insert into courses (school_id, id, slug, title, state, price_amount, currency, published_at, archived_at, created_at)
     select ${school}, ${id('added course', 'p')}, 'added-' || p, 'Unlisted ' || p, t.state, 1000, 'USD',
       case t.state when 'archived' then now() end, case t.state when 'archived' then now() end, now() - interval '3 years'
     from ${people}, lateral (select case when p % 2 = 0 then 'draft' else 'archived' end as state) t`,
    `insert into comments (school_id, id, lecture_id, user_id, body, created_at, hidden_at)
     select ${school}, ${id('hidden comment', 'p')}, ${id('lecture', '101')}, ${person('1')}, 'Off topic ' || p,
       now() - interval '3 years', now() from ${people}`,
    // So many that those of people with a common name, or in a rare state, fill a page: in the last
    // event, which the list has first, also in a database that was filled when another one was the
    // last.
    `insert into event_registrations (school_id, id, event_id, user_id, state, registered_at, canceled_at)
     select ${school}, ${id(`crowd ${some}`, 'p')}, ${id('event', String(some))}, ${id('person', 'p')},
       case when p % 12 = 0 then 'canceled' when p % 12 = 1 then 'attended' else 'registered' end, ${long},
       case when p % 12 = 0 then now() end from ${everybody}`,
    `insert into notifications (school_id, id, user_id, kind, title, body, created_at)
     select ${school}, ${id('added notification', 'p')}, ${id('person', 'p')}, 'announcement', 'News ' || p,
       'There is something new.', ${long} from ${everybody}`,
    `insert into course_lecturers (school_id, course_id, user_id)
     select ${school}, ${id('course', 'c')}, l.user_id from ${each('c', courses)}, (
       select l.user_id from lecturers l join users u on u.id = l.user_id where l.school_id = ${school}
       order by u.name collate "C", l.user_id limit 1) l`,
    `insert into authorizations (id, school_id, client_id, user_id, audience, scopes, resource, created_at, last_used_at)
     select ${id('busy authorization', 'n')}, ${school}, 'app' || 1 + n % ${some}, ${id('person', PERSON.busy)}, 'member',
       '{openid}', 'http://${size.host}', ${ago('n', some * BUSY_AUTHORIZATIONS)}, now() - interval '1 hour'
     from generate_series(2, ${some * BUSY_AUTHORIZATIONS}) n`,
    `insert into notifications (school_id, id, user_id, kind, title, body, created_at)
     select ${school}, ${id('busy notification', 'n')}, ${id('person', PERSON.busy)}, 'announcement', 'News ' || n,
       'There is something new.', ${ago('n', FULL_PAGE)} from generate_series(21, ${FULL_PAGE}) n`,
    `insert into enrollments (school_id, id, course_id, user_id, source, enrolled_at, created_at)
     select ${school}, ${added('enrollment', 'c')}, ${id('course', 'c')}, ${person('c')}, 'grant', ${at}, ${at} from ${newCourses}, ${people}`,
    `insert into comments (school_id, id, lecture_id, user_id, body, created_at)
     select ${school}, ${added('comment', 'c')}, ${id('lecture', 'c * 100 + 1 + (c - 1) % 4')}, ${person('c')},
       'I have a question about part ' || p, ${at} from ${newCourses}, ${people}`,
    `insert into coupon_redemptions (school_id, id, coupon_id, order_id, user_id, redeemed_at)
     select ${school}, ${added('redemption', 'c')}, ${id('coupon', 'c')}, ${id('order', `(c - 1) * ${REDEMPTIONS} + p`)},
       ${id('person', `((c - 1) * ${REDEMPTIONS} + p - 1) / 2 + 1`)}, ${at} from ${newCourses}, ${each('p', REDEMPTIONS)}`,
    `insert into subscriptions (school_id, id, plan_id, user_id, state, started_at, current_period_starts_at, current_period_ends_at, created_at)
     select ${school}, ${added('subscription', 'n')}, ${id('plan', 'n')}, ${person('n')}, 'active', ${at}, now() - interval '10 days',
       now() + interval '20 days', ${at} from ${newOnes}, ${people}`,
    `insert into digital_product_accesses (school_id, id, product_id, user_id, granted_at)
     select ${school}, ${added('access', 'n')}, ${id('product', 'n')}, ${person('n')}, ${at} from ${newOnes}, ${people}`,
    `insert into event_registrations (school_id, id, event_id, user_id, state, registered_at, canceled_at)
     select ${school}, ${added('registration', 'n')}, ${id('event', 'n')}, ${person('n')},
       case when p % 12 = 0 then 'canceled' when p % 12 = 1 then 'attended' else 'registered' end, ${at},
       case when p % 12 = 0 then now() end from ${newOnes}, ${people}`,
    `insert into form_submissions (school_id, id, form_id, user_id, answers, submitted_at)
     select ${school}, ${added('submission', 'n')}, ${id('form', 'n')}, ${person('n')}, '{"answer":"yes"}', ${at} from ${newOnes}, ${people}`,
    `insert into study_group_members (school_id, group_id, user_id, joined_at)
     select ${school}, ${id('group', 1)}, ${id('person', 'p')}, ${at} from ${people}`,
    // Half of the meetings of the busy member are ahead.
    `insert into consulting_meetings (school_id, id, service_id, title, state, starts_at, ends_at)
     select ${school}, ${id('meeting', 'n')}, ${id('service', `1 + n % ${some}`)}, 'Meeting ' || n, 'scheduled', t.at, t.at + interval '30 minutes'
     from ${each('n', some * MEETINGS)}, lateral (
       select ${hours(`n - case when n <= ${FULL_PAGE} then ${FULL_PAGE / 2} else ${(some * MEETINGS) / 2} end`)} as at) t`,
    `insert into consulting_meetings (school_id, id, study_group_id, title, state, starts_at, ends_at)
     select ${school}, ${id('class', 'n')}, ${id('group', `1 + n % ${some}`)}, 'Class ' || n, 'available', t.at, t.at + interval '50 minutes'
     from ${each('n', some * CLASSES)}, lateral (select ${hours(`6 * (n - ${(some * CLASSES) / 2})`)} as at) t`,
    `insert into meeting_seats (school_id, meeting_id, user_id)
     select ${school}, ${id('meeting', 'p')}, ${id('person', PERSON.busy)} from ${people}
     union all select ${school}, ${id('meeting', 'n')}, ${id('person', `${PERSON.student} + n % 600`)} from ${each('n', some * MEETINGS)}`,
  ].map(unlessThere)
}

/** Rows of the small school that only some filters find, as many as fill a page. */
export function filteredRows(size: SchoolSize): readonly string[] {
  const { school, id } = rowTexts(size)
  return [
    `update school_members set roles = '{lecturer,student}'
     where school_id = ${school} and roles = '{student}'
       and user_id in (select ${id('person', 'n')} from generate_series(100, ${99 + someOf(size)}) n)`,
    `update payments set expires_at = now() + interval '1 day' where school_id = ${school} and id in (
       select id from payments where school_id = ${school} and state = 'pending' order by id limit ${FULL_PAGE})
       and expires_at not between now() and now() + interval '2 days'`,
  ]
}

/** Dead and unused rows of both schools, which the purge of an earlier run has removed. */
export const purgedRows = (size: SchoolSize): readonly string[] =>
  [
    ...peopleRows(size).filter((statement) =>
      ['authorizations', 'token_pairs'].includes(tableOf(statement)),
    ),
    livePairs(size),
  ].map(unlessThere)

/** Every authorization of the busy member can be used, so that the page of apps shows it. */
function livePairs(size: SchoolSize): string {
  const { school, id } = rowTexts(size)
  return `insert into token_pairs (id, authorization_id, bound_school_id, scopes, access_hash, refresh_hash, issued_at,
       access_expires_at, refresh_expires_at, first_used_at)
     select gen_random_uuid(), a.id, ${school}, a.scopes, sha256(a.id::text::bytea), sha256(a.id::text::bytea), now(), now(),
       now() + interval '900 days', now()
     from authorizations a where a.school_id = ${school} and a.user_id = ${id('person', PERSON.busy)} and a.revoked_at is null
       and not exists (select from token_pairs p where p.authorization_id = a.id)`
}

/**
 * Parents that carry how many rows they have: table, column, table of the rows, their column, which
 * rows count.
 */
const COUNTED = [
  ['events', 'registration_count', 'event_registrations', 'event_id', `state <> 'canceled'`],
  [
    'membership_plans',
    'active_subscription_count',
    'subscriptions',
    'plan_id',
    `state <> 'canceled'`,
  ],
  [
    'digital_products',
    'owner_count',
    'digital_product_accesses',
    'product_id',
    'revoked_at is null',
  ],
  ['forms', 'submission_count', 'form_submissions', 'form_id', 'true'],
  ['coupons', 'redemption_count', 'coupon_redemptions', 'coupon_id', 'true'],
  ['study_groups', 'member_count', 'study_group_members', 'group_id', 'true'],
] as const

/** What triggers keep; the rows were loaded without them. */
export const FILLED_IN: readonly string[] = [
  `update meeting_seats s set starts_at = m.starts_at from consulting_meetings m
   where m.school_id = s.school_id and m.id = s.meeting_id and s.starts_at is null`,
  ...COUNTED.map(
    ([parents, column, rows, by, counted]) =>
      `update ${parents} p set ${column} = d.many
       from (select school_id, ${by} as id, count(*) as many from ${rows} where ${counted} group by school_id, ${by}) d
       where p.school_id = d.school_id and p.id = d.id and p.${column} <> d.many`,
  ),
]
