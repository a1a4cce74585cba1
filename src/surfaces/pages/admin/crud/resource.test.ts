import { expect, test } from 'vitest'
import {
  changeCoupon,
  createCoupon,
  listCoupons,
  readCoupon,
} from '../../../../domain/commerce/coupon-operations.ts'
import {
  listSubscriptions,
  readSubscription,
} from '../../../../domain/commerce/subscription-operations.ts'
import { announceToCourse } from '../../../../domain/learning/announcements.ts'
import { changeSchool, readSchool } from '../../../../domain/schools/school-operations.ts'
import { choicesFrom } from './choices.ts'
import { asking } from './field.ts'
import { planForm } from './field-rules.ts'
import { listPlan } from './list-plan.ts'
import { address, moment, nameOf, number, related } from './object-table.tsx'
import { defineResource, rowsBy } from './resource.ts'
import type { SettingsPage } from './settings-page.ts'

/**
 * Every line below `@ts-expect-error` must not compile: `tsc` fails if one does. The tests only run
 * the code that TypeScript does not refuse.
 */

const words = {
  path: 'coupons',
  one: 'coupon',
  many: 'Coupons',
  facts: [],
  fields: [],
  actions: [],
}

test('a list shows only members of its rows, with cells of their type', () => {
  listPlan({
    operation: listCoupons,
    columns: [
      { label: 'Code', show: address('code'), sort: 'code' },
      { label: 'Ends', show: ({ ends_at }) => ends_at },
      // @ts-expect-error a coupon has no end_at
      { label: 'Ends', show: moment('end_at') },
      // @ts-expect-error a coupon has no end_at
      { label: 'Ends', show: ({ end_at }) => end_at },
      // @ts-expect-error a time is not a number
      { label: 'Ends', show: number('ends_at') },
      // @ts-expect-error a number is not a time
      { label: 'Used', show: moment('redemption_count') },
      // @ts-expect-error the list has no such sort
      { label: 'Ends', show: moment('ends_at'), sort: 'ends_at' },
    ],
    // @ts-expect-error the list has no such sort
    sorts: [['-ends_at', 'Last to end']],
  })
})

test('a cell reads a related object only if the list expands it', () => {
  listPlan({
    operation: listSubscriptions,
    expand: ['member'],
    columns: [
      { label: 'Member', show: nameOf('member', 'name', '') },
      // @ts-expect-error a member has no title
      { label: 'Member', show: nameOf('member', 'title', '') },
      // @ts-expect-error the plan is not expanded
      { label: 'Plan', show: related('plan', 'plans', 'name') },
    ],
    sorts: [],
  })
  // @ts-expect-error a subscription has no related course
  listPlan({ operation: listSubscriptions, expand: ['course'], columns: [], sorts: [] })
})

test('the parts of a page read only members of its object', () => {
  const typed = { ...words, read: readCoupon, change: changeCoupon }
  defineResource({ ...typed, name: ({ code }) => code, badges: address('code') })
  // @ts-expect-error a coupon has no title
  defineResource({ ...typed, name: ({ title }) => title })
  // @ts-expect-error a coupon has no title
  defineResource({ ...typed, name: () => '', facts: [{ label: 'Title', show: address('title') }] })
  // @ts-expect-error an object has no expansion that the page does not ask for
  defineResource({ ...words, read: readSubscription, name: ({ member }) => member?.name ?? '' })
  // @ts-expect-error the count is not text
  defineResource({ ...typed, name: () => '', markdown: { title: '', member: 'redemption_count' } })
  defineResource({
    ...typed,
    name: () => '',
    // @ts-expect-error the change takes no such file
    uploads: [{ path: 'file', title: 'File', hint: '', field: 'file_id' }],
  })
  const action = { path: 'x', label: '', does: changeCoupon, question: '', done: '' }
  defineResource({
    ...typed,
    name: () => '',
    // @ts-expect-error a coupon has no state
    actions: [{ ...action, when: ({ state }) => state === 'open' }],
  })
})

test('a form asks only for members of what its operations take', () => {
  const typed = { ...words, name: () => '', read: readCoupon }
  defineResource({
    ...typed,
    create: createCoupon,
    change: changeCoupon,
    fields: [
      { name: 'code', label: 'Code' },
      // @ts-expect-error neither operation takes it
      { name: 'cod', label: 'Code' },
    ],
  })
  // @ts-expect-error only the create takes a code
  defineResource({ ...typed, change: changeCoupon, fields: [{ name: 'code', label: 'Code' }] })
  // @ts-expect-error without operations there is no form
  defineResource({ ...typed, fields: [{ name: 'code', label: 'Code' }] })
  // @ts-expect-error an announcement has no text
  asking(announceToCourse, [{ name: 'text', label: 'Text' }])
  // @ts-expect-error an announcement has no text
  asking(announceToCourse, [], { text: 'Hello' })
  const settings = { path: '', title: '', lead: '', read: readSchool, change: changeSchool }
  const page: SettingsPage<typeof readSchool, typeof changeSchool> = {
    ...settings,
    // @ts-expect-error a school has no motto
    fields: [{ name: 'motto', label: 'Motto' }],
  }
  expect(page.title).toBe('')
})

test('choices and related lists name what their operation has', () => {
  const coupons = listPlan({ operation: listCoupons, columns: [], sorts: [] })
  // @ts-expect-error coupons are not listed by course
  rowsBy('course_id', coupons)
  choicesFrom(listCoupons, 'code')
  // @ts-expect-error a coupon has no title
  choicesFrom(listCoupons, 'title')
})

test('a field that no operation takes stops the server', () => {
  const fields = [{ name: 'code', label: 'Code' }]
  expect(planForm(createCoupon, fields).map(({ name }) => name)).toEqual(['code'])
  expect(planForm(changeCoupon, fields, createCoupon)).toEqual([])
  expect(() => planForm(changeCoupon, fields)).toThrow('coupons.change takes no code')
  expect(() => planForm(changeCoupon, [{ name: 'cod', label: '' }], createCoupon)).toThrow(
    'coupons.change takes no cod',
  )
})
