import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'

/**
 * A PostgreSQL that is distributed by school (Citus) needs `school_id` in every unique index and
 * foreign key of a table that it distributes. docs/guides/sizing.md has a plan for each that lacks
 * it.
 */

const { pool } = await testDatabase()
const guide = readFileSync(new URL('../../docs/guides/sizing.md', import.meta.url), 'utf8')
const [, chapter = ''] = guide.split('## On to a distributed PostgreSQL')

/** The names in the first column of the tables, each with its plan. */
function planned(): ReadonlyMap<string, string> {
  const rows = [...chapter.matchAll(/^\| ((?:`\w+`(?:, )?)+) \| (.+?) \|/gm)]
  return new Map(
    rows.flatMap(([, names = '', plan = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, plan] as const),
    ),
  )
}

async function names(sql: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(sql)
  return rows.map(({ name }) => name)
}

const withoutSchool = await names(`
  select index.relname as name
  from pg_index i join pg_class index on index.oid = i.indexrelid
  where i.indisunique and index.relnamespace = 'public'::regnamespace and not exists (
    select from pg_attribute a
    where a.attrelid = i.indrelid and a.attname = 'school_id' and a.attnum = any(i.indkey))
  union all
  select c.conname from pg_constraint c
  where c.contype = 'f' and c.connamespace = 'public'::regnamespace and not exists (
    select from pg_attribute a
    where a.attrelid = c.conrelid and a.attname = 'school_id' and a.attnum = any(c.conkey))
  order by 1`)

const tablesWithoutSchool = await names(`
  select t.relname as name from pg_class t
  where t.relkind = 'r' and t.relnamespace = 'public'::regnamespace and not exists (
    select from pg_attribute a
    where a.attrelid = t.oid and a.attname = 'school_id' and a.attnotnull)
  order by 1`)

test('every unique index and foreign key without school_id has a plan for a distributed PostgreSQL', () => {
  expect(withoutSchool.length).toBeGreaterThan(20)
  expect(
    withoutSchool.filter((name) => !planned().has(name)),
    'give it a plan in docs/guides/sizing.md, or put school_id into it',
  ).toEqual([])
})

test('every table without a school has a plan too', () => {
  expect(tablesWithoutSchool.filter((name) => !planned().has(name))).toEqual([])
})

test('no plan is about an index, a key or a table that is gone', () => {
  const known = new Set([...withoutSchool, ...tablesWithoutSchool])
  expect([...planned().keys()].filter((name) => !known.has(name))).toEqual([])
})
