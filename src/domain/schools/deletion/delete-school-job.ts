import type { JobKind } from '../../jobs/job.ts'
import { type Position, removeSomeRows, tablesOfSchools } from './remove-rows.ts'

/** Where the removal of a table is. */
interface DeletionCursor {
  readonly table: string
  readonly after: Position
}

/** Removes the rows and files of a deleted school. A table that is begun again goes on where it was. */
export const deleteSchoolJob: JobKind<object, DeletionCursor> = {
  name: 'schools.delete',
  isCleanUp: true,
  async run(job) {
    for (const table of await tablesOfSchools(job.at)) {
      const { name } = table
      let isLast = false
      while (!isLast) {
        const after = job.cursor?.table === name ? job.cursor.after : null
        await job.step(async (tx) => {
          const step = await removeSomeRows(tx, table, after, job.files)
          isLast = step.isLast
          return { cursor: { table: name, after: step.last }, done: job.done + step.removed }
        })
      }
    }
    return { rows: job.done }
  },
}
