import { randomBytes } from 'node:crypto'
import { keyOf } from '../../../foundation/storage/file-store.ts'
import { noFileStore } from '../../bulk/export-job.ts'
import { isLeaseLost, type JobKind } from '../../jobs/job.ts'
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
/** The file is stored in parts, because a store cannot append. A part is in memory while it is made. */
const PART_CHARACTERS = 1024 * 1024
const MOST_PART_BYTES = 64 * 1024 * 1024

/**
 * Writes what the school holds about the person who asked. Each line is JSON: `[section, title]` begins a section,
 * `[section, row]` is one of its rows, so the file says by itself what it has, whichever release reads it.
 */
export const copyJob: JobKind<object, CopyCursor> = {
  name: COPY_KIND,
  isOfMember: true,
  keptDays: COPY_KEPT_DAYS,
  async run(job) {
    const { files, at, actor } = job
    const { userId } = actor
    if (files === undefined) throw noFileStore()
    if (userId === undefined) throw new Error('a copy without a person')
    const folder = `${job.id}-${randomBytes(4).toString('hex')}`
    let lines: string[] = []
    let length = 0
    let rows = 0
    const add = (section: string, json: string) => {
      const line = `[${JSON.stringify(section)},${json}]\n`
      lines.push(line)
      length += line.length
    }
    const store = async (cursor: CopyCursor) => {
      const { key } = await files.write(folder, encoded(lines), MOST_PART_BYTES, ({ sha256 }) =>
        job.willStore(keyOf(folder, sha256)),
      )
      try {
        await job.step(async () => ({ cursor, done: job.done + rows, files: [key] }))
      } catch (error) {
        // The run that has the lease now stores this part itself.
        if (isLeaseLost(error)) await files.remove(key)
        throw error
      }
      lines = []
      length = 0
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
        if (length >= PART_CHARACTERS) await store(cursor)
        if (page.rows.length < ROWS_AT_ONCE) break
      }
    }
    if (lines.length > 0 && cursor !== undefined) await store(cursor)
    return { rows: job.done }
  },
}

async function* encoded(lines: readonly string[]): AsyncGenerator<Buffer, void, void> {
  for (const line of lines) yield Buffer.from(line)
}
