import { expect, test } from 'vitest'
import { NOT_COPIED, SECTIONS } from '../../src/domain/leaving/copy-job.ts'
import { FORGET_PLAN } from '../../src/domain/leaving/forget-member.ts'
import { personColumns } from '../support/person-columns.ts'

const columns = personColumns()
const tables = [...columns.keys()].toSorted()

test('every table that names people is in the copy of their data, or says why not', () => {
  const told = SECTIONS.flatMap((section) => section.tables)
  expect(tables.length).toBeGreaterThan(25)
  expect(
    [...told, ...Object.keys(NOT_COPIED)].toSorted(),
    'A new table that names people is told in a section of src/domain/leaving, or stands in NOT_COPIED with the reason.',
  ).toEqual(tables)
})

test('sections have names and titles of their own', () => {
  expect(new Set(SECTIONS.map(({ name }) => name)).size).toBe(SECTIONS.length)
  expect(new Set(SECTIONS.map(({ title }) => title)).size).toBe(SECTIONS.length)
})

test('every column that names people says what becomes of its rows when a school forgets a person', () => {
  const planned = Object.entries(FORGET_PLAN).map(([table, fates]) => [
    table,
    Object.keys(fates).toSorted(),
  ])
  expect(
    Object.fromEntries(planned),
    'Say in FORGET_PLAN of src/domain/leaving what becomes of a new column that names people, and erase it in deletePerson if it belongs to the account.',
  ).toEqual(Object.fromEntries(columns))
})
