import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeSchema } from '../../scripts/describe-schema.ts'
import { WITHIN_ONE_TABLE } from '../../src/domain/operation/database-refusal.ts'
import { verifies } from '../spec/verifies.ts'
import { emptyDatabase } from '../support/database.ts'
import { connect } from '../support/postgres.ts'

const client = await connect(await emptyDatabase())
afterAll(() => client.end())

const DUMP = new URL('../../migrations/schema.sql', import.meta.url)
const ROWS = new URL('../../src/foundation/db/schema.generated.ts', import.meta.url)

describe('the checked-in schema equals the result of the migrations', () => {
  let described: Awaited<ReturnType<typeof describeSchema>>
  beforeAll(async () => {
    described = await describeSchema(client)
    if (process.env.UPDATE_SCHEMA === '1') {
      await writeFile(DUMP, described.dump)
      await writeFile(ROWS, described.rows)
    }
  })

  test('the dump (npm run schema rewrites it)', async () => {
    expect(await readFile(DUMP, 'utf8')).toBe(described.dump)
  })

  test('the row types (npm run schema rewrites them)', async () => {
    expect(await readFile(ROWS, 'utf8')).toBe(described.rows)
  })
})

test('references within one table are the listed ones, whose error PostgreSQL words otherwise', async () => {
  const { rows } = await client.query<{ conname: string }>(
    "select conname from pg_constraint where contype = 'f' and conrelid = confrelid",
  )
  expect(rows.map(({ conname }) => conname)).toEqual([...WITHIN_ONE_TABLE])
})

/**
 * Tables whose key is only an id, because a request with a token, code or cookie carries only that
 * id. Each row has its school, which is compared with the origin of the request. Mails are sent for
 * all schools in turn.
 */
const KEYED_BY_ID = [
  'audit_entries',
  'authorization_codes',
  'authorizations',
  'browser_sessions',
  'deletion_requests',
  'email_changes',
  'notice_links',
  'outgoing_mails',
  'password_resets',
  'trusted_devices',
]

describe('tenancy in the database', () => {
  test('school_id comes first in every key of a tenant table, with no unneeded exception', async () => {
    const { rows } = await client.query<{ table: string }>(`
      select distinct c.relname as table
      from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'school_id'
        join pg_constraint k on k.conrelid = c.oid and k.contype in ('p', 'u')
      where c.relnamespace = 'public'::regnamespace
        and not pg_get_constraintdef(k.oid) ~ '\\((school_id)[,)]'
      order by 1`)
    expect(rows.map(({ table }) => table)).toEqual(KEYED_BY_ID)
  })

  verifies(
    'house.tenancy.keys',
    'a foreign key between two tenant tables includes school_id',
    async () => {
      const { rows } = await client.query<{ table: string; key: string }>(`
      select c.relname as table, pg_get_constraintdef(k.oid) as key
      from pg_constraint k
        join pg_class c on c.oid = k.conrelid
        join pg_attribute theirs on theirs.attrelid = k.confrelid and theirs.attname = 'school_id'
        join pg_attribute ours on ours.attrelid = k.conrelid and ours.attname = 'school_id'
      where k.contype = 'f'
        and not pg_get_constraintdef(k.oid) ~ '^FOREIGN KEY \\(school_id, .*REFERENCES .*\\(school_id, '`)
      expect(rows).toEqual([])
    },
  )

  test('every tenant row refers to its school by foreign keys that are never null', async () => {
    const { rows } = await client.query<{ table: string }>(`
      with recursive sure as (
        select k.conrelid, k.confrelid from pg_constraint k
        where k.contype = 'f' and not exists (
          select from pg_attribute a
          where a.attrelid = k.conrelid and a.attnum = any (k.conkey) and not a.attnotnull)
        and pg_get_constraintdef(k.oid) ~ '^FOREIGN KEY \\(school_id[,)]'),
      held as (
        select conrelid as oid from sure where confrelid = 'schools'::regclass
        union
        select s.conrelid from held h join sure s on s.confrelid = h.oid)
      select c.relname as table
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'school_id' and a.attnotnull
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.oid not in (select oid from held)`)
    expect(rows).toEqual([])
  })

  test('the comment of every table names its folder', async () => {
    const { rows } = await client.query<{ table: string }>(`
      select relname as table from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'schema_migrations'
        and coalesce(obj_description(oid), '') !~ '^[a-z]+: '`)
    expect(rows).toEqual([])
  })

  test('a foreign key that deletes or clears children has an index that starts with the school', async () => {
    const { rows } = await client.query<{ table: string; key: string }>(`
      select c.relname as table, pg_get_constraintdef(k.oid) as key
      from pg_constraint k join pg_class c on c.oid = k.conrelid
      where k.contype = 'f' and k.confdeltype in ('c', 'n') and not exists (
        select from pg_index i where i.indrelid = k.conrelid
          and k.conkey[1] = i.indkey[0] and (cardinality(k.conkey) = 1 or i.indkey[1] = any (k.conkey)))`)
    expect(rows).toEqual([])
  })
})

test('a check that compares columns has a name that says its rule', async () => {
  const { rows } = await client.query<{ constraint: string }>(`
    select k.conname as constraint from pg_constraint k
    where k.connamespace = 'public'::regnamespace and k.contype = 'c'
      and cardinality(k.conkey) > 1 and k.conname ~ '_check[0-9]*$'`)
  expect(rows).toEqual([])
})
