import { describe, expect, test } from 'vitest'
import type { JobKind } from '../../../src/domain/jobs/job.ts'
import { MOST_OPEN_JOBS } from '../../../src/domain/jobs/start-job.ts'
import { verifies } from '../../spec/verifies.ts'
import { aJob, aRunner, endLeases, finishJobs, jobRow } from '../../support/jobs.ts'
import { aWorld } from '../../support/world.ts'

const world = await aWorld()

/** Counts to the number that it is given, and tells each step. */
const counting = (tell: (input: { name: string; to: number }) => void = () => undefined) =>
  ({
    name: 'test.count',
    async run(job) {
      while (job.done < job.input.to) {
        tell(job.input)
        await job.step(async () => ({ cursor: {}, done: job.done + 1, total: job.input.to }))
      }
      return { counted: job.done }
    },
  }) satisfies JobKind<{ name: string; to: number }, object> as JobKind<
    { name: string; to: number },
    never
  >

describe('jobs of several schools', () => {
  verifies(
    'jobs.fair',
    'take turns: the one job of a small school is served beside many of a large one',
    async () => {
      const [large, small] = [await world.aSchool(), await world.aSchool()]
      const owner = await world.aMember(large, ['owner'])
      const steps: string[] = []
      const kind = counting(({ name }) => steps.push(name))
      for (let n = 0; n < MOST_OPEN_JOBS; n++) {
        await aJob(world, large, kind, { name: 'large', to: 10 }, owner)
      }
      await aJob(world, small, kind, { name: 'small', to: 1 })
      await finishJobs(world, { kinds: [kind], turnMs: 0 })
      expect(steps.filter((name) => name === 'large')).toHaveLength(10 * MOST_OPEN_JOBS)
      expect(steps.indexOf('small')).toBeLessThan(3)
    },
  )

  test('give way after a while, and only if another school waits', async () => {
    const [one, other] = [await world.aSchool(), await world.aSchool()]
    const steps: string[] = []
    const kind = counting(({ name }) => steps.push(name))
    await aJob(world, one, kind, { name: 'one', to: 3 })
    await aJob(world, other, kind, { name: 'other', to: 3 })
    await finishJobs(world, { kinds: [kind], turnMs: 0 })
    expect(steps.join(' ')).toMatch(
      /^(one other one other one other|other one other one other one)$/,
    )
    steps.length = 0
    await aJob(world, one, kind, { name: 'one', to: 3 })
    await aJob(world, other, kind, { name: 'other', to: 3 })
    await finishJobs(world, { kinds: [kind], turnMs: Number.POSITIVE_INFINITY })
    expect(steps.join(' ')).toMatch(
      /^(one one one other other other|other other other one one one)$/,
    )
  })

  verifies(
    'jobs.one-per-school',
    'run at the same time, but never two of one school, however many processes there are',
    async () => {
      const school = await world.aSchool()
      const owner = await world.aMember(school, ['owner'])
      let running = 0
      let most = 0
      const kind: JobKind<null, never> = {
        name: 'test.wait',
        async run() {
          running += 1
          most = Math.max(most, running)
          await new Promise((resolve) => setImmediate(resolve))
          running -= 1
          return {}
        },
      }
      for (let n = 0; n < 10; n++) await aJob(world, school, kind, null, owner)
      for (let left = 10; left > 0; ) {
        const runners = Array.from({ length: 5 }, () => aRunner(world, { kinds: [kind] }))
        const ran = await Promise.all(runners.map((runner) => runner.runNext()))
        left -= ran.filter((one) => one).length
      }
      expect(most).toBe(1)
    },
  )
})

