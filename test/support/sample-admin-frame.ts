import type { ShownFilter } from '../../src/surfaces/pages/admin/crud/list.tsx'
import { inWords } from '../../src/surfaces/pages/admin/crud/object-table.tsx'
import type { AdminResource } from '../../src/surfaces/pages/admin/crud/resource.ts'
import { owner, school } from './sample-people.ts'

export const place = {
  timeZone: 'Asia/Taipei',
  currency: 'TWD',
  viewerId: '0198f3c0-0000-7000-8000-000000000001',
}

/** The frame of every admin page, for an owner at the page `here`. */
export const at = (here: string) => ({
  school,
  here,
  viewer: owner,
  developersShown: true,
  ...place,
})

/** The filters of a list whose choices need no database. */
export const filtersOf = ({ list }: AdminResource): readonly ShownFilter[] =>
  (list?.filters ?? []).map((filter) => ({
    filter,
    choices: Array.isArray(filter.choices)
      ? filter.choices
      : filter.rule.values.map((value) => [value, inWords(value)]),
    findText: filter.choices !== undefined && 'offer' in filter.choices ? '' : undefined,
  }))

export const id = (end: number) => `0198f3c0-0000-7000-8000-${String(end).padStart(12, '0')}`
