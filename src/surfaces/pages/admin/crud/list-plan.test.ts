import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { listCoupons } from '../../../../domain/commerce/coupon-operations.ts'
import { time } from '../../../../domain/operation/fields.ts'
import { filter } from '../../../../domain/operation/list-filters.ts'
import type { InputName } from './field.ts'
import { filterValue, type ListFilter, listPlan, planFilter } from './list-plan.ts'

test('a filter that no control can ask for stops the server', () => {
  const couponsBy = (filter: ListFilter<InputName<typeof listCoupons>>) =>
    listPlan({ operation: listCoupons, columns: [], sorts: [], filters: [filter] })
  // @ts-expect-error the list has no such filter
  expect(() => couponsBy({ name: 'redeemabel', label: '' })).toThrow(
    'coupons.list has no filter redeemabel',
  )
  expect(() => couponsBy({ name: 'limit', label: '' })).toThrow('coupons.list has no filter limit')
  expect(() => couponsBy({ name: 'code', label: '' })).toThrow(
    'The filter code of coupons.list needs choices or typed: true',
  )
  const many = { name: 'things.list', filters: { kinds: filter(z.array(z.string()), () => sql``) } }
  expect(() => planFilter(many, { name: 'kinds', label: '', typed: true })).toThrow(
    'The filter kinds of things.list needs choices',
  )
})

test('the control of a filter follows from the schema of the operation', () => {
  const schemas = {
    state: z.enum(['open', 'past_due']),
    hidden: z.boolean(),
    since: time,
    day: z.iso.date(),
    number: z.int(),
    title: z.string().min(1),
  }
  const things = {
    name: 'things.list',
    filters: Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, filter(schema, () => sql``)]),
    ),
  }
  const read = (filter: ListFilter, ...texts: readonly string[]) => {
    const planned = planFilter(things, { typed: true, ...filter })
    return [planned.kind, ...texts.map((text) => filterValue(planned, text, 'Asia/Taipei'))]
  }
  const label = ''
  expect(read({ name: 'state', label }, 'open', 'shut')).toEqual(['choice', 'open', undefined])
  expect(read({ name: 'hidden', label }, 'true', 'false')).toEqual(['choice', true, false])
  expect(read({ name: 'number', label, choices: [['1', 'One']] }, '1')).toEqual(['choice', 1])
  expect(
    read({ name: 'since', label }, '2027-01-31T09:00', '2027-02-31T09:00', '9027-01-31T09:00', 'x'),
  ).toEqual(['time', '2027-01-31T01:00:00.000Z', undefined, undefined, undefined])
  expect(read({ name: 'day', label }, '2027-01-31', '2027-02-31')).toEqual([
    'date',
    '2027-01-31',
    undefined,
  ])
  expect(read({ name: 'number', label }, '12', '1.5', 'x')).toEqual([
    'number',
    12,
    undefined,
    undefined,
  ])
  expect(read({ name: 'title', label }, '12')).toEqual(['line', '12'])
})
