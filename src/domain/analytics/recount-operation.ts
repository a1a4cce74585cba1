import { z } from 'zod'
import { jobSchema, jobs } from '../jobs/job-operations.ts'
import { startJob } from '../jobs/start-job.ts'
import { loadObject } from '../operation/resource.ts'
import type { WriteOperation } from '../operation.ts'
import { recountJob } from './figures/recount-job.ts'

const nothing = z.strictObject({})

/** It changes no figure that is right, so a token that may read the figures may start it, like an export. */
const NEEDED = ['analytics:read']

export const recountAnalytics: WriteOperation<typeof nothing, typeof jobSchema> = {
  name: 'analytics.recount',
  title: 'Count the figures anew',
  summary:
    'Counts all figures of the school again from its rows, for example after rows were changed directly in the database. Answers with a job; the figures can be read meanwhile.',
  kind: 'create',
  scopes: NEEDED,
  input: nothing,
  output: jobSchema,
  restPath: jobs.restPath,
  examples: [{ title: 'All figures', input: {} }],
  async run(tx, actor) {
    const title = 'Count the figures anew'
    const job = await startJob(tx, actor, recountJob, { input: {}, title, scopes: NEEDED })
    return await loadObject(tx, actor, jobs, job)
  },
  // The job writes the entry when it ends.
  audit: () => [],
}
