import { type RawBuilder, sql } from 'kysely'
import { containsWords, plannedFor } from '../../foundation/db/contains-words.ts'
import { inRange, type Keyed, type KeysetRange, rangeOrder } from '../../foundation/db/keyset.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { htmlOf } from './rendered-texts.ts'

/** A post or a page that the school has published. */
export interface PublicWriting extends Keyed {
  readonly id: string
  readonly slug: string
  readonly title: string
  /** Markdown, as the school wrote it. */
  readonly body: string
  readonly publishedAt: Date
}

type WritingRow = Omit<PublicWriting, 'key'>

/**
 * One of them, with its text as HTML; null if it is not rendered yet. Only a preview is not public.
 */
type WholeWriting = WritingRow & { readonly html: string | null; readonly isPublic: boolean }

const SEARCHED = ['title', 'body']
/** A text with a publication date in the future is not public yet. */
const PUBLIC = sql`state = 'published' and published_at <= now()`

/** Published posts in which every word of the search occurs, newest first. */
export function publicPosts(
  db: SchoolDb,
  search: string,
  range: KeysetRange,
): Promise<PublicWriting[]> {
  return writings(db, sql`posts`, search, range)
}

/** Published pages in which every word of the search occurs, newest first. */
export function publicPages(
  db: SchoolDb,
  search: string,
  range: KeysetRange,
): Promise<PublicWriting[]> {
  return writings(db, sql`pages`, search, range)
}

/**
 * Public posts or pages that contain every word of the search, newest first, for a search over all
 * kinds.
 */
export function writingHits(
  db: SchoolDb,
  kind: 'post' | 'page',
  search: string,
  limit: number,
): RawBuilder<unknown> {
  return sql`
    select ${sql.lit(kind)} as kind, id, slug, title, body as text
    from ${kind === 'post' ? sql`posts` : sql`pages`}
    where school_id = ${db.schoolId} and ${PUBLIC} and ${containsWords(SEARCHED, search)}
    order by published_at desc, id desc limit ${limit}`
}

/** For the preview of an operator it need not be published. */
export function findPublicPost(
  db: SchoolDb,
  slug: string,
  isPreview = false,
): Promise<WholeWriting | undefined> {
  return findWriting(db, sql`posts`, slug, isPreview)
}

/** For the preview of an operator it need not be published. */
export function findPublicPage(
  db: SchoolDb,
  slug: string,
  isPreview = false,
): Promise<WholeWriting | undefined> {
  return findWriting(db, sql`pages`, slug, isPreview)
}

async function writings(
  db: SchoolDb,
  table: RawBuilder<unknown>,
  search: string,
  range: KeysetRange,
): Promise<PublicWriting[]> {
  const { rows } = await db.run(sql<WritingRow>`
    select id, slug, title, body, published_at as "publishedAt" from ${table}
    where school_id = ${db.schoolId} and ${PUBLIC}
      and ${inRange('published_at', 'id', range)}
      and ${containsWords(SEARCHED, search)}
    ${rangeOrder('published_at', 'id', range)} ${plannedFor(search)}`)
  return rows.map((row) => ({ ...row, key: { at: row.publishedAt, id: row.id } }))
}

async function findWriting(
  db: SchoolDb,
  table: RawBuilder<unknown>,
  slug: string,
  isPreview: boolean,
): Promise<WholeWriting | undefined> {
  const { rows } = await db.run(sql<WholeWriting>`
    select p.id, p.slug, p.title, p.body, coalesce(p.published_at, now()) as "publishedAt",
      ${htmlOf('p')} as html, coalesce(${PUBLIC}, false) as "isPublic"
    from ${table} p
    where p.school_id = ${db.schoolId} and p.slug = ${slug} ${isPreview ? sql`` : sql`and ${PUBLIC}`}`)
  return rows[0]
}
