import { LruCache } from '../../foundation/cache/lru-cache.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { EMPTY_OUTLINE, type Outline, outlinesOf } from './outline.ts'

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
  load(at: SchoolDb, courses: readonly OutlineKey[]): Promise<Map<string, Outline>>
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
      const bytes = outlineBytes(outline)
      this.#outlines.set(cacheKey(at, course), remembered, bytes, at.schoolId)
    }
    return found
  }
}

function cacheKey(at: SchoolDb, { id }: OutlineKey): string {
  return `${at.schoolId} ${id}`
}

/** Includes the creation time, because a course that is removed and imported again counts from one. */
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
