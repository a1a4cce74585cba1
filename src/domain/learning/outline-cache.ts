import { LruCache } from '../../foundation/cache/lru-cache.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { EMPTY_OUTLINE, type Outline, outlinesOf } from './outline.ts'

/** A few tens of megabytes at most. */
const MAX_LECTURES = 100_000

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
 * version that nobody will ask for again, never an older one under the current version.
 */
export class OutlineCache {
  readonly #outlines = new LruCache<Remembered>(MAX_LECTURES)

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
      const weight = 1 + outline.lectureCount
      this.#outlines.set(cacheKey(at, course), { version: versionOf(course), outline }, weight)
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
