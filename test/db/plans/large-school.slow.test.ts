import { beforeAll, expect, test } from 'vitest'
import { recountFigures } from '../../../src/domain/analytics/figure-rounds.ts'
import { IN_CALENDAR } from '../../../src/domain/consulting/calendar-of-member.ts'
import { countOtherOwners } from '../../../src/domain/people/people-bulk.ts'
import { PLANNED_EACH_TIME } from '../../../src/foundation/db/contains-words.ts'
import type { ListPlan } from '../../../src/surfaces/pages/admin/crud/list-plan.ts'
import { RESOURCES } from '../../../src/surfaces/pages/admin/resources/all-resources.ts'
import { anOperator } from '../../support/admin-api.ts'
import { whenFileIsDone } from '../../support/clean-up.ts'
import { aService } from '../../support/consulting.ts'
import { fillSchool, PEOPLE } from '../../support/large-school.ts'
import { anOwner, signedIn, submit } from '../../support/operator-like.ts'
import { connect } from '../../support/postgres.ts'
import { rowsRead, rowsReadByKeptPlan } from '../../support/rows-read.ts'
import { aWorld } from '../../support/world.ts'

/** A page shows 25 rows and counts to 1,001. To read a whole table is to read at least `PEOPLE`. */
const MOST_READ = 0.9 * PEOPLE

const world = await aWorld()
const school = await world.aSchool()
const owner = await anOwner(world, school)
const operator = await anOperator(world, school)
const client = await connect(world.database.connection)
whenFileIsDone(() => client.end())
// What the planner chooses by itself for a million rows.
await client.query(
  'set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off',
)

/** As PostgreSQL plans by itself. */
const planner = await connect(world.database.connection)
whenFileIsDone(() => planner.end())

let sent: { readonly text: string; readonly values: readonly unknown[] }[] = []
world.database.onStatement((text, values) => sent.push({ text, values }))

beforeAll(() => fillSchool(world.database.connection, school.id))

function isPaged(text: string): boolean {
  return /^\s*\(?select\b/.test(text)
}

/** The statements of a page that read more than a page may, with what they read. */
async function wideReads(
  url: string,
  caller: Pick<typeof owner, 'get'> = owner,
): Promise<readonly string[]> {
  sent = []
  const answer = await caller.get(url)
  expect(answer.statusCode, url).toBe(200)
  return await wideAmongSent(url)
}

async function wideAmongSent(url: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const { text, values } of sent.filter(({ text }) => isPaged(text))) {
    const ways = [await rowsRead(client, text, values)]
    if (!text.trimEnd().endsWith(PLANNED_EACH_TIME)) {
      ways.push(await rowsReadByKeptPlan(planner, text, values))
    }
    const read = Math.max(...ways)
    if (read > MOST_READ) found.push(`${url} reads ${read} rows: ${text.replace(/\s+/g, ' ')}`)
  }
  return found
}

async function allWideReads(urls: readonly string[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const url of urls) found.push(...(await wideReads(url)))
  return found
}

const lists = RESOURCES.flatMap(({ path, list }) =>
  list === undefined ? [] : [{ url: `/admin/${path}`, list }],
)

function filtersOf({ filters }: ListPlan): readonly string[] {
  return filters.flatMap(({ name, rule, kind }) =>
    kind === 'time' ? [] : rule.values.map((value) => `${name}=${value}`),
  )
}

test('no order of a list reads a whole table', async () => {
  const urls = lists.flatMap(({ url, list }) => list.sorts.map(([sort]) => `${url}?sort=${sort}`))
  expect(urls.length).toBeGreaterThan(50)
  expect(await allWideReads(urls)).toEqual([])
})

test('no filter of a list reads a whole table, also if few rows match', async () => {
  const urls = lists.flatMap(({ url, list }) => filtersOf(list).map((query) => `${url}?${query}`))
  expect(urls.length).toBeGreaterThan(30)
  expect(await allWideReads(urls)).toEqual([])
})

test.each([
  'state=expired',
  'state=expired&sort=enrolled_at',
  'state=revoked',
  'enrolled_before=2024-01-01T01:00:00Z',
  'enrolled_after=2024-01-03T18:00:00Z&sort=enrolled_at',
  'include_total=true',
])('enrollments with %s read no whole table', async (query) => {
  const course = (await operator.get('/courses?limit=1&sort=created_at')).json().data[0].id
  for (const url of [`/enrollments?${query}`, `/enrollments?${query}&course_id=${course}`]) {
    expect(await wideReads(url, operator)).toEqual([])
  }
})

