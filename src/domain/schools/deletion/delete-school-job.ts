import type { JobKind } from '../../jobs/job.ts'
import { REMOVED_AT_ONCE, removeSomeRows, tablesOfSchools } from './remove-rows.ts'

/** Removes the rows and files of a deleted school. What is removed is not found again, so it needs no position. */
export const deleteSchoolJob: JobKind<object, object> = {
  name: 'schools.delete',
  isCleanUp: true,
  async run(job) {
    for (const table of await tablesOfSchools(job.at)) {
      let removed = REMOVED_AT_ONCE
      while (removed === REMOVED_AT_ONCE) {
        await job.step(async (tx) => {
          removed = await removeSomeRows(tx, table, job.files)
          return { cursor: {}, done: job.done + removed }
        })
      }
    }
    return { rows: job.done }
  },
}
