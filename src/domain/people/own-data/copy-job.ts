import { FileInParts } from '../../jobs/file-in-parts.ts'
import type { JobKind } from '../../jobs/job.ts'
import { type Place, readSection } from './section.ts'
import { SECTIONS } from './sections.ts'

export const COPY_KIND = 'account.copy'
/** A file with everything about a person is not kept for long. */
export const COPY_KEPT_DAYS = 3

interface CopyCursor {
  /** The section of the last line in the stored parts, and the place of its row; none if the line is its heading. */
  readonly section: string
  readonly after?: Place | undefined
}

const ROWS_AT_ONCE = 500
/** In characters; see `FileInParts`. */
const PART_LENGTH = 1024 * 1024

/**
 * Writes what the school holds about the person who asked. Each line is JSON: `[section, title]` begins a section,
 * `[section, row]` is one of its rows, so the file says by itself what it has, whichever release reads it.
 */
export const copyJob: JobKind<object, CopyCursor> = {
  name: COPY_KIND,
  isOfMember: true,
  keptDays: COPY_KEPT_DAYS,
  async run(job) {
    const { at, actor } = job
    const { userId } = actor
    if (userId === undefined) throw new Error('a copy without a person')
    const file = new FileInParts(job)
    let rows = 0
    const add = (section: string, json: string) =>
      file.add(`[${JSON.stringify(section)},${json}]\n`)
    const store = async (cursor: CopyCursor) => {
      await file.store(() => ({ cursor, done: job.done + rows }))
      rows = 0
    }
    const begun = SECTIONS.findIndex(({ name }) => name === job.cursor?.section)
    let cursor: CopyCursor | undefined
    for (const section of SECTIONS.slice(Math.max(begun, 0))) {
      const { name, title } = section
      let after = job.cursor?.section === name ? job.cursor.after : undefined
      if (job.cursor?.section !== name) add(name, JSON.stringify(title))
      for (;;) {
        const page = await readSection(at, section, userId, { after, limit: ROWS_AT_ONCE })
        for (const row of page.rows) add(name, row)
        rows += page.rows.length
        after = page.last ?? after
        cursor = { section: name, after }
        if (file.length >= PART_LENGTH) await store(cursor)
        if (page.rows.length < ROWS_AT_ONCE) break
      }
    }
    if (file.length > 0 && cursor !== undefined) await store(cursor)
    return { rows: job.done }
  },
}
