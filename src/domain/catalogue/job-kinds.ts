import { recountJob } from '../analytics/recount.ts'
import { exportJob } from '../bulk/export-job.ts'
import { importJob } from '../bulk/import-job.ts'
import { endAccessJob } from '../grants/end-access.ts'
import { endAllAccessJob } from '../grants/end-all-access-job.ts'
import type { JobKind } from '../jobs/job.ts'
import { announceJob } from '../learning/announcements.ts'
import { copyJob } from '../leaving/copy-job.ts'
import { forgetMemberJob } from '../leaving/forget-member.ts'
import { inviteJob } from '../people/invitations.ts'
import { deleteSchoolJob } from '../schools/delete-school.ts'
import { BULK_KINDS, EXPORT_KINDS } from './bulk-kinds.ts'
import { checkJob } from './check-job.ts'

/** Every kind of job. A kind stays here for a release after its last job was started. */
export const JOB_KINDS: readonly JobKind[] = [
  announceJob,
  endAccessJob,
  endAllAccessJob,
  recountJob,
  deleteSchoolJob,
  copyJob,
  forgetMemberJob,
  inviteJob,
  checkJob,
  ...EXPORT_KINDS.map(exportJob),
  ...BULK_KINDS.map(importJob),
]
