import { sql } from 'kysely'
import { LruCache } from '../../foundation/cache/lru-cache.ts'
import { atMost } from '../../foundation/db/keyset.ts'
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

/**
 * The sections and lectures of a course in the order of its curriculum, the same for every member.
 */
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
 * The outlines of several courses in one statement; a course without sections is not in the map.
 * Throws TooManyRowsError if they are longer than anything that a person learns from.
 */
async function outlinesOf(
  db: SchoolDb,
  courseIds: readonly string[],
): Promise<Map<string, Outline>> {
  const { rows } = await db.run(sql<OutlineRow>`
    select s.course_id, s.id as section_id, s.title as section_title,
      l.id, l.title, l.duration_seconds, l.is_preview, l.unlock_after_days, l.unlock_at
    from sections s
      left join lectures l on l.school_id = s.school_id and l.course_id = s.course_id
        and l.section_id = s.id
    where s.school_id = ${db.schoolId} and s.course_id = any(${courseIds}::uuid[])
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

/** For the whole process: about 90,000 lectures with titles of ordinary length. */
const MAX_BYTES = 32 * 1024 * 1024

/** A course, section or lecture without its title: slightly more than it takes in memory. */
const PART_BYTES = 300

export interface OutlineKey {
  readonly id: string
  readonly createdAt: Date
  readonly outlineVersion: number
}

/** Where outlines come from: the cache, or a surface that counts what it reads. */
export interface OutlineSource {
  load(db: SchoolDb, courses: readonly OutlineKey[]): Promise<Map<string, Outline>>
}

interface Remembered {
  readonly version: string
  readonly outline: Outline
}

/**
 * Outlines by course and version. The version comes from the course row, which every request reads
 * before the outline. A change that is committed in between can store a newer outline under an old
 * version, which no request asks for again, but never an older outline under the current version.
 * A process needs one cache, for all of its surfaces.
 */
export class OutlineCache implements OutlineSource {
  readonly #outlines: LruCache<Remembered>

  constructor(maxBytes = MAX_BYTES) {
    this.#outlines = new LruCache(maxBytes)
  }

  /** Reads missing outlines in one statement. */
  async load(db: SchoolDb, courses: readonly OutlineKey[]): Promise<Map<string, Outline>> {
    const found = new Map<string, Outline>()
    const missing: OutlineKey[] = []
    for (const course of courses) {
      const known = this.#outlines.get(cacheKey(db, course))
      if (known?.version === versionOf(course)) found.set(course.id, known.outline)
      else missing.push(course)
    }
    if (missing.length === 0) return found
    const read = await outlinesOf(
      db,
      missing.map(({ id }) => id),
    )
    for (const course of missing) {
      const outline = read.get(course.id) ?? EMPTY_OUTLINE
      found.set(course.id, outline)
      const remembered = { version: versionOf(course), outline }
      const bytes = outlineBytes(outline)
      this.#outlines.set(cacheKey(db, course), remembered, bytes, db.schoolId)
    }
    return found
  }
}

function cacheKey(db: SchoolDb, { id }: OutlineKey): string {
  return `${db.schoolId} ${id}`
}

/**
 * Includes the creation time, because a course that is removed and imported again counts from one.
 */
function versionOf({ createdAt, outlineVersion }: OutlineKey): string {
  return `${createdAt.getTime()} ${outlineVersion}`
}

/** An upper bound of the memory that an outline takes. */
export function outlineBytes({ sections, lectureCount }: Outline): number {
  let letters = 0
  for (const section of sections) {
    letters += section.title.length
    for (const lecture of section.lectures) letters += lecture.title.length
  }
  return PART_BYTES * (1 + sections.length + lectureCount) + 2 * letters
}
