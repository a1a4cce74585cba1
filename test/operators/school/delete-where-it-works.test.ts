import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { EXAMPLE } from '../../../src/domain/operation/operation.ts'
import { AdminBrowser } from '../../support/admin-browser.ts'
import { addExamples } from '../../support/example-school.ts'
import { anOwner, signedIn } from '../../support/operator-like.ts'
import { sharedWorld } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
await addExamples(world, school)
const owner = await anOwner(world, school)
const browser = new AdminBrowser(owner)

const DELETE = />Delete</

describe('what other rows need', () => {
  test.each([
    [`/admin/courses/${EXAMPLE.course}`, 'Students are or were enrolled in this course.'],
    [`/admin/events/${EXAMPLE.event}`, 'Members are or were registered for this event.'],
    [`/admin/coupons/${EXAMPLE.coupon}`, 'This coupon was used.'],
    [`/admin/products/${EXAMPLE.product}`, 'Members have or had this product.'],
    [`/admin/forms/${EXAMPLE.form}`, 'People answered this form.'],
  ])(
    '%s offers no Delete, says why, and refuses a form that is sent all the same',
    async (path, why) => {
      const page = await browser.page(path)
      expect(page).not.toMatch(DELETE)
      expect(page).toContain(`Delete: not possible now. ${why}`)
      const asked = await browser.page(`${path}/delete`)
      expect(asked).toContain(why)
      expect(asked).not.toContain('button-danger')
      const forced = await browser.force(`${path}/delete`)
      expect(forced.statusCode).toBe(409)
      expect(forced.body).toContain(why)
      expect(await browser.page(path)).toContain('not possible now')
    },
  )

  test('is deleted where nothing needs it', async () => {
    for (const path of [
      `/admin/courses/${EXAMPLE.draftCourse}`,
      `/admin/coupons/${EXAMPLE.unusedCoupon}`,
      `/admin/products/${EXAMPLE.unownedProduct}`,
      `/admin/events/${EXAMPLE.emptyEvent}`,
    ]) {
      expect(await browser.page(path), path).toMatch(DELETE)
      await browser.done(`${path}/delete`)
      expect((await browser.get(path)).statusCode, path).toBe(404)
    }
  })

  test('in another school prevents nothing, and tells nothing', async () => {
    const elsewhere = await world.aSchool()
    await addExamples(world, elsewhere)
    const other = new AdminBrowser(await anOwner(world, elsewhere))
    const { path } = await other.done('/admin/courses/new', { title: 'Alone', slug: 'alone' })
    expect(await other.page(path)).toMatch(DELETE)
    expect((await other.get(`/admin/courses/${path.split('/').at(-1)}x/delete`)).statusCode).toBe(
      404,
    )
  })
})

describe('the last owner, and an admin before an owner', () => {
  test('are offered no removal, and get none', async () => {
    const alone = await world.aSchool()
    const person = await world.aMember(alone, ['owner'])
    const theirs = new AdminBrowser(await signedIn(world, alone, person))
    const path = `/admin/members/${person.id}`
    expect(await theirs.page(path)).toContain('A school needs an owner.')
    expect((await theirs.force(`${path}/remove`)).statusCode).toBe(409)
    const admin = await world.aMember(alone, ['admin'])
    const admins = new AdminBrowser(await signedIn(world, alone, admin))
    expect(await admins.page(path)).toContain('Only an owner may give or take the owner role.')
    expect((await admins.force(`${path}/remove`)).statusCode).toBe(403)
    await world.aMember(alone, ['owner'])
    expect(await theirs.page(path)).not.toContain('not possible now')
  })
})

test('every foreign key that prevents a removal is a reason of its operation', async () => {
  const { rows } = await sql<{ table: string; parent: string; column: string }>`
    select c.conrelid::regclass::text as table, c.confrelid::regclass::text as parent,
      a.attname as column
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[2]
    where c.contype = 'f' and c.confdeltype in ('a', 'r') and cardinality(c.conkey) = 2
      and c.confrelid = any (${REMOVED}::regclass[])
    order by 2, 1`.execute(world.database.db)
  expect(rows.map(({ parent, table, column }) => `${parent} ${table}.${column}`)).toEqual([
    'consulting_services consulting_meetings.service_id',
    'coupons coupon_redemptions.coupon_id',
    'courses enrollments.course_id',
    'courses order_items.course_id',
    'courses study_groups.course_id',
    'digital_products digital_product_accesses.product_id',
    'digital_products order_items.digital_product_id',
    'events event_registrations.event_id',
    'events order_items.event_id',
    'forms form_submissions.form_id',
    'study_groups consulting_meetings.study_group_id',
  ])
})

/** The tables whose rows operations remove. */
const REMOVED = [
  'consulting_meetings',
  'consulting_services',
  'consulting_slots',
  'coupons',
  'courses',
  'digital_products',
  'events',
  'forms',
  'lecturers',
  'lectures',
  'pages',
  'posts',
  'sections',
  'study_groups',
]
