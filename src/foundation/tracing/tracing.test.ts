import { expect, test } from 'vitest'
import { summarizeStatement } from './tracing.ts'

test('a statement is named by its verb and its first tables', () => {
  const named = {
    'select "id" from "courses" where "school_id" = $1': 'select courses',
    'select * from users u join school_members m on m.user_id = u.id':
      'select users, school_members',
    'insert into "audit_entries" ("id") values ($1)': 'insert audit_entries',
    'update token_pairs set used_at = now() from authorizations a where true':
      'update token_pairs, authorizations',
    'delete from "codes" where "id" = $1': 'delete codes',
    '\n  with found as (select 1 from codes), gone as materialized (delete from codes) select * from found, gone':
      'delete codes',
    'with found as (select 1 from users) select * from found': 'select users',
    begin: 'begin',
    '': 'statement',
  }
  for (const [text, name] of Object.entries(named)) expect(summarizeStatement(text)).toBe(name)
})

test('a text in a statement never gets into its name', () => {
  expect(summarizeStatement('select \'secret-token\' as x, \'from "Ada"\' from "users"')).toBe(
    'select users',
  )
})
