import { LruCache } from '../../foundation/cache/lru-cache.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { EMPTY_OUTLINE, type Outline, outlinesOf } from './outline.ts'

/** Of a whole process: about 90,000 lectures with titles of ordinary length. */
const MAX_BYTES = 32 * 1024 * 1024

/** A course, section or lecture without its title: rather more than what it takes on 64 bits. */
const PART_BYTES = 300

export interface OutlineKey {
  readonly id: string
  readonly createdAt: Date
  readonly outlineVersion: number
}

interface Remembered {
  readonly version: string
  readonly outline: Outline
}

/**
 * Outlines by course and version. The version comes from the course row, which is read anyway and
 * before the outline, so that a change committed in between can only store a newer outline under a
 * version that nobody will ask for again, never an older one under the current version. A process
 * needs one of these, for all of its surfaces.
 */
export class OutlineCache {
  readonly #outlines: LruCache<Remembered>

  constructor(maxBytes = MAX_BYTES) {
    this.#outlines = new LruCache(maxBytes)
  }

  /** Reads what is missing in one statement, or none. */
  async load(at: SchoolDb, courses: readonly OutlineKey[]): Promise<Map<string, Outline>> {
    const found = new Map<string, Outline>()
    const missing: OutlineKey[] = []
    for (const course of courses) {
      const known = this.#outlines.get(cacheKey(at, course))
      if (known?.version === versionOf(course)) found.set(course.id, known.outline)
      else missing.push(course)
    }
    if (missing.length === 0) return found
    const read = await outlinesOf(
      at,
      missing.map(({ id }) => id),
    )
    for (const course of missing) {
      const outline = read.get(course.id) ?? EMPTY_OUTLINE
      found.set(course.id, outline)
      const remembered = { version: versionOf(course), outline }
      this.#outlines.set(cacheKey(at, course), remembered, outlineBytes(outline))
    }
    return found
  }
}

function cacheKey(at: SchoolDb, { id }: OutlineKey): string {
  return `${at.schoolId} ${id}`
}

/** Every row counts from one, also that of a course which was removed and imported under its old id. */
function versionOf({ createdAt, outlineVersion }: OutlineKey): string {
  return `${createdAt.getTime()} ${outlineVersion}`
}

/** What an outline takes in memory at most, whether it is long by lectures, sections or titles. */
export function outlineBytes({ sections, lectureCount }: Outline): number {
  let letters = 0
  for (const section of sections) {
    letters += section.title.length
    for (const lecture of section.lectures) letters += lecture.title.length
  }
  return PART_BYTES * (1 + sections.length + lectureCount) + 2 * letters
}
