import type { Queries } from '../scenario.ts'
import type { Member } from './viewer-sql.ts'

/** The syllabus in the shape of the query, assembled by hand from three statements. */

const COURSES = `
  select c.id, c.slug from enrollments e
    join courses c on c.school_id = e.school_id and c.id = e.course_id
  where e.school_id = $1 and e.user_id = $2 and e.revoked_at is null
  order by e.enrolled_at desc, e.id desc limit 20`

const LECTURES = `
  select l.course_id, s.id as section_id, s.title as section_title, l.id, l.title, l.duration_seconds, l.unlock_at
  from sections s join lectures l on l.school_id = s.school_id and l.section_id = s.id
  where s.school_id = $1 and s.course_id = any($2::uuid[])
  order by s.course_id, s.position, l.position`

const PROGRESS = `
  select lecture_id, state from lecture_progress
  where school_id = $1 and user_id = $2 and course_id = any($3::uuid[])`

interface LectureRow {
  course_id: string
  section_id: string
  section_title: string
  id: string
  title: string
  duration_seconds: number
  unlock_at: Date | null
}

interface Section {
  title: string
  lectures: object[]
}

export async function loadCourses(
  pool: Queries,
  { school_id, user_id }: Member,
): Promise<readonly object[]> {
  const { rows: courses } = await pool.query<{ id: string; slug: string }>({
    name: 'courses',
    text: COURSES,
    values: [school_id, user_id],
  })
  const ids = courses.map(({ id }) => id)
  const [lectures, progress] = await Promise.all([
    pool.query<LectureRow>({ name: 'lectures', text: LECTURES, values: [school_id, ids] }),
    pool.query<{ lecture_id: string; state: string }>({
      name: 'progress',
      text: PROGRESS,
      values: [school_id, user_id, ids],
    }),
  ])
  const states = new Map(progress.rows.map((row) => [row.lecture_id, row.state]))
  return courses.map(({ id, slug }) => {
    const own = lectures.rows.filter((row) => row.course_id === id)
    const completed = own.filter((row) => states.get(row.id) === 'completed').length
    return {
      slug,
      detailProgress: {
        percent: Math.floor((completed * 100) / own.length),
        totalLectures: own.length,
      },
      sections: sectionsOf(own, states),
    }
  })
}

function sectionsOf(rows: readonly LectureRow[], states: Map<string, string>): Section[] {
  const sections = new Map<string, Section>()
  for (const row of rows) {
    const section = sections.get(row.section_id) ?? { title: row.section_title, lectures: [] }
    sections.set(row.section_id, section)
    section.lectures.push({
      id: row.id,
      title: row.title,
      state: states.get(row.id) ?? 'unread',
      isLocked: row.unlock_at !== null && row.unlock_at.getTime() > Date.now(),
      unlockAt: row.unlock_at,
      duration: row.duration_seconds,
    })
  }
  return [...sections.values()]
}
