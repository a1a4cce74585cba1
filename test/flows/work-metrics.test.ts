import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import type { JobKind } from '../../src/domain/jobs/job.ts'
import { forgottenPasswordMail } from '../../src/domain/people/mails/password-mails.ts'
import { queueMail } from '../../src/domain/people/outgoing-mail.ts'
import type { Db } from '../../src/foundation/db/database.ts'
import { addWorkMetrics } from '../../src/start/work-metrics.ts'
import { testDatabase } from '../support/database.ts'
import { aJob, aRunner } from '../support/jobs.ts'
import { indexesOf } from '../support/plans.ts'
import { aWorld } from '../support/world.ts'

/** What a scrape shows, without help texts. */
async function scrape(db: Db, hasMailer = true): Promise<Record<string, number>> {
  const registry = new Registry()
  addWorkMetrics(registry, db, hasMailer)
  return valuesOf(registry)
}

async function valuesOf(registry: Registry): Promise<Record<string, number>> {
  const lines = (await registry.metrics()).split('\n').filter((line) => /^\w/.test(line))
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  )
}

/** Waits in its run until it is told how to end. */
const ending = (run: () => Promise<object>) =>
  ({ name: 'test.end', run }) as JobKind<Record<string, never>, never>

test('an installation without work has zeros', async () => {
  const { db } = await aWorld().then(({ database }) => database)
  expect(await scrape(db)).toEqual({
    schoolgate_jobs_waiting: 0,
    schoolgate_jobs_running: 0,
    schoolgate_jobs_oldest_seconds: 0,
    schoolgate_mails_waiting: 0,
    schoolgate_mails_oldest_seconds: 0,
  })
})

test('mails and jobs of all schools are counted, with the age of the oldest', async () => {
  const world = await aWorld()
  const { db, pool } = world.database
  const schools = [await world.aSchool(), await world.aSchool()]
  const kind = ending(async () => {
    running.push(await scrape(db))
    return {}
  })
  const running: Record<string, number>[] = []
  for (const school of schools) {
    await aJob(world, school, kind, {})
    await queueMail(school.db, forgottenPasswordMail, 'ada@people.test', {})
    await pool.query(
      `update jobs set created_at = now() - interval '2 hours' where school_id = $1`,
      [schools[0]?.id],
    )
    await pool.query(
      `update outgoing_mails set created_at = now() - interval '1 hour' where school_id = $1`,
      [schools[0]?.id],
    )
  }
  const waiting = await scrape(db)
  expect(waiting).toMatchObject({ schoolgate_jobs_waiting: 2, schoolgate_mails_waiting: 2 })
  expect(Math.floor((waiting.schoolgate_jobs_oldest_seconds ?? 0) / 3600)).toBe(2)
  expect(Math.floor((waiting.schoolgate_mails_oldest_seconds ?? 0) / 3600)).toBe(1)
  await aRunner(world, { kinds: [kind] }).runNext()
  expect(running).toMatchObject([{ schoolgate_jobs_waiting: 1, schoolgate_jobs_running: 1 }])
})

test('a process counts the jobs that it has finished, by how they ended', async () => {
  const world = await aWorld()
  const school = await world.aSchool()
  const ends = [async () => ({}), () => Promise.reject(new Error('a mistake of ours'))]
  const kind = ending(() => ends.shift()?.() ?? Promise.resolve({}))
  const registry = new Registry()
  const { jobFinished } = addWorkMetrics(registry, world.database.db, true)
  await aJob(world, school, kind, {})
  await aJob(world, school, kind, {})
  const runner = aRunner(world, { kinds: [kind], onFinished: jobFinished })
  while (await runner.runNext());
  expect(await valuesOf(registry)).toMatchObject({
    'schoolgate_jobs_finished_total{state="done"}': 1,
    'schoolgate_jobs_finished_total{state="failed"}': 1,
  })
})

test('a scrape costs two statements, which read small indexes up to a limit', async () => {
  const { database } = await aWorld()
  const statements = await database.statementsOf(() => scrape(database.db))
  expect(statements).toHaveLength(2)
  const indexes = await Promise.all(statements.map((text) => indexesOf(database.connection, text)))
  expect(indexes.flat().sort()).toEqual([
    ...['jobs_running', 'jobs_waiting', 'outgoing_mails_pkey'],
    ...['schools_pkey', 'schools_pkey'],
  ])
  for (const text of statements) expect(text).toMatch(/ limit \$\d/)
})

test('without a mailer there are no figures of mails, which wait until they are purged', async () => {
  const { db } = await testDatabase()
  expect(Object.keys(await scrape(db, false)).join()).not.toContain('mail')
})

test('while the database is away the figures are NaN, and the scrape does not fail', async () => {
  const { db, close } = await testDatabase()
  await close()
  expect(await scrape(db)).toMatchObject({
    schoolgate_jobs_waiting: Number.NaN,
    schoolgate_mails_oldest_seconds: Number.NaN,
  })
})
