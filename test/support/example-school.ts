import { type CompiledQuery, sql } from 'kysely'
import pg from 'pg'
import { EXAMPLE } from '../../src/domain/operation/operation.ts'
import type { TestSchool, World } from './world.ts'

const DAY = 86_400_000
const inDays = (days: number): Date => new Date(Date.now() + days * DAY)
const USD = { currency: 'USD' }

/** Fills a school with every object that the examples of the operations name. */
export async function addExamples(world: World, school: TestSchool): Promise<void> {
  const rows = [
    ...people(world, school),
    ...learning(school),
    ...commerce(school),
    ...publications(school),
  ]
  await world.database.pool.query(inOneText(rows.map((one) => one.compile())))
}

type Rows = Iterable<{ compile(): CompiledQuery }>

function* people(world: World, { db }: TestSchool): Rows {
  const roles = {
    [EXAMPLE.student]: ['student'],
    [EXAMPLE.lecturer]: ['lecturer'],
    [EXAMPLE.newcomer]: ['lecturer', 'student'],
  }
  for (const [id, held] of Object.entries(roles)) {
    const person = { id, email: `${id}@people.test`, name: `Person ${id.slice(-4)}` }
    yield world.database.db
      .insertInto('users')
      .values(person)
      .onConflict((conflict) => conflict.doNothing())
    yield db.insert('school_members', { user_id: id, roles: held, signed_in_at: new Date() })
  }
}

function* learning({ db }: TestSchool): Rows {
  yield db.insert('files', {
    id: EXAMPLE.file,
    name: 'logo.png',
    content_type: 'image/png',
    size_bytes: 3,
    sha256: Buffer.alloc(32),
    storage_key: 'none',
  })
  const published = { state: 'published', published_at: inDays(-30) } as const
  yield db.insert('courses', [
    { id: EXAMPLE.course, slug: 'first', title: 'First', ...USD, ...published },
    { id: EXAMPLE.draftCourse, slug: 'second', title: 'Second', ...USD },
  ])
  const { course: course_id, section, secondSection } = EXAMPLE
  yield db.insert('sections', [
    { id: section, course_id, position: 0, title: 'One' },
    { id: secondSection, course_id, position: 1, title: 'Two' },
  ])
  yield db.insert('lectures', [
    { id: EXAMPLE.lecture, course_id, section_id: section, position: 0, title: 'A' },
    { id: EXAMPLE.secondLecture, course_id, section_id: secondSection, position: 0, title: 'B' },
  ])
  yield db.insert('lecturers', { user_id: EXAMPLE.lecturer, headline: 'Teaches' })
  yield db.insert('enrollments', {
    id: EXAMPLE.enrollment,
    course_id,
    user_id: EXAMPLE.student,
    source: 'purchase',
  })
  const progress = { user_id: EXAMPLE.student, course_id, lecture_id: EXAMPLE.lecture }
  yield db.insert('lecture_progress', { ...progress, state: 'completed', completed_at: inDays(-1) })
  yield db.insert('comments', {
    id: EXAMPLE.comment,
    lecture_id: EXAMPLE.lecture,
    user_id: EXAMPLE.student,
    body: 'Thank you',
  })
}

function* commerce({ db }: TestSchool): Rows {
  yield db.insert('coupons', [
    { id: EXAMPLE.coupon, code: 'FIRST', percent_off: 10 },
    { id: EXAMPLE.unusedCoupon, code: 'SECOND', amount_off: 500, ...USD },
  ])
  yield db.insert('digital_products', [
    { id: EXAMPLE.product, slug: 'book', title: 'Book', ...USD },
    { id: EXAMPLE.unownedProduct, slug: 'sheet', title: 'Sheet', ...USD },
  ])
  const holding = { product_id: EXAMPLE.product, user_id: EXAMPLE.student }
  yield db.insert('digital_product_accesses', { id: EXAMPLE.product, ...holding })
  yield db.insert('membership_plans', {
    id: EXAMPLE.plan,
    slug: 'studio',
    name: 'Studio, monthly',
    interval: 'month',
    price_amount: 1000,
    ...USD,
  })
  yield db.insert('subscriptions', {
    id: EXAMPLE.subscription,
    plan_id: EXAMPLE.plan,
    user_id: EXAMPLE.student,
    state: 'active',
    current_period_starts_at: inDays(-10),
    current_period_ends_at: inDays(20),
  })
  const order = { order_id: EXAMPLE.order, user_id: EXAMPLE.student }
  yield db.insert('orders', {
    id: EXAMPLE.order,
    number: 'N-1',
    user_id: EXAMPLE.student,
    state: 'completed',
    total_amount: 4500,
    completed_at: inDays(-2),
    ...USD,
  })
  const item = { title: 'First', course_id: EXAMPLE.course, unit_amount: 5000 }
  yield db.insert('order_items', { order_id: EXAMPLE.order, position: 0, ...item })
  yield db.insert('payments', {
    id: EXAMPLE.order,
    ...order,
    trade_no: 'T-1',
    amount: 4500,
    ...USD,
    payment_type: 'credit_card',
    state: 'paid',
    paid_at: inDays(-2),
  })
  yield db.insert('coupon_redemptions', { id: EXAMPLE.coupon, coupon_id: EXAMPLE.coupon, ...order })
}

