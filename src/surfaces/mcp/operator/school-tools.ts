import {
  readActiveLearners,
  readCompletion,
  readEnrollmentSeries,
  readRevenue,
} from '../../../domain/analytics/analytics-operations.ts'
import { recountAnalytics } from '../../../domain/analytics/recount.ts'
import { EXPORT_SCOPES, startExportJob } from '../../../domain/catalogue/transfer-operations.ts'
import { cancelJob, listJobs, readJob } from '../../../domain/jobs/job-operations.ts'
import { changeAppearance, readAppearance } from '../../../domain/schools/appearance-operations.ts'
import { changeSchool, readSchool } from '../../../domain/schools/school-operations.ts'
import type { Tool } from '../tool.ts'
import { operationTool } from './operation-tool.ts'

export const SCHOOL_TOOLS: readonly Tool[] = [
  operationTool({
    name: 'read_school',
    title: 'Look at the school',
    description:
      'Settings, appearance, and the figures: revenue, enrollments, active learners and completion. Reads only.',
    changedBy: ['change_school'],
    operations: [
      readSchool,
      readAppearance,
      readRevenue,
      readEnrollmentSeries,
      readActiveLearners,
      readCompletion,
    ],
  }),
  operationTool({
    name: 'change_school',
    title: 'Change the school',
    description:
      'Changes the school’s name, texts, settings and colors. Takes effect at once, on every page.',
    operations: [changeSchool, changeAppearance],
  }),
  operationTool({
    name: 'background_work',
    title: 'Long work in the background',
    description:
      'Starts an export of all objects of a kind or a new count of the figures, tells how far a job is and what came of it, and cancels one. A start answers at once, with the id of the job: ask jobs.read every few seconds until its state is done, failed or cancelled.',
    operations: [startExportJob, recountAnalytics, listJobs, readJob, cancelJob],
    openedBy: [...EXPORT_SCOPES, 'analytics:read'],
  }),
]
