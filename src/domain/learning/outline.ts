import { sql } from 'kysely'
import { atMost } from '../../foundation/db/bounded-rows.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'

export interface OutlineLecture {
  readonly id: string
  readonly title: string
  readonly durationSeconds: number
  readonly isPreview: boolean
  readonly unlockAfterDays: number | null
  readonly unlockAt: Date | null
}

export interface OutlineSection {
  readonly id: string
  readonly title: string
  readonly lectures: readonly OutlineLecture[]
}

/** The sections and lectures of a course in the order of its curriculum, the same for every member. */
export interface Outline {
  readonly sections: readonly OutlineSection[]
  readonly lectureCount: number
}

export const EMPTY_OUTLINE: Outline = { sections: [], lectureCount: 0 }

/** A hundred courses of a thousand lectures each. */
const MOST_ROWS = 100_000

interface OutlineRow {
  course_id: string
  section_id: string
  section_title: string
  id: string | null
  title: string
  duration_seconds: number
  is_preview: boolean
  unlock_after_days: number | null
  unlock_at: Date | null
}

/**
 * The outlines of several courses in one statement; a course without sections is not in the map. Throws
 * TooManyRowsError if they are longer than anything that a person learns from.
 */
export async function outlinesOf(
  at: SchoolDb,
  courseIds: readonly string[],
): Promise<Map<string, Outline>> {
  const { rows } = await at.run(sql<OutlineRow>`
    select s.course_id, s.id as section_id, s.title as section_title,
      l.id, l.title, l.duration_seconds, l.is_preview, l.unlock_after_days, l.unlock_at
    from sections s
      left join lectures l on l.school_id = s.school_id and l.course_id = s.course_id
        and l.section_id = s.id
    where s.school_id = ${at.schoolId} and s.course_id = any(${courseIds}::uuid[])
    order by s.course_id, s.position, s.id, l.position, l.id
    limit ${sql.lit(MOST_ROWS + 1)}`)
  const outlines = new Map<string, { sections: DraftSection[]; lectureCount: number }>()
  for (const row of atMost(rows, MOST_ROWS)) {
    let outline = outlines.get(row.course_id)
    if (outline === undefined) {
      outline = { sections: [], lectureCount: 0 }
      outlines.set(row.course_id, outline)
    }
    const lecture = lectureFromRow(row)
    let section = outline.sections.at(-1)
    if (section?.id !== row.section_id) {
      section = { id: row.section_id, title: row.section_title, lectures: [] }
      outline.sections.push(section)
    }
    if (lecture === undefined) continue
    section.lectures.push(lecture)
    outline.lectureCount++
  }
  return outlines
}

interface DraftSection extends OutlineSection {
  readonly lectures: OutlineLecture[]
}

function lectureFromRow(row: OutlineRow): OutlineLecture | undefined {
  if (row.id === null) return undefined
  return {
    id: row.id,
    title: row.title,
    durationSeconds: row.duration_seconds,
    isPreview: row.is_preview,
    unlockAfterDays: row.unlock_after_days,
    unlockAt: row.unlock_at,
  }
}
