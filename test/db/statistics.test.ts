import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyDatabase } from '../support/database.ts'
import { connect } from '../support/postgres.ts'

const client = await connect(await emptyDatabase())
afterAll(() => client.end())

/** So many schools that PostgreSQL estimates at most one row for a school and a course. */
const SCHOOLS = 60
const LECTURES = 40

beforeAll(async () => {
  await client.query(`
    create function an_id(kind text, n bigint) returns uuid language sql immutable
      return md5(kind || n)::uuid;
    insert into schools (id, subdomain, origin, name)
      select an_id('school', s), 's' || s, 'http://s' || s || '.test', 'School'
      from generate_series(1, ${SCHOOLS}) s;
    insert into courses (school_id, id, slug, title, currency)
      select an_id('school', s), an_id('course', s), 'c', 'Course', 'USD'
      from generate_series(1, ${SCHOOLS}) s;
    insert into sections (school_id, course_id, id, position, title)
      select an_id('school', s), an_id('course', s), an_id('section', s), 0, 'Section'
      from generate_series(1, ${SCHOOLS}) s;
    insert into lectures (school_id, course_id, section_id, id, position, title)
      select an_id('school', s), an_id('course', s), an_id('section', s),
        an_id('lecture', s * 1000 + l), l, 'Lecture'
      from generate_series(1, ${SCHOOLS}) s, generate_series(1, ${LECTURES}) l;
    analyze;
    set enable_seqscan = off; set enable_bitmapscan = off; set plan_cache_mode = force_generic_plan`)
})

describe('an object is found by its whole key, with any number of rows beside it', () => {
  test('when a foreign key asks whether a lecture is in its course', async () => {
    await client.query(`prepare checked (uuid, uuid, uuid) as
      select 1 from only lectures x
      where school_id = $1 and course_id = $2 and id = $3 for key share of x`)
    const { rows } = await client.query(`explain (format json) execute checked
      (an_id('school', 1), an_id('course', 1), an_id('lecture', 1001))`)
    const condition = JSON.stringify(rows[0]['QUERY PLAN']).match(/"Index Cond":"([^"]*)"/)?.[1]
    expect(condition).toContain('(id = $3)')
  })
})
