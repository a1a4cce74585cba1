import { describe, expect, test } from 'vitest'
import { recountJob } from '../../../src/domain/analytics/recount.ts'
import { verifies } from '../../spec/verifies.ts'
import { anOperator } from '../../support/admin-api.ts'
import { AdminBrowser } from '../../support/admin-browser.ts'
import {
  aroundSteps,
  asleepAtSecondStep,
  auditOfJob,
  endLeases,
  finishJobs,
  jobRow,
} from '../../support/jobs.ts'
import { aCourse, anEnrollment } from '../../support/learning.ts'
import { anOwner } from '../../support/operator-like.ts'
import { aWorld } from '../../support/world.ts'

const world = await aWorld()

/** A school whose figures are wrong, because rows were changed behind the back of the triggers. */
async function aSchoolWithWrongFigures() {
  const school = await world.aSchool()
  const operator = await anOperator(world, school, { scopes: 'analytics:read' })
  const course = await aCourse(school)
  await anEnrollment(school, await world.aMember(school), course, {
    enrolledAt: new Date('2026-03-31T07:00:00Z'),
  })
  const period = 'from=2026-03-31&to=2026-03-31'
  const enrollments = async () => {
    const answer = await operator.get(`/analytics/enrollments?${period}`)
    return answer.json().data[0].enrollment_count
  }
  const students = async () =>
    (await operator.get('/analytics/completion')).json().data[0].student_count
  expect([await enrollments(), await students()]).toEqual([1, 1])
  await school.db.update('enrollment_days').set({ enrollment_count: 77 }).execute()
  await school.db.update('course_figures').set({ student_count: 78 }).execute()
  const figures = async () => [await enrollments(), await students()]
  expect(await figures()).toEqual([77, 78])
  return { school, operator, figures }
}

describe('counting the figures anew', () => {
  verifies(
    'jobs.recount',
    'is a job over the REST API: 202 with its address, then its figures are right, with one audit entry',
    async () => {
      const { school, operator, figures } = await aSchoolWithWrongFigures()
      const answer = await operator.post('/analytics/recount', {})
      expect(answer.statusCode).toBe(202)
      const { id, state } = answer.json()
      expect(state).toBe('waiting')
      expect(answer.headers.location).toBe(`${school.origin}/api/v1/jobs/${id}`)
      expect(await figures()).toEqual([77, 78])
      await finishJobs(world)
      expect(await figures()).toEqual([1, 1])
      const job = (await operator.get(`/jobs/${id}`)).json()
      expect(job).toMatchObject({ operation: 'analytics.recount', state: 'done' })
      expect([job.done, job.result.figure_count]).toEqual([job.total, job.total])
      expect(await auditOfJob(school, id)).toMatchObject([
        { outcome: 'ok', detail: { operation: 'analytics.recount' } },
      ])
    },
  )

  test('can be started on the page of the figures', async () => {
    const school = await world.aSchool()
    const browser = new AdminBrowser(await anOwner(world, school))
    const page = await browser.page('/admin/analytics')
    const { headers } = await browser.fill(page, '/admin/analytics/recount', {})
    const [, job = ''] = /^\/admin\/jobs\/([0-9a-f-]{36})\?/.exec(String(headers.location)) ?? []
    expect(await browser.page(`/admin/jobs/${job}`)).toContain('Count the figures anew')
    await finishJobs(world)
    expect((await jobRow(school, job)).state).toBe('done')
  })

  test('goes on from its last step after a crash', async () => {
    const { school, operator, figures } = await aSchoolWithWrongFigures()
    const { id } = (await operator.post('/analytics/recount', {})).json()
    const { wakeUp } = await asleepAtSecondStep(world, recountJob)
    await endLeases(school)
    await finishJobs(world)
    expect(await figures()).toEqual([1, 1])
    const finished = await jobRow(school, id)
    expect(finished.state).toBe('done')
    await wakeUp()
    expect(await jobRow(school, id)).toEqual(finished)
  })

  test('that is cancelled leaves the figures it has not come to as they are', async () => {
    const { school, operator, figures } = await aSchoolWithWrongFigures()
    const { id } = (await operator.post('/analytics/recount', {})).json()
    const interrupted = aroundSteps(recountJob, async (step, number) => {
      // The parts are counted in order: revenue, enrollments, learners, then courses.
      if (number === 3) await operator.post(`/jobs/${id}/cancel`)
      await step()
    })
    await finishJobs(world, { kinds: [interrupted] })
    expect((await jobRow(school, id)).state).toBe('cancelled')
    expect(await figures()).toEqual([1, 78])
  })

  test('is refused to a token without the scope of the figures', async () => {
    const school = await world.aSchool()
    const operator = await anOperator(world, school, { scopes: 'students:read' })
    expect((await operator.post('/analytics/recount', {})).statusCode).toBe(403)
  })
})
