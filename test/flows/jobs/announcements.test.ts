import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { announceJob } from '../../../src/domain/learning/announcements.ts'
import { verifies } from '../../spec/verifies.ts'
import { AdminBrowser } from '../../support/admin-browser.ts'
import {
  aroundSteps,
  asleepAtSecondStep,
  auditOfJob,
  endLeases,
  finishJobs,
  jobRow,
  manyStudents,
} from '../../support/jobs.ts'
import { aCourse } from '../../support/learning.ts'
import { anOwner } from '../../support/operator-like.ts'
import { aWorld, type TestSchool } from '../../support/world.ts'

const world = await aWorld()
const STUDENTS = 2_500

async function aLargeCourse() {
  const school = await world.aSchool()
  const browser = new AdminBrowser(await anOwner(world, school))
  const course = await aCourse(school)
  await manyStudents(school, course, STUDENTS)
  const announce = async () => {
    const address = `/admin/courses/${course.id}/announce`
    const { path, body } = await browser.done(address, { title: 'New lectures' })
    return { path, body, job: path.split('/').at(-1) ?? '' }
  }
  return { school, browser, course, announce }
}

/** How many students have how many entries. */
async function studentsByEntries(school: TestSchool): Promise<Record<string, number>> {
  const { rows } = await school.db.run(sql<{ entries: number; students: number }>`
    select entries, count(*)::int as students from (
      select count(n.id)::int as entries from enrollments e
        left join notifications n on n.school_id = e.school_id and n.user_id = e.user_id
      where e.school_id = ${school.id} group by e.user_id) each group by entries`)
  return Object.fromEntries(rows.map(({ entries, students }) => [entries, students]))
}

describe('an announcement to a large course', () => {
  verifies(
    ['jobs.announcement.background', 'jobs.audit'],
    'is a job: the request sends nothing, the work reaches every student once and leaves one audit entry',
    async () => {
      const { school, browser, announce } = await aLargeCourse()
      const { path, body, job } = await announce()
      expect(path).toMatch(/^\/admin\/jobs\//)
      expect(body).toContain('You can leave the page')
      expect(await studentsByEntries(school)).toEqual({ 0: STUDENTS })
      expect(await auditOfJob(school, job)).toEqual([])
      await finishJobs(world)
      expect(await studentsByEntries(school)).toEqual({ 1: STUDENTS })
      expect(await jobRow(school, job)).toMatchObject({
        state: 'done',
        done_count: STUDENTS,
        total_count: STUDENTS,
        result: { sent_count: STUDENTS },
      })
      expect(await browser.page(path)).toContain('Sent count: 2,500')
      const detail = { operation: 'notifications.announce', sent_count: STUDENTS }
      expect(await auditOfJob(school, job)).toMatchObject([{ outcome: 'ok', detail }])
    },
  )

  verifies(
    ['jobs.crash', 'jobs.lease'],
    'whose worker stops between two steps is finished by another; when it wakes up it writes nothing',
    async () => {
      const { school, announce } = await aLargeCourse()
      const { job } = await announce()
      const { wakeUp } = await asleepAtSecondStep(world, announceJob)
      expect(await studentsByEntries(school)).toEqual({ 0: STUDENTS - 1_000, 1: 1_000 })
      await endLeases(school)
      await finishJobs(world)
      const finished = await jobRow(school, job)
      expect(finished.state).toBe('done')
      await wakeUp()
      expect(await jobRow(school, job)).toEqual(finished)
      expect(await studentsByEntries(school)).toEqual({ 1: STUDENTS })
      expect(await auditOfJob(school, job)).toHaveLength(1)
    },
  )

  test('reaches no student twice whose enrollment moves while it is sent', async () => {
    const { school, announce } = await aLargeCourse()
    await announce()
    const moving = aroundSteps(announceJob, async (step, number) => {
      await step()
      if (number !== 1) return
      await school.db.run(sql`
        update enrollments set enrolled_at = enrolled_at + interval '1 minute'
        where school_id = ${school.id}`)
    })
    await finishJobs(world, { kinds: [moving] })
    expect(await studentsByEntries(school)).toEqual({ 1: STUDENTS })
  })

  verifies(
    'jobs.cancel',
    'that is cancelled while it runs ends after its step, and what was sent stays',
    async () => {
      const { school, browser, announce } = await aLargeCourse()
      const { path, job } = await announce()
      const interrupted = aroundSteps(announceJob, async (step) => {
        await browser.done(`${path}/cancel`)
        await step()
      })
      await finishJobs(world, { kinds: [interrupted] })
      expect((await jobRow(school, job)).state).toBe('cancelled')
      expect(await studentsByEntries(school)).toEqual({ 0: STUDENTS - 1_000, 1: 1_000 })
      const entries = await auditOfJob(school, job)
      expect(entries.map(({ outcome }) => outcome)).toEqual(['ok', 'cancelled'])
      expect(await browser.page(path)).not.toContain(`${path}/cancel`)
    },
  )
})
