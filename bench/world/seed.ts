import type pg from 'pg'
import { BENCH_ID_SQL, FIRST_PAIR_AT } from './ids.ts'
import { addSigningKeys } from './signing.ts'
import type { Size } from './sizes.ts'

/** The number of schools with a reader, a member who is enrolled in a course of 500 lectures. */
export const readersOf = ({ schools }: Size): number => Math.min(schools, 16)

export const MEMBER_SCOPES = ['account:read', 'account:write', 'email', 'openid', 'profile']
const SCOPES = `{${MEMBER_SCOPES.join(',')}}`

/**
 * Fills an empty, migrated database with statements that make the rows inside PostgreSQL. Indexes
 * are built and foreign keys checked at the end, not row by row.
 */
export async function seed(client: pg.ClientBase, size: Size): Promise<void> {
  await client.query(BENCH_ID_SQL)
  await client.query(`set maintenance_work_mem = '1GB'`)
  const { rows: keys } = await client.query<{ name: string; table: string; definition: string }>(`
    select conname as name, conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f'`)
  for (const { table, name } of keys)
    await client.query(`alter table ${table} drop constraint ${name}`)
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index where indrelid = 'token_pairs'::regclass and not indisprimary
      and not exists (select from pg_constraint where conindid = indexrelid)`)
  for (const { name } of indexes) await client.query(`drop index ${name}`)
  for (const statement of statements(size)) await client.query(statement)
  const asked = Array.from({ length: Math.min(size.schools, 100) }, (_, n) => n + 1)
  await addSigningKeys(client, asked)
  for (const { definition } of indexes) await client.query(definition)
  for (const { table, name, definition } of keys) {
    await client.query(`alter table ${table} add constraint ${name} ${definition}`)
  }
}

function statements(size: Size): readonly string[] {
  const { schools, people, tokenPairs, progressRows } = size
  const readers = readersOf(size)
  const schoolOf = (n: string) => `bench_id('school', (${n} - 1) % ${schools} + 1)`
  const lectures = progressRows / people
  return [
    `insert into schools (id, subdomain, origin, name, variant, mcp_connections)
     select bench_id('school', n), 's' || n, 'http://s' || n || '.bench.test', 'School ' || n,
       case when n % 10 = 2 then 'older' else 'newer' end, true
     from generate_series(1, ${schools}) n`,
    `insert into clients (school_id, client_id, kind, audience, name, redirect_uris, scopes)
     select bench_id('school', n), 'app', 'application', 'member', 'App',
       '{https://app.bench.test/callback}', '${SCOPES}'
     from generate_series(1, ${schools}) n`,
    `insert into clients (school_id, client_id, kind, audience, name, redirect_uris, scopes)
     select bench_id('school', n), 'ops', 'vendor', 'operator', 'Operations',
       '{https://ops.bench.test/callback}', '{openid,profile,members:read,courses:read}'
     from generate_series(1, ${schools}) n`,
    `insert into users (id, email, name, avatar_url)
     select bench_id('person', n), 'person' || n || '@bench.test', 'Person ' || n, '/avatar/' || n
     from generate_series(1, ${people + readers}) n`,
    `insert into school_members (school_id, user_id, roles, signed_in_at)
     select ${schoolOf('n')}, bench_id('person', n),
       case when n <= ${schools} then '{owner}'::text[] else '{student}' end, now()
     from generate_series(1, ${people}) n
     union all
     select bench_id('school', n), bench_id('person', ${people} + n), '{student}', now()
     from generate_series(1, ${readers}) n`,
    `insert into authorizations (id, school_id, client_id, user_id, audience, scopes, resource)
     select bench_id('authorization', n), ${schoolOf('n')}, 'app', bench_id('person', n), 'member',
       '${SCOPES}', 'http://s' || (n - 1) % ${schools} + 1 || '.bench.test'
     from generate_series(1, ${people}) n`,
    // Most pairs are old, used and replaced.
    `insert into token_pairs (id, authorization_id, bound_school_id, scopes, access_hash, refresh_hash,
       issued_at, access_expires_at, refresh_expires_at, first_used_at, revoked_at)
     select (lpad(to_hex(${FIRST_PAIR_AT} + n), 12, '0') || '7abc8' || left(md5(n::text), 15))::uuid,
       bench_id('authorization', (n - 1) % ${people} + 1), ${schoolOf(`((n - 1) % ${people} + 1)`)},
       '${SCOPES}', sha256(('a' || n)::bytea), sha256(('r' || n)::bytea),
       now() - interval '1 day', now() - interval '22 hours', now() + interval '89 days',
       now() - interval '1 day', case when n % 10 <> 0 then now() - interval '1 hour' end
     from generate_series(1, ${tokenPairs}) n`,
    `insert into courses (school_id, id, slug, title, currency, state, published_at)
     select bench_id('school', n), bench_id('course', n), 'course-' || n, 'Course ' || n, 'USD',
       'published', now() from generate_series(1, ${schools}) n`,
    course('course', 'section', 'lecture', schools, 5, lectures),
    `insert into enrollments (school_id, id, course_id, user_id, source)
     select ${schoolOf('n')}, bench_id('enrollment', n),
       bench_id('course', (n - 1) % ${schools} + 1), bench_id('person', n), 'purchase'
     from generate_series(1, ${people}) n`,
    `insert into lecture_progress (school_id, user_id, course_id, lecture_id, state, completed_at)
     select ${schoolOf('n')}, bench_id('person', n), bench_id('course', (n - 1) % ${schools} + 1),
       bench_id('lecture', ((n - 1) % ${schools} + 1) * 1000 + l), 'completed', now()
     from generate_series(1, ${people}) n, generate_series(1, ${lectures}) l`,
    `insert into courses (school_id, id, slug, title, currency, state, published_at)
     select bench_id('school', n), bench_id('long course', n), 'long-' || n, 'Long course', 'USD',
       'published', now() from generate_series(1, ${readers}) n`,
    course('long course', 'long section', 'long lecture', readers, 20, 500),
    `insert into enrollments (school_id, id, course_id, user_id, source)
     select bench_id('school', n), bench_id('long enrollment', n), bench_id('long course', n),
       bench_id('person', ${people} + n), 'purchase' from generate_series(1, ${readers}) n`,
    `insert into lecture_progress (school_id, user_id, course_id, lecture_id, state, completed_at)
     select bench_id('school', n), bench_id('person', ${people} + n), bench_id('long course', n),
       bench_id('long lecture', n * 1000 + l), 'completed', now()
     from generate_series(1, ${readers}) n, generate_series(1, 250) l`,
  ]
}

/** Sections and lectures of courses 1 to `count`, in sections of `width` lectures. */
function course(
  courses: string,
  sections: string,
  lectures: string,
  count: number,
  width: number,
  length: number,
): string {
  return `with s as (
      insert into sections (school_id, id, course_id, position, title)
      select bench_id('school', n), bench_id('${sections}', n * 1000 + p), bench_id('${courses}', n), p,
        'Section ' || p
      from generate_series(1, ${count}) n, generate_series(0, ${Math.ceil(length / width) - 1}) p)
    insert into lectures (school_id, id, course_id, section_id, position, title, duration_seconds)
    select bench_id('school', n), bench_id('${lectures}', n * 1000 + l), bench_id('${courses}', n),
      bench_id('${sections}', n * 1000 + (l - 1) / ${width}), (l - 1) % ${width}, 'Lecture ' || l, 60 * l
    from generate_series(1, ${count}) n, generate_series(1, ${length}) l`
}
