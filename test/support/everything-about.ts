import { randomBytes } from 'node:crypto'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import { anOrder } from './billing.ts'
import { aService } from './consulting.ts'
import { aCourse, aSlug, DAY } from './learning.ts'
import { giveEverything } from './member-with-everything.ts'
import type { TestPerson, TestSchool, World } from './world.ts'

/** Comments of a person: one that stands alone, and one to which a classmate answered. */
export interface TestComments {
  readonly alone: string
  readonly answered: string
  readonly answer: string
}

/**
 * Gives a person rows in every table of a school that names people. Texts of the person contain
 * `mark`.
 */
export async function everythingAbout(
  world: World,
  school: TestSchool,
  person: TestPerson,
  mark: string,
): Promise<{ readonly comments: TestComments }> {
  const { db } = school
  const user_id = person.id
  await giveEverything(school, person, 1)
  const course = await aCourse(school)
  const lecture = course.lectures[0]?.[0] ?? ''
  await db.insert('learning_days', { user_id, day: '2026-03-01' }).execute()
  await db
    .insert('notification_subscriptions', {
      ...{ user_id, topic: 'announcements', channel: 'email', enabled: true },
    })
    .execute()
  await db.insert('lecturers', { user_id, headline: mark, bio: 'Teaches' }).execute()
  await db.insert('course_lecturers', { user_id, course_id: course.id }).execute()
  await db
    .update('consulting_services')
    .set({ host_id: user_id })
    .where('id', '=', await aService(school, [course]))
    .execute()
  const post = { id: uuidv7(), slug: aSlug(), title: 'A post', author_id: user_id }
  await db.insert('posts', post).execute()
  await db
    .insert('files', {
      ...{ id: uuidv7(), name: 'notes.txt', content_type: 'text/plain', size_bytes: 1 },
      ...{ sha256: Buffer.alloc(32), storage_key: 'none', created_by: user_id },
    })
    .execute()
  const form = { id: uuidv7(), slug: aSlug(), title: 'A form' }
  await db.insert('forms', form).execute()
  const answers = JSON.stringify({ q: mark })
  await db
    .insert('form_submissions', { id: uuidv7(), form_id: form.id, user_id, answers })
    .execute()
  const last_challenge_at = new Date()
  const handle = { user_id, handle: randomBytes(32), last_challenge_at }
  await db.insert('passkey_handles', handle).execute()
  await db
    .insert('passkeys', {
      ...{ id: uuidv7(), user_id, credential_id: randomBytes(16), public_key: randomBytes(32) },
      ...{ counter: 0, transports: ['internal'], backup_eligible: true, backed_up: true },
      ...{ user_verified: true, name: 'A passkey', last_challenge_at },
    })
    .execute()
  const expires_at = new Date(Date.now() + DAY)
  const trusted = { id: uuidv7(), user_id, secret_hash: randomBytes(32), expires_at }
  await db.insert('trusted_devices', trusted).execute()
  await db.insert('notice_links', trusted).execute()
  const { expires_at: _, ...feed } = trusted
  await db.insert('calendar_feeds', feed).execute()
  await buySomething(school, person)
  const client = await world.aPublicClient(school)
  await db
    .update('clients')
    .set({ created_by: user_id })
    .where('client_id', '=', client.clientId)
    .execute()
  const authorization = { id: uuidv7(), client_id: client.clientId, user_id }
  await db
    .insert('authorizations', {
      ...authorization,
      ...{ audience: 'member', scopes: ['openid'], resource: school.origin },
    })
    .execute()
  const used = { authorization_id: authorization.id, kind: 'courses', day: '2026-03-01' }
  await db.insert('app_activity', { ...used, reads: 1, changes: 0 }).execute()
  return { comments: await someComments(world, school, person, lecture, mark) }
}

async function buySomething({ db, ...school }: TestSchool, person: TestPerson): Promise<void> {
  const user_id = person.id
  const plan = { id: uuidv7(), slug: aSlug(), name: 'A plan', interval: 'month' }
  await db.insert('membership_plans', { ...plan, price_amount: 5, currency: 'USD' }).execute()
  await db
    .insert('subscriptions', {
      ...{ id: uuidv7(), plan_id: plan.id, user_id, state: 'active' },
      current_period_starts_at: new Date(Date.now() - DAY),
      current_period_ends_at: new Date(Date.now() + DAY),
    })
    .execute()
  const coupon = { id: uuidv7(), code: aSlug().toUpperCase(), percent_off: 10 }
  await db.insert('coupons', coupon).execute()
  const order_id = await anOrder({ db, ...school }, person)
  await db
    .insert('coupon_redemptions', { id: uuidv7(), coupon_id: coupon.id, order_id, user_id })
    .execute()
}

async function someComments(
  world: World,
  school: TestSchool,
  person: TestPerson,
  lecture_id: string,
  mark: string,
): Promise<TestComments> {
  const [alone, answered, answer] = [uuidv7(), uuidv7(), uuidv7()] as const
  const classmate = await world.aMember(school)
  await school.db
    .insert('comments', [
      { id: alone, lecture_id, user_id: person.id, body: `${mark} alone` },
      { id: answered, lecture_id, user_id: person.id, body: `${mark} answered` },
    ])
    .execute()
  await school.db
    .insert('comments', {
      ...{ id: answer, lecture_id, user_id: classmate.id, parent_id: answered },
      body: 'An answer of a classmate',
    })
    .execute()
  return { alone, answered, answer }
}