function* publications({ db }: TestSchool): Rows {
  const times = { starts_at: inDays(10), ends_at: inDays(11) }
  yield db.insert('events', [
    { id: EXAMPLE.event, slug: 'evening', title: 'Evening', capacity: 5, ...times, ...USD },
    { id: EXAMPLE.emptyEvent, slug: 'morning', title: 'Morning', ...times, ...USD },
  ])
  const registered = { event_id: EXAMPLE.event, user_id: EXAMPLE.student }
  yield db.insert('event_registrations', { id: EXAMPLE.registration, ...registered })
  yield db.insert('posts', { id: EXAMPLE.post, slug: 'hello', title: 'Hello' })
  yield db.insert('pages', { id: EXAMPLE.page, slug: 'imprint', title: 'Imprint' })
  const fields = JSON.stringify([{ name: 'q', label: 'Q', kind: 'text', required: true }])
  yield db.insert('forms', { id: EXAMPLE.form, slug: 'ask', title: 'Ask', fields })
  const answers = JSON.stringify({ q: 'Yes' })
  yield db.insert('form_submissions', { id: EXAMPLE.submission, form_id: EXAMPLE.form, answers })
}

/**
 * To send fifty statements one by one takes most of the time of a test that fills its school again
 * and again.
 */
function inOneText(statements: readonly CompiledQuery[]): string {
  const texts = statements.map(({ sql: text, parameters }) =>
    text.replaceAll(/\$(\d+)/g, (_, number) => literal(parameters[number - 1])),
  )
  return `/* examples */ ${texts.join('; ')}`
}

function literal(value: unknown): string {
  if (value === null) return 'null'
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`
  if (Array.isArray(value)) return `'{${value.join()}}'`
  return pg.escapeLiteral(value instanceof Date ? value.toISOString() : String(value))
}

/** Publishes the drafts among the examples. */
export async function publishExamples({ id, db }: TestSchool): Promise<void> {
  for (const table of ['events', 'digital_products', 'membership_plans']) {
    await db.run(sql`update ${sql.table(table)} set state = 'published' where school_id = ${id}`)
  }
  for (const table of ['posts', 'pages']) {
    await db.run(sql`
      update ${sql.table(table)} set state = 'published', published_at = now() where school_id = ${id}`)
  }
}

/** Children before parents. */
const TABLES = [
  'form_submissions',
  'forms',
  'pages',
  'posts',
  'event_registrations',
  'coupon_redemptions',
  'payments',
  'orders',
  'events',
  'subscriptions',
  'membership_plans',
  'digital_product_accesses',
  'digital_products',
  'coupons',
  'comments',
  'lecture_progress',
  'enrollments',
  'lecturers',
  'courses',
  'appearances',
  'files',
  'idempotent_answers',
] as const

/** Removes what the examples use and made, so that the school can be filled again. */
export async function clearExamples({ id, db }: TestSchool): Promise<void> {
  // What people were told is no part of the examples.
  const own = ['notifications', ...TABLES].map(
    (table) => `delete from ${table} where school_id = '${id}'`,
  )
  // People who authorized an app stay: deleting them would end the app's tokens.
  const people = `delete from school_members m where m.school_id = '${id}' and not exists (
    select from authorization_codes c where c.school_id = m.school_id and c.user_id = m.user_id)`
  await db.run(sql.raw(`/* examples */ ${[...own, people].join('; ')}`))
}

/** Every row of a school, to compare before and after. */
export async function everyRow(school: TestSchool): Promise<string> {
  const parts: string[] = []
  for (const table of [...TABLES, 'school_members', 'sections', 'lectures']) {
    const { rows } = await school.db.run(
      sql<{ row: string }>`select t::text as row from ${sql.table(table)} t
        where school_id = ${school.id} order by 1`,
    )
    parts.push(table, ...rows.map(({ row }) => row))
  }
  return parts.join('\n')
}
