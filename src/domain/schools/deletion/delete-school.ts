import { sql } from 'kysely'
import type { SchoolTx } from '../../../foundation/db/school-db.ts'
import type { Actor } from '../../actor.ts'
import { recordChange } from '../../audit/record-change.ts'
import { cancelAllJobs, startJob } from '../../jobs/start-job.ts'
import { notFound } from '../../operation/refusal.ts'
import { deleteSchoolJob } from './delete-school-job.ts'

interface Names {
  readonly subdomain: string
  readonly origin: string
}

/**
 * Deletes a school for good. Nothing answers at its origin any more when this transaction commits, and its names are free
 * for another school; a job removes its rows and files. The accounts of its people belong to no school and stay, and so
 * does the audit log, for as long as it is kept.
 */
export async function deleteSchool(tx: SchoolTx, by: Actor): Promise<void> {
  const { rows } = await tx.run(sql<Names>`
    select subdomain, origin from schools where id = ${tx.schoolId} and deleted_at is null for update`)
  const [names] = rows
  if (names === undefined) throw notFound('school')
  const name = `deleted-${tx.schoolId}`
  await tx.run(sql`
    update schools set deleted_at = now(), subdomain = ${name}, origin = ${`https://${name}.invalid`}
    where id = ${tx.schoolId}`)
  // What else was to be done here would be for nothing.
  await cancelAllJobs(tx)
  await recordChange(tx, by, { action: 'school.deleted', detail: { ...names } })
  const title = `Remove what the deleted school ${names.subdomain} has left`
  await startJob(tx, by, deleteSchoolJob, { input: {}, title })
}
