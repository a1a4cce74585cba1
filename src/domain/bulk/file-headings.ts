import { csvReader, lineReader } from '../../foundation/tabular/csv-reader.ts'
import {
  type FileRecord,
  readRecords,
  UnreadableFileError,
} from '../../foundation/tabular/read-records.ts'
import { oneLine } from '../../foundation/text/visible-text.ts'
import type { BulkKind } from './kind.ts'
import { type ColumnNames, type Format, headingName, headingNames } from './row-reader.ts'

/** A heading of a file, with a value that stands below it. */
export interface Heading {
  readonly heading: string
  readonly sample: string
}

const READ_RECORDS = 6
export const MOST_HEADINGS = 200
const SAMPLE_LENGTH = 80

/** The headings of a CSV file, or the members of the first objects of an NDJSON file. */
export async function readHeadings(
  format: Format,
  source: AsyncIterable<Uint8Array>,
): Promise<readonly Heading[]> {
  return format === 'csv' ? ofTable(await first(source)) : ofObjects(await firstLines(source))
}

/** How many rows an import of the file reads; undefined if it cannot be read to its end. */
export async function countRows(
  format: Format,
  source: AsyncIterable<Uint8Array>,
): Promise<number | undefined> {
  let rows = format === 'csv' ? -1 : 0
  const reader =
    format === 'csv' ? readRecords(source, csvReader()) : readRecords(source, lineReader())
  try {
    for await (const some of reader) rows += some.length
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error
    return undefined
  }
  return Math.max(rows, 0)
}

async function first(source: AsyncIterable<Uint8Array>) {
  return await take(readRecords(source, csvReader()))
}

async function firstLines(source: AsyncIterable<Uint8Array>) {
  return await take(readRecords(source, lineReader()))
}

async function take<T>(records: AsyncIterable<FileRecord<T>[]>): Promise<readonly T[]> {
  const found: T[] = []
  try {
    for await (const some of records) {
      for (const record of some) if ('content' in record) found.push(record.content)
      if (found.length >= READ_RECORDS) break
    }
  } catch (error) {
    // The check of the rows reports the place.
    if (!(error instanceof UnreadableFileError)) throw error
  }
  return found.slice(0, READ_RECORDS)
}

function ofTable([headings = [], ...rows]: readonly (readonly (string | null)[])[]) {
  const names = headingNames(headings)
  const found = names.map((heading, place) => ({
    heading,
    sample: oneLine(
      rows.map((row) => row[place] ?? '').find((text) => text !== '') ?? '',
      SAMPLE_LENGTH,
    ),
  }))
  // Spreadsheets write a comma too many after each row.
  return found
    .filter(({ sample }, place) => sample !== '' || (headings[place] ?? '').trim() !== '')
    .slice(0, MOST_HEADINGS)
}

function ofObjects(lines: readonly string[]): readonly Heading[] {
  const members = lines.flatMap((line) => Object.entries(objectOn(line)))
  return distinct(
    members.map(([name, value]) => ({
      heading: headingName(name),
      sample: oneLine(typeof value === 'string' ? value : JSON.stringify(value), SAMPLE_LENGTH),
    })),
  )
}

function objectOn(line: string): object {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  } catch {
    return {}
  }
}

function distinct(headings: readonly Heading[]): readonly Heading[] {
  const named = headings.filter(
    ({ heading }, place) =>
      heading !== '' && headings.findIndex((one) => one.heading === heading) === place,
  )
  return named.slice(0, MOST_HEADINGS)
}

/** Words that other systems write over a column of ours. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  email: ['mail', 'emailaddress', 'studentemail', 'useremail', 'customeremail', 'emails'],
  name: ['fullname', 'displayname', 'studentname', 'username', 'customer', 'student', 'person'],
  title: ['coursetitle', 'coursename', 'name', 'headline'],
  description: ['about', 'details', 'longdescription'],
  summary: ['subtitle', 'shortdescription', 'excerpt'],
  body: ['content', 'text'],
  slug: ['address', 'handle', 'permalink', 'url'],
  code: ['coupon', 'couponcode', 'discountcode', 'promocode'],
  percent_off: ['percent', 'discountpercent', 'percentage'],
  member_email: ['email', 'mail', 'emailaddress', 'customeremail'],
  student_email: ['email', 'mail', 'emailaddress'],
  course_slug: ['course'],
}

/**
 * The column for each heading: as the school chose it last time, else by its name or by a word that
 * means the same. A heading without one is left out.
 */
export function guessColumns(
  { columns }: BulkKind,
  headings: readonly Heading[],
  remembered: ColumnNames,
): ColumnNames {
  const free = new Set(Object.keys(columns))
  const take = (name: string | undefined, mayJoin = false): string => {
    if (name === undefined) return ''
    return free.delete(name) || (mayJoin && columns[name]?.joins === true) ? name : ''
  }
  const chosen: Record<string, string> = {}
  // Exact names first, so that a synonym does not take their column.
  for (const { heading } of headings) {
    const isKnown = Object.hasOwn(remembered, heading)
    const name = take(isKnown ? remembered[heading] : heading, isKnown)
    if (name !== '') chosen[heading] = name
  }
  for (const { heading } of headings) {
    if (heading in chosen) continue
    const isLeftOut = Object.hasOwn(remembered, heading)
    chosen[heading] = isLeftOut ? '' : take([...free].find((name) => isMeant(name, heading)))
  }
  return chosen
}

function isMeant(column: string, heading: string): boolean {
  const written = plain(heading)
  return written === plain(column) || (SYNONYMS[column]?.includes(written) ?? false)
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')
