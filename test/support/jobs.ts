import { sql } from 'kysely'
import { JOB_KINDS } from '../../src/domain/catalogue/job-kinds.ts'
import { mayGoOn } from '../../src/domain/grants/right-of-job.ts'
import type { JobKind, RunningJob } from '../../src/domain/jobs/job.ts'
import { JobRunner, type JobRunnerOptions } from '../../src/domain/jobs/job-runner.ts'
import { startJob } from '../../src/domain/jobs/start-job.ts'
import type { TestCourse } from './learning.ts'
import type { TestPerson, TestSchool, World } from './world.ts'

export function aRunner(world: World, options: Partial<JobRunnerOptions> = {}): JobRunner {
  return new JobRunner(world.database.db, {
    mayGoOn,
    kinds: JOB_KINDS,
    files: world.context.files,
    ...options,
  })
}

/** Works until no job waits. */
export async function finishJobs(world: World, options: Partial<JobRunnerOptions> = {}) {
  const runner = aRunner(world, options)
  while (await runner.runNext());
}

/** A job of an owner in the admin area. */
export async function aJob<I>(
  world: World,
  school: TestSchool,
  kind: JobKind<I, never>,
  input: I,
  person?: TestPerson,
): Promise<string> {
  const by = person ?? (await world.aMember(school, ['owner']))
  const { origin } = school
  const actor = { via: 'admin_area', userId: by.id, roles: ['owner'], origin } as const
  return await school.db.transaction((tx) => startJob(tx, actor, kind, { input, title: 'A job' }))
}

export async function jobRow(school: TestSchool, id: string) {
  return await school.db.from('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

/** People who are students of the course, made by PostgreSQL. */
export async function manyStudents(
  school: TestSchool,
  course: TestCourse,
  count: number,
): Promise<void> {
  await school.db.transaction(async (tx) => {
    await tx.run(sql`create temporary table crowd on commit drop as
      select gen_random_uuid() as id, n from generate_series(1, ${sql.lit(count)}) n`)
    await tx.run(sql`
      insert into users (id, email, name) select id, id || '@crowd.test', 'Student ' || n from crowd`)
    await tx.run(sql`
      insert into school_members (school_id, user_id, roles)
      select ${school.id}, id, '{student}' from crowd`)
    await tx.run(sql`
      insert into enrollments (school_id, id, course_id, user_id, source, enrolled_at)
      select ${school.id}, gen_random_uuid(), ${course.id}, id, 'import', now() - make_interval(secs => n % 7)
      from crowd`)
  })
}

/** The kind, with `around` in place of each step; it gets the real step and its number. */
export function aroundSteps<I, C>(
  kind: JobKind<I, C>,
  around: (step: () => Promise<void>, number: number) => Promise<void>,
): JobKind<I, C> {
  return {
    ...kind,
    async run(job) {
      let number = 0
      const step: RunningJob<I, C>['step'] = async (work) => {
        number += 1
        await around(() => job.step(work), number)
      }
      const willStore = (key: string) => job.willStore(key)
      const handler = {
        get: (of: RunningJob<I, C>, name: keyof RunningJob<I, C>) =>
          name === 'step' ? step : name === 'willStore' ? willStore : of[name],
      }
      return await kind.run(new Proxy(job, handler as ProxyHandler<RunningJob<I, C>>))
    },
  }
}

/** As if the process that works on a job had been silent for longer than its lease. */
export async function endLeases(school: TestSchool): Promise<void> {
  await school.db
    .update('jobs')
    .set({ lease_until: new Date(0) })
    .where('state', '=', 'running')
    .execute()
}

/** The audit entries of a job: outcome and detail. */
export async function auditOfJob(school: TestSchool, id: string) {
  return await school.db
    .from('audit_entries')
    .select(['action', 'outcome', 'actor_user_id', 'detail'])
    .where('subject', '=', id)
    .orderBy('id')
    .execute()
}

/**
 * Runs the next job until its second step, where it sleeps until `wakeUp`; another runner may
 * finish it meanwhile.
 */
export async function asleepAtSecondStep<I, C>(world: World, kind: JobKind<I, C>) {
  const [pause, asleep] = [aGate(), aGate()]
  const sleepy = aroundSteps(kind, async (step, number) => {
    if (number === 2) {
      asleep.open()
      await pause.passed
    }
    await step()
  })
  const run = aRunner(world, { kinds: [sleepy] }).runNext()
  await asleep.passed
  return {
    async wakeUp(): Promise<void> {
      pause.open()
      await run
    },
  }
}

interface Gate {
  readonly passed: Promise<void>
  open(): void
}

export function aGate(): Gate {
  let open: () => void = () => undefined
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
}
