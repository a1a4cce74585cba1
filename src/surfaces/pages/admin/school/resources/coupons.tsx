import {
  archiveCoupon,
  changeCoupon,
  createCoupon,
  listCoupons,
  readCoupon,
  removeCoupon,
} from '../../../../../domain/commerce/coupon-operations.ts'
import { Badge } from '../../../../../foundation/html/site-components.tsx'
import { formatMoney } from '../../../views/money.ts'
import { type AdminResource, type Show, textOf } from '../resource.ts'
import { address, moment, number } from '../views/cells.tsx'

const discount: Show = (coupon) =>
  typeof coupon.percent_off === 'number'
    ? `${coupon.percent_off}%`
    : formatMoney(Number(coupon.amount_off), textOf(coupon, 'currency'))

const standing: Show = (coupon) => {
  if (coupon.archived_at !== null) return <Badge tone="warning">Archived</Badge>
  return coupon.redeemable === true ? (
    <Badge tone="good">Usable</Badge>
  ) : (
    <Badge>Not usable now</Badge>
  )
}

const used: Show = (coupon) =>
  coupon.max_redemptions === null
    ? String(coupon.redemption_count)
    : `${coupon.redemption_count} of ${coupon.max_redemptions}`

export const coupons: AdminResource = {
  path: 'coupons',
  one: 'coupon',
  many: 'Coupons',
  lead: 'Codes that make something cheaper, for a while or for a number of people.',
  list: {
    operation: listCoupons,
    searchHint: 'Code',
    filters: [
      {
        name: 'redeemable',
        label: 'Usable now',
        choices: [
          ['true', 'Yes'],
          ['false', 'No'],
        ],
      },
    ],
    sorts: [
      ['-created_at', 'Newest first'],
      ['created_at', 'Oldest first'],
      ['code', 'Code, A to Z'],
      ['-code', 'Code, Z to A'],
      ['-redemption_count', 'Most used'],
      ['redemption_count', 'Least used'],
    ],
  },
  read: readCoupon,
  name: (coupon) => textOf(coupon, 'code'),
  badges: standing,
  columns: [
    { label: 'Code', show: address('code'), sort: 'code' },
    { label: 'State', show: standing },
    { label: 'Discount', show: discount },
    { label: 'Used', show: used, sort: 'redemption_count' },
    { label: 'Ends', show: moment('ends_at') },
  ],
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
      hint: 'What members type: capital letters, digits, hyphens and underscores. It cannot be changed later.',
    },
    {
      name: 'percent_off',
      label: 'Percent off',
      hint: 'From 1 to 100. Fill in either this or an amount; neither can be changed later.',
    },
    { name: 'amount_off', label: 'Amount off', kind: 'money' },
    {
      name: 'currency',
      label: 'Currency',
      hint: 'Of the amount, in three letters such as USD. Empty means that of the school.',
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
      operation: archiveCoupon,
      question: 'Archive this coupon?',
      consequence: 'Nobody can use it again. What it made cheaper stays cheaper.',
      done: 'The coupon is in the archive.',
      when: (coupon) => coupon.archived_at === null,
    },
    {
      path: 'delete',
      label: 'Delete',
      operation: removeCoupon,
      question: 'Delete this coupon?',
      consequence:
        'It is gone for good. A coupon that was used cannot be deleted: archive it instead.',
      done: 'The coupon is gone.',
      tone: 'danger',
    },
  ],
}
