import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { purgeJobs } from '../../../src/domain/jobs/finish-job.ts'
import type { JobKind } from '../../../src/domain/jobs/job.ts'
import { startJob } from '../../../src/domain/jobs/start-job.ts'
import { createDiskStore } from '../../../src/foundation/storage/disk-store.ts'
import { verifies } from '../../spec/verifies.ts'
import { anOperator, type OperatorClient } from '../../support/admin-api.ts'
import { AdminBrowser } from '../../support/admin-browser.ts'
import { whenFileIsDone } from '../../support/clean-up.ts'
import { finishJobs, jobRow } from '../../support/jobs.ts'
import { CLAUDE } from '../../support/oauth-world.ts'
import { anOwner } from '../../support/operator-like.ts'
import { aWorld } from '../../support/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'schoolgate-jobs-'))
whenFileIsDone(() => rm(folder, { recursive: true, force: true }))
const files = createDiskStore(folder)
const world = await aWorld({ files })
const school = await world.aSchool()

const idle: JobKind<object, never> = {
  name: 'test.idle',
  run: async () => ({ found: 3 }),
}

/** A job that this operator's app started with these scopes. */
async function aJobOf({ person, school: at }: OperatorClient, ...scopes: string[]) {
  const actor = {
    via: 'admin_api',
    userId: person.id,
    clientId: CLAUDE.clientId,
    roles: ['owner'],
    origin: at.origin,
  } as const
  return await at.db.transaction((tx) =>
    startJob(tx, actor, idle, { input: {}, title: 'Look at students', scopes }),
  )
}

describe('jobs in the REST API', () => {
  test('tell how far they are, and then their result', async () => {
    const operator = await anOperator(world, school, { scopes: 'students:read' })
    const id = await aJobOf(operator, 'students:read')
    const waiting = await operator.get(`/jobs/${id}`)
    expect(waiting.statusCode).toBe(200)
    expect(waiting.json()).toMatchObject({
      object: 'job',
      id,
      operation: 'test.idle',
      title: 'Look at students',
      state: 'waiting',
      done: 0,
      total: null,
      result: null,
      problem: null,
      started_by: operator.person.id,
    })
    await finishJobs(world, { kinds: [idle] })
    expect((await operator.get(`/jobs/${id}`)).json()).toMatchObject({
      state: 'done',
      result: { found: 3 },
      can_cancel: false,
    })
    const list = await operator.get('/jobs?state=done')
    expect(list.json().data.map((job: { id: string }) => job.id)).toEqual([id])
  })

  verifies(
    'jobs.seen-by',
    'are hidden from other people, other scopes, other schools and tokens of members',
    async () => {
      const operator = await anOperator(world, school, { scopes: 'students:read courses:read' })
      const { person } = operator
      const id = await aJobOf(operator, 'students:read')
      const elsewhere = await world.aSchool()
      await world.aMember(elsewhere, ['owner'], person)
      for (const stranger of [
        await anOperator(world, school, { person, scopes: 'courses:read' }),
        await anOperator(world, school, { scopes: 'students:read' }),
        await anOperator(world, elsewhere, { person, scopes: 'students:read' }),
      ]) {
        expect((await stranger.get(`/jobs/${id}`)).statusCode).toBe(404)
        expect((await stranger.post(`/jobs/${id}/cancel`)).statusCode).toBe(404)
        expect((await stranger.get('/jobs')).json().data).toEqual([])
      }
      expect((await operator.get(`/jobs/${id}`)).json().state).toBe('waiting')
      const owner = new AdminBrowser(await anOwner(world, school))
      expect(await owner.page(`/admin/jobs/${id}`)).toContain('Look at students')
      const foreign = new AdminBrowser(await anOwner(world, elsewhere))
      expect((await foreign.get(`/admin/jobs/${id}`)).statusCode).toBe(404)
    },
  )

  test('of the admin area are hidden from all apps', async () => {
    const operator = await anOperator(world, school)
    const { person } = operator
    const actor = {
      via: 'admin_area',
      userId: person.id,
      roles: [],
      origin: school.origin,
    } as const
    const id = await school.db.transaction((tx) =>
      startJob(tx, actor, idle, { input: {}, title: 'Private', scopes: ['students:read'] }),
    )
    expect((await operator.get(`/jobs/${id}`)).statusCode).toBe(404)
  })

  test('that wait end at once when they are cancelled, and cannot be cancelled again', async () => {
    const operator = await anOperator(world, school, { scopes: 'students:read' })
    const id = await aJobOf(operator, 'students:read')
    const cancelled = await operator.post(`/jobs/${id}/cancel`)
    expect([cancelled.statusCode, cancelled.json().state]).toEqual([200, 'cancelled'])
    const again = await operator.post(`/jobs/${id}/cancel`)
    expect([again.statusCode, again.json().reason]).toEqual([409, 'not_cancellable'])
  })
})

verifies('jobs.kept', 'a finished job is removed with its files after seven days', async () => {
  const operator = await anOperator(world, school, { scopes: 'students:read' })
  const id = await aJobOf(operator, 'students:read')
  const { key } = await files.write(id, Readable.from([Buffer.from('rows')]), 100)
  await school.db
    .update('jobs')
    .set({ files: JSON.stringify([key]) })
    .where('id', '=', id)
    .execute()
  await finishJobs(world, { kinds: [idle] })
  await purgeJobs(world.database.db, files)
  const { expires_at, finished_at } = await jobRow(school, id)
  expect(Number(expires_at) - Number(finished_at)).toBe(7 * 86_400_000)
  await school.db
    .update('jobs')
    .set({ expires_at: new Date(0) })
    .where('id', '=', id)
    .execute()
  expect(await purgeJobs(world.database.db, files)).toBe(1)
  expect(await files.read(key)).toBeUndefined()
  expect((await operator.get(`/jobs/${id}`)).statusCode).toBe(404)
})
