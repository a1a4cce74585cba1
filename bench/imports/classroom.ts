import type pg from 'pg'
import { idOf } from '../world/ids.ts'
import { EACH, STUDENTS } from './contest-kind.ts'

/** Above the numbers of all seeded people. */
const nth = (school: number, n: number): number => 1_000_000 * school + n

export const studentOf = (school: number, n: number): string => idOf('pupil', nth(school, n))
export const emailOf = (school: number, n: number): string => `pupil${nth(school, n)}@bench.test`

/** The first is the course with 500 lectures, for the rows of progress. */
export const courseOf = (school: number, n: number): string =>
  n === 0 ? idOf('long course', school) : idOf('short course', nth(school, n))
export const slugOf = (school: number, n: number): string =>
  n === 0 ? `long-${school}` : `short-${nth(school, n)}`

/** Students and courses for the rows that will be imported at a school. */
export async function addClassroom(pool: pg.Pool, school: number): Promise<void> {
  const from = nth(school, 0)
  const students = `generate_series(${from}, ${from + STUDENTS - 1}) n`
  const schoolId = idOf('school', school)
  await pool.query(
    `insert into users (id, email, name)
     select bench_id('pupil', n), 'pupil' || n || '@bench.test', 'Pupil ' || n from ${students}`,
  )
  await pool.query(
    `insert into school_members (school_id, user_id, roles, signed_in_at)
     select $1, bench_id('pupil', n), '{student}', now() from ${students}`,
    [schoolId],
  )
  await pool.query(
    `insert into courses (school_id, id, slug, title, currency, state, published_at)
     select $1, bench_id('short course', n), 'short-' || n, 'Course ' || n, 'USD', 'published', now()
     from generate_series(${from + 1}, ${from + EACH - 1}) n`,
    [schoolId],
  )
  await pool.query('analyze users, school_members, courses')
}
