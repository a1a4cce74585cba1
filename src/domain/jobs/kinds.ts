import { recountJob } from '../analytics/figures/recount-job.ts'
import { checkJob } from '../bulk/check-job.ts'
import { exportJob } from '../bulk/export-job.ts'
import { importJob } from '../bulk/import-job.ts'
import { BULK_KINDS, EXPORT_KINDS } from '../bulk/kinds.ts'
import { endAccessJob } from '../grants/end-access-job.ts'
import { endAllAccessJob } from '../grants/end-all-access-job.ts'
import { announceJob } from '../notifications/announce-job.ts'
import { forgetMemberJob } from '../people/deletion/forget-member-job.ts'
import { inviteJob } from '../people/invitations/invite-job.ts'
import { copyJob } from '../people/own-data/copy-job.ts'
import { deleteSchoolJob } from '../schools/deletion/delete-school-job.ts'
import type { JobKind } from './job.ts'

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
