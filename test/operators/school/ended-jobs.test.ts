import { expect, test } from 'vitest'
import { checkJob } from '../../../src/domain/catalogue/check-job.ts'
import { aJob, finishJobs } from '../../support/jobs.ts'
import { anOwner } from '../../support/operator-like.ts'
import { sharedWorld } from '../../support/world.ts'

test('the audit log says of a job that it failed or was cancelled, and not that it was refused', async () => {
  const world = await sharedWorld()
  const school = await world.aSchool()
  const owner = await anOwner(world, school)
  const gone = { resource: 'students', source: 'gone', format: 'csv', columns: {} } as const
  await aJob(world, school, checkJob, gone)
  await finishJobs(world)
  const failed = (await owner.get('/admin/audit?outcome=refused')).body
  expect(failed).toContain('>Failed</span>')
  await aJob(world, school, checkJob, gone)
  await school.db.update('jobs').set({ cancel_requested: true }).execute()
  await finishJobs(world)
  const { body } = await owner.get('/admin/audit?outcome=refused')
  expect(body).toContain('>Canceled</span>')
  expect(body).not.toContain('>Refused</span>')
})