test.each([
  ['a rare word', 'quill'],
  ['a name that many people have', 'chen'],
  ['two Chinese letters', '木琴'],
  ['one letter that no text has', 'ƿ'],
  ['a number', '0000777'],
  ['what only the newest numbers begin with', 'ORD-000399'],
  ['letters among signs, of which no three stand together', 'Q+/ƿ'],
  ['signs alone', '§§'],
])('a search for %s reads no whole table', async (_, word) => {
  const searchable = lists.filter(({ list }) => 'search' in list.operation.input.shape)
  const query = `search=${encodeURIComponent(word)}`
  expect(await allWideReads(searchable.map(({ url }) => `${url}?${query}`))).toEqual([])
})

test('a search of payments for what every order number begins with finds the newest first', async () => {
  const page = await owner.get('/admin/payments?search=ORD-000')
  expect(page.statusCode).toBe(200)
  expect(page.body).toContain(`T${String(PEOPLE).padStart(9, '0')}`)
})

test('a search for what only the oldest numbers begin with finds all of them, the newest first', async () => {
  for (const [url, newest, older] of [
    ['/admin/payments', 'T000000099', 'T000000074'],
    ['/admin/orders', 'ORD-0000099', 'ORD-0000074'],
  ] as const) {
    sent = []
    const page = (await owner.get(`${url}?search=ORD-00000`)).body
    // The index has no trigram that only these numbers have, so finding them reads many; listing
    // them does not.
    const listing = sent.filter(({ text }) => /\bselect r\.\*/.test(text))
    expect(listing).not.toEqual([])
    for (const { text, values } of listing) {
      expect(await rowsRead(client, text, values)).toBeLessThan(1000)
    }
    expect(page).toContain(newest)
    expect(page).not.toContain(older)
    const next = /href="([^"]*after=[^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect((await owner.get(next.startsWith('/') ? next : `${url}${next}`)).body).toContain(older)
  }
})

test('a total is counted in the order of the list, so that an index of the school has the rows', async () => {
  sent = []
  await owner.get('/admin/payments')
  const counts = sent.filter(({ text }) => /^\s*select count\(\*\) as total/.test(text))
  expect(counts.map(({ text }) => /order by .* limit 1001\b/s.test(text))).toEqual([true])
})

test('students of a course are read in pages, each from where the one before ended', async () => {
  const course = (await operator.get('/courses?limit=1')).json().data[0].id
  await client.query(
    `insert into enrollments (school_id, id, course_id, user_id, source)
     select school_id, gen_random_uuid(), $2, user_id, 'grant' from school_members where school_id = $1 and 'student' = any (roles)`,
    [school.id, course],
  )
  await client.query('vacuum analyze enrollments')
  for (const sort of ['joined_at', '-joined_at']) {
    const first = `/students?enrolled_in=${course}&limit=100&sort=${sort}`
    const seen: string[] = []
    let url = first
    for (let next: string | null = ''; next !== null; url = `${first}&after=${next}`) {
      const page: { data: { id: string }[]; next: string | null } = (await operator.get(url)).json()
      seen.push(...page.data.map(({ id }) => id))
      next = page.next
      if (seen.length === PEOPLE - 1000) expect(await wideReads(url, operator)).toEqual([])
    }
    expect([seen.length, new Set(seen).size]).toEqual([PEOPLE, PEOPLE])
    expect(await wideReads(first, operator)).toEqual([])
  }
  const page = await operator.get(`/students?enrolled_in=${course}&limit=1&include_total=true`)
  const { next, total } = page.json()
  expect(total).toBe(1001)
  const second = `/students?enrolled_in=${course}&limit=1&include_total=true&after=${next}`
  expect((await operator.get(second)).json().total).toBe(1001)
  expect((await operator.get(`/students?limit=1&after=${next}`)).statusCode).toBe(400)
})

test('the subscriptions of a plan are read in pages', async () => {
  const [plan] = (await operator.get('/membership-plans?limit=1')).json().data
  const url = `/admin/plans/${plan.id}`
  expect(await allWideReads([url, `${url}/subscriptions`])).toEqual([])
})