describe('a job', () => {
  verifies('jobs.cap', 'beyond the most that a school may have waiting is refused', async () => {
    const [school, other] = [await world.aSchool(), await world.aSchool()]
    const owner = await world.aMember(school, ['owner'])
    const kind = counting()
    const add = () => aJob(world, school, kind, { name: '', to: 0 }, owner)
    const tries = await Promise.allSettled(Array.from({ length: MOST_OPEN_JOBS + 5 }, add))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(MOST_OPEN_JOBS)
    await expect(add()).rejects.toMatchObject({
      refusal: { kind: 'conflict', code: 'too_many_jobs', detail: expect.stringContaining('20') },
    })
    await aJob(world, other, kind, { name: '', to: 0 })
    // The rest of what was already decided must always find a place.
    await aJob(world, school, { ...kind, isCleanUp: true }, { name: '', to: 0 }, owner)
    await finishJobs(world, { kinds: [kind] })
    await add()
    await finishJobs(world, { kinds: [kind] })
  })

  verifies(
    'jobs.rights',
    'ends when the person who started it is no longer an owner or admin',
    async () => {
      const school = await world.aSchool()
      const owner = await world.aMember(school, ['owner'])
      const demote = () =>
        school.db
          .update('school_members')
          .set({ roles: ['student'] })
          .where('user_id', '=', owner.id)
          .execute()
      let steps = 0
      const kind = counting(() => {
        steps += 1
      })
      const id = await aJob(world, school, kind, { name: '', to: 5 }, owner)
      const waiting = await aJob(world, school, kind, { name: '', to: 5 }, owner)
      await finishJobs(world, {
        kinds: [
          {
            ...kind,
            async run(job) {
              await demote()
              return await kind.run(job as never)
            },
          },
        ],
      })
      expect(steps).toBe(1)
      for (const each of [id, waiting]) {
        const { state, problem } = await jobRow(school, each)
        expect([state, problem]).toEqual(['failed', expect.stringContaining('lost the right')])
      }
    },
  )

  test('that stops its process again and again is given up', async () => {
    const school = await world.aSchool()
    const deadly: JobKind<null, never> = {
      name: 'test.deadly',
      run: () => new Promise(() => undefined),
    }
    const id = await aJob(world, school, deadly, null)
    for (let n = 0; n < 10; n++) {
      void aRunner(world, { kinds: [deadly] }).runNext()
      await expect.poll(async () => (await jobRow(school, id)).attempts).toBe(n + 1)
      await endLeases(school)
    }
    await aRunner(world, { kinds: [deadly] }).runNext()
    const { state, problem } = await jobRow(school, id)
    expect([state, problem]).toEqual(['failed', expect.stringContaining('tried 10 times')])
  })

  test('that fails by a mistake of ours says so without details, and the log has them', async () => {
    const school = await world.aSchool()
    const told: unknown[] = []
    const broken: JobKind<null, never> = {
      name: 'test.broken',
      async run() {
        throw new Error('the password is hunter2')
      },
    }
    const id = await aJob(world, school, broken, null)
    await finishJobs(world, { kinds: [broken], onError: (error) => told.push(error) })
    const { state, problem } = await jobRow(school, id)
    expect([state, problem]).toEqual(['failed', expect.stringContaining('on our side')])
    expect(problem).not.toContain('hunter2')
    expect(told).toMatchObject([{ message: 'the password is hunter2' }])
  })

  test('of a kind that this process does not know waits for one that does', async () => {
    const school = await world.aSchool()
    const kind = counting()
    const id = await aJob(world, school, kind, { name: '', to: 1 })
    await finishJobs(world)
    expect((await jobRow(school, id)).state).toBe('waiting')
    await finishJobs(world, { kinds: [kind] })
    expect((await jobRow(school, id)).state).toBe('done')
  })
})

test('a runner that stops puts its job back after the step, and another finishes it', async () => {
  const school = await world.aSchool()
  const kind = counting(({ name }) => name === 'stop' && void runner.stop())
  const runner = aRunner(world, { kinds: [kind] })
  const id = await aJob(world, school, kind, { name: 'stop', to: 3 })
  runner.wake()
  await runner.stop()
  await expect.poll(async () => (await jobRow(school, id)).state).toBe('waiting')
  await finishJobs(world, { kinds: [counting()] })
  expect(await jobRow(school, id)).toMatchObject({ state: 'done', result: { counted: 3 } })
})
