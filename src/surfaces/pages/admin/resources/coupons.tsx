import {
  archiveCoupon,
  changeCoupon,
  createCoupon,
  listCoupons,
  readCoupon,
  removeCoupon,
} from '../../../../domain/commerce/coupon-operations.ts'
import { Badge } from '../../../../foundation/html/site-components.tsx'
import { listPlan } from '../crud/list-plan.ts'
import { address, figure, moment, money, number } from '../crud/object-table.tsx'
import { defineResource, deleting } from '../crud/resource.ts'
import type { OutputOf, Show } from '../crud/row.ts'

type Coupon = OutputOf<typeof readCoupon>

const discount = figure<Coupon>((coupon, place) =>
  coupon.percent_off === null ? money('amount_off')(coupon, place) : `${coupon.percent_off}%`,
)

const state: Show<Coupon> = (coupon) => {
  if (coupon.archived_at !== null) return <Badge tone="over">Archived</Badge>
  return coupon.redeemable ? (
    <Badge tone="good">Usable</Badge>
  ) : (
    <Badge tone="waiting">Not usable now</Badge>
  )
}

const used = figure<Coupon>((coupon) =>
  coupon.max_redemptions === null
    ? coupon.redemption_count.toLocaleString('en')
    : `${coupon.redemption_count.toLocaleString('en')} of ${coupon.max_redemptions.toLocaleString('en')}`,
)

export const coupons = defineResource({
  path: 'coupons',
  one: 'coupon',
  many: 'Coupons',
  lead: 'Codes that make something cheaper, for a while or for a number of people.',
  list: listPlan({
    operation: listCoupons,
    columns: [
      { label: 'Code', show: address('code'), sort: 'code' },
      { label: 'State', show: state },
      { label: 'Discount', show: discount },
      { label: 'Used', show: used },
      { label: 'Ends', show: moment('ends_at') },
    ],
    searchHint: 'Code',
    filters: [{ name: 'redeemable', label: 'Usable now' }],
    sorts: ['-created_at', 'created_at', 'code', '-code'],
  }),
  read: readCoupon,
  name: (coupon) => coupon.code,
  badges: state,
  facts: [
    { label: 'Discount', show: discount },
    { label: 'Used', show: used },
    { label: 'Times one member can use it', show: number('max_per_member') },
    { label: 'Starts', show: moment('starts_at') },
    { label: 'Ends', show: moment('ends_at') },
    { label: 'Archived', show: moment('archived_at') },
    { label: 'Created', show: moment('created_at') },
  ],
  fields: [
    {
      name: 'code',
      label: 'Code',
      hint: 'What members type: letters, digits, hyphens and underscores; small letters become capital ones. It cannot be changed later.',
    },
    {
      name: 'percent_off',
      label: 'Percent off',
      hint: 'From 1 to 100. Fill in either this or an amount; neither can be changed later.',
    },
    { name: 'amount_off', label: 'Amount off', kind: 'money' },
    {
      name: 'currency',
      label: 'Currency of the amount',
      kind: 'currency',
    },
    {
      name: 'max_redemptions',
      label: 'Uses in all',
      hint: 'Empty means without limit.',
    },
    {
      name: 'max_per_member',
      label: 'Uses by one member',
      hint: 'Empty means without limit.',
    },
    { name: 'starts_at', label: 'Starts', hint: 'Empty means at once.' },
    { name: 'ends_at', label: 'Ends', hint: 'Empty means never.' },
  ],
  create: createCoupon,
  change: changeCoupon,
  actions: [
    {
      path: 'archive',
      label: 'Archive',
      does: archiveCoupon,
      question: 'Archive this coupon?',
      consequence: 'It can no longer be used. Past purchases keep their discount.',
      consequenceOfMany: 'They can no longer be used. Past purchases keep their discount.',
      done: 'The coupon is in the archive.',
      when: (coupon) => coupon.archived_at === null,
    },
    deleting('coupon', removeCoupon),
  ],
})