test('the overview and the list of apps read kept figures, and count no further than a list', async () => {
  await recountFigures(school.db)
  expect(await allWideReads(['/admin', '/admin/clients', '/admin/clients/stop-all'])).toEqual([])
})

test('looking for another owner reads no student: before an owner leaves, and in an import', async () => {
  const leaving = await anOwner(world, school)
  sent = []
  const left = await submit(leaving, '/account/delete', '/account/delete')
  expect(left.statusCode).toBe(303)
  expect(sent.some(({ text }) => text.includes('for no key update of m'))).toBe(true)
  expect(await wideAmongSent('/account/delete')).toEqual([])
  sent = []
  expect(await school.db.transaction((tx) => countOtherOwners(tx, []))).toBeGreaterThan(1)
  expect(await wideAmongSent('an import of people')).toEqual([])
})

test.each(['quill', 'post', '木琴', 'ƿ'])(
  'a search of visitors for %s reads no whole table',
  async (word) => {
    expect(await wideReads(`/search?q=${encodeURIComponent(word)}`)).toEqual([])
  },
)

test('the published courses that visitors see are read in pages', async () => {
  expect(await allWideReads(['/', '/courses'])).toEqual([])
})

test('a roster is read in pages', async () => {
  const groups = await owner.get('/admin/study-groups')
  expect(groups.body).toContain(PEOPLE.toLocaleString('en'))
  const url = /href="(\/admin\/study-groups\/[^"/]{36})"/.exec(groups.body)?.[1] ?? ''
  expect(await allWideReads([url, `${url}/members`, `${url}/members?search=quill`])).toEqual([])
  expect((await owner.get(`${url}/members?search=quill`)).body).toContain('Zebedee Quill')
})

test('the attendees of a class are the roster of its group, read in pages', async () => {
  const classes = await owner.get('/admin/meetings?when=past&kind=study_group')
  const url = /href="(\/admin\/meetings\/[^"/]{36})"/.exec(classes.body)?.[1] ?? ''
  expect(await allWideReads([url, `${url}/attendees`, `${url}/attendees?search=quill`])).toEqual([])
  expect((await owner.get(`${url}/attendees?search=quill`)).body).toContain('Zebedee Quill')
})

test('one of very many bookings of a member, its file and their calendar read few rows', async () => {
  const person = await world.aMember(school)
  const service = await aService(school, [], { changesUntil: 0 })
  await client.query(
    `with made as (
       insert into consulting_meetings (school_id, id, service_id, title, starts_at, ends_at)
       select $1, gen_random_uuid(), $2, 'Hour ' || n, at, at + interval '1 hour'
       from generate_series(1, $4::int) n cross join lateral (select now() + (500 - n) * interval '1 hour' as at) t
       returning id)
     insert into meeting_seats (school_id, meeting_id, user_id) select $1, id, $3 from made`,
    [school.id, service, person.id, PEOPLE],
  )
  await client.query(
    `insert into study_group_members (school_id, group_id, user_id)
     select school_id, id, $2 from study_groups where school_id = $1`,
    [school.id, person.id],
  )
  await client.query('vacuum analyze consulting_meetings, meeting_seats, study_group_members')
  const visitor = await signedIn(world, school, person)
  const { body } = await visitor.get('/account/bookings')
  const url = /href="(\/account\/bookings\/[^"?]+)"/.exec(body)?.[1] ?? ''
  const made = await submit(visitor, '/account/calendar', '/account/calendar')
  const calendar = /(\/calendar\/[^<]+\.ics)/.exec(made.body)?.[1] ?? ''
  const file = url.replace('/bookings/', '/calendar/').concat('.ics')
  for (const path of [url, file, calendar]) {
    expect(await wideReads(path, visitor)).toEqual([])
  }
  expect((await visitor.get(calendar)).body.match(/BEGIN:VEVENT/g)).toHaveLength(IN_CALENDAR.most)
})

