import { sql } from 'kysely'
import { plannedFor } from '../../foundation/db/contains-words.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { planHits, productHits } from '../commerce/public-offers.ts'
import { writingHits } from '../content/public-writing.ts'
import { htmlOf } from '../content/rendered-texts.ts'
import { eventHits } from '../events/public-events.ts'
import { courseHits } from '../learning/public-courses.ts'

/** In the order of the answer. */
const KINDS = ['course', 'event', 'membership_plan', 'digital_product', 'post', 'page'] as const

export interface CatalogueHit {
  readonly kind: (typeof KINDS)[number]
  readonly id: string
  readonly slug: string
  readonly title: string
  /** The beginning of its text. */
  readonly text: string
  /** The beginning of its rendered text; null if that is not rendered yet. */
  readonly html: string | null
}

/** Enough for an excerpt. */
const TEXT_LENGTH = 2_000

/**
 * All public objects that contain every word: those first that have the first word in their title.
 * One statement, because the limit for strangers holds for each: six would have six times as long,
 * on as many connections.
 */
export async function searchCatalogue(
  db: SchoolDb,
  words: string,
  perKind: number,
): Promise<readonly CatalogueHit[]> {
  const kinds = [
    courseHits(db, words, perKind),
    eventHits(db, words, perKind),
    planHits(db, words, perKind),
    productHits(db, words, perKind),
    writingHits(db, 'post', words, perKind),
    writingHits(db, 'page', words, perKind),
  ]
  const all = sql.join(
    kinds.map((hits) => sql`(${hits})`),
    sql` union all `,
  )
  const { rows } = await db.run(sql<CatalogueHit>`
    select kind, id, slug, title, left(text, ${sql.lit(TEXT_LENGTH)}) as text,
      left(${htmlOf('hits')}, ${sql.lit(TEXT_LENGTH)}) as html
    from (select ${db.schoolId}::uuid as school_id, * from (${all}) kinds) hits ${plannedFor(words)}`)
  const hits = KINDS.flatMap((kind) => rows.filter((row) => row.kind === kind))
  const [first = ''] = words.trim().toLowerCase().split(/\s+/)
  const isTitle = ({ title }: CatalogueHit) => title.toLowerCase().includes(first)
  return [...hits.filter(isTitle), ...hits.filter((hit) => !isTitle(hit))]
}