test('a lecturer of very many courses is listed with the first of them, not all', async () => {
  await client.query(
    `with profile as (
       insert into lecturers (school_id, user_id)
       select school_id, user_id from school_members where school_id = $1 limit 1 returning user_id),
     taught as (
       insert into courses (school_id, id, slug, title, currency)
       select $1, gen_random_uuid(), 'taught-' || n, 'Taught', 'TWD' from generate_series(1, $2::int) n returning id)
     insert into course_lecturers (school_id, course_id, user_id, position)
     select $1, taught.id, profile.user_id, 0 from taught, profile`,
    [school.id, PEOPLE],
  )
  await client.query('vacuum analyze course_lecturers, courses, lecturers')
  expect(await wideReads('/lecturers', operator)).toEqual([])
  // 1,001 to count, 100 to name: none is read again for another column of the answer.
  const statement = sent.find(({ text }) => text.includes('course_lecturers'))
  expect(await rowsRead(client, statement?.text ?? '', statement?.values ?? [])).toBeLessThan(1200)
  const [lecturer] = (await operator.get('/lecturers')).json().data
  expect(lecturer.course_ids).toHaveLength(100)
  expect(lecturer.course_ids).toEqual(lecturer.course_ids.toSorted())
  expect(lecturer.course_count).toBe(1001)
  const page = (await operator.get(`/courses?lecturer_id=${lecturer.id}&limit=100`)).json()
  expect([page.data.length, page.has_more]).toEqual([100, true])
})

test('a history of a few entries is found among many of the same person', async () => {
  const person = await world.aMember(school, ['owner'])
  await client.query(
    `insert into audit_entries (id, school_id, action, outcome, actor_user_id, subject, client_id)
     select gen_random_uuid(), $1, action, 'ok', $2::uuid, subject, 'an-app'
     from generate_series(1, $3::int) n,
       (values ('operation.done', null), ('token.refreshed', null), ('operation.done', $2::uuid::text), ('client.changed', null)) a (action, subject)`,
    [school.id, person.id, PEOPLE],
  )
  await client.query(
    `insert into audit_entries (id, school_id, action, outcome, actor_user_id, client_id)
     select gen_random_uuid(), $1, 'authorization.granted', 'ok', user_id, 'an-app' from school_members where school_id = $1`,
    [school.id],
  )
  await client.query('vacuum analyze audit_entries')
  const visitor = await signedIn(world, school, person)
  expect(await wideReads('/account/history', visitor)).toEqual([])
  expect((await visitor.get('/account/history')).body).toContain('You allowed')
})

test('a lecture with very many comments, and a comment with very many answers, are read in pages', async () => {
  const person = await world.aMember(school, ['student'])
  const lectures = await client.query(
    `select l.id, c.slug from lectures l join courses c on c.school_id = l.school_id and c.id = l.course_id
     where l.school_id = $1 and c.state = 'published' limit 1`,
    [school.id],
  )
  const [{ id, slug }] = lectures.rows
  await client.query(
    `insert into enrollments (school_id, id, course_id, user_id, source)
     select school_id, gen_random_uuid(), course_id, $3, 'grant' from lectures where school_id = $1 and id = $2`,
    [school.id, id, person.id],
  )
  // The answers come before most comments: an index of both would be read through them.
  const top = '01981c5e-7c00-7000-8000-00000000aaaa'
  await client.query(
    `with first as (
       insert into comments (school_id, id, lecture_id, user_id, body, created_at)
       values ($1, $4, $2, $3, 'First', '2020-01-01Z'))
     insert into comments (school_id, id, lecture_id, user_id, parent_id, body, created_at)
     select $1::uuid, gen_random_uuid(), $2::uuid, $3::uuid, parent, 'Words', at + n * interval '1 minute'
     from generate_series(1, $5::int) n,
       (values ($4::uuid, timestamptz '2020-02-01Z'), (null, '2025-01-01Z')) kind (parent, at)`,
    [school.id, id, person.id, top, 2 * PEOPLE],
  )
  await client.query('vacuum analyze comments, enrollments')
  const visitor = await signedIn(world, school, person)
  const next = async (url: string) => {
    expect(await wideReads(url, visitor)).toEqual([])
    const comments = sent.filter(({ text }) => text.includes('from comments'))
    expect(comments.length).toBeGreaterThan(0)
    for (const { text, values } of comments) {
      expect(await rowsRead(client, text, values), text).toBeLessThan(500)
    }
    const { body } = await visitor.get(url)
    return /href="([^"]*[?]after=[^"]*)#comments" rel="next"/.exec(body)?.[1] ?? ''
  }
  const lecture = `/courses/${slug}/lectures/${id}`
  await next(await next(lecture))
  await next(await next(`${lecture}/comments/${top}`))
})
