import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { FigureRounds } from '../../src/domain/analytics/figure-rounds.ts'
import { announceJob } from '../../src/domain/learning/announcements.ts'
import {
  deleteSchool,
  deleteSchoolJob,
  tablesOfSchools,
} from '../../src/domain/schools/delete-school.ts'
import { listSchools } from '../../src/domain/schools/school-directory.ts'
import { createSchool } from '../../src/domain/schools/write-school.ts'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import { createDiskStore } from '../../src/foundation/storage/disk-store.ts'
import { purgeOnce } from '../../src/start/purge-rows.ts'
import { verifies } from '../spec/verifies.ts'
import { whenFileIsDone } from '../support/clean-up.ts'
import { aPair, refresh, userinfo } from '../support/client-like.ts'
import { addExamples, everyRow } from '../support/example-school.ts'
import { asleepAtSecondStep, endLeases, finishJobs, manyStudents } from '../support/jobs.ts'
import { aCourse } from '../support/learning.ts'
import { getFrom } from '../support/oauth-world.ts'
import { aWorld, type TestSchool } from '../support/world.ts'

const world = await aWorld()
const { db } = world.database

const end = (school: TestSchool) =>
  school.db.transaction((tx) =>
    deleteSchool(tx, { via: 'command_line', roles: ['owner'], origin: school.origin }),
  )

/** The tables in which the school has rows. */
async function tablesWith(school: TestSchool): Promise<string[]> {
  const tables = await tablesOfSchools(school.db)
  const names = [...tables.map(({ name }) => name), 'audit_entries', 'jobs']
  const filled: string[] = []
  for (const name of names) {
    const { rows } = await school.db.run(
      sql`select from ${sql.table(name)} where school_id = ${school.id} limit 1`,
    )
    if (rows.length > 0) filled.push(name)
  }
  return filled.sort()
}

const purge = () => purgeOnce(db, { auditRetentionDays: 365 })
const expireJobs = (school: TestSchool) => school.db.delete('jobs').execute()

const rowOf = (school: TestSchool) =>
  db.selectFrom('schools').select('id').where('id', '=', school.id).execute()

async function aFullSchool() {
  const school = await world.aSchool()
  await addExamples(world, school)
  const client = await world.aPublicClient(school)
  const pair = await aPair(world, school, client, await world.aMember(school))
  return { school, client, pair }
}

describe('a deleted school', () => {
  verifies(
    'jobs.delete-school',
    'answers nowhere at once, its tokens are dead and its names are free, before a row was removed',
    async () => {
      const { school, client, pair } = await aFullSchool()
      await end(school)
      world.context.directory.forget()
      expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(404)
      expect((await refresh(world, school, client, pair.refresh_token)).statusCode).toBe(404)
      expect((await getFrom(world, school, '/')).statusCode).toBe(404)
      const { rows } = await sql<{ origin: string }>`
        select origin from schools where id = ${school.id}`.execute(db)
      const moved = { ...school, origin: rows[0]?.origin ?? '' }
      expect((await userinfo(world, moved, pair.access_token)).statusCode).toBe(404)
      expect((await listSchools(db)).map(({ id }) => id)).not.toContain(school.id)
      expect(await tablesWith(school)).toContain('orders')
      const { subdomain } = school
      const details = { subdomain, origin: school.origin, name: 'The next one' }
      await db.transaction().execute((tx) => createSchool(tx, details, { via: 'command_line' }))
      world.context.directory.forget()
      expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
    },
  )

  verifies(
    'jobs.delete-school',
    'is removed whole by a job, and other schools keep every row',
    async () => {
      const other = (await aFullSchool()).school
      const before = await everyRow(other)
      const { school } = await aFullSchool()
      await end(school)
      await finishJobs(world)
      expect(await tablesWith(school)).toEqual(['audit_entries', 'jobs'])
      const { rows: pairs } = await sql`
        select from token_pairs where bound_school_id = ${school.id}`.execute(db)
      expect(pairs).toEqual([])
      expect(await everyRow(other)).toBe(before)
      expect((await purge()).removed.schools).toBe(0)
      await expireJobs(school)
      expect((await purge()).removed.schools).toBe(1)
      expect(await rowOf(school)).toEqual([])
    },
  )

  test('whose worker stops in the middle is removed by the next one', async () => {
    const { school } = await aFullSchool()
    await manyStudents(school, await aCourse(school), 1_200)
    await end(school)
    const { wakeUp } = await asleepAtSecondStep(world, deleteSchoolJob)
    await endLeases(school)
    await finishJobs(world)
    await wakeUp()
    expect(await tablesWith(school)).toEqual(['audit_entries', 'jobs'])
  })

  test('is not walked over from its beginning for every part that is removed', async () => {
    const school = await world.aSchool()
    await manyStudents(school, await aCourse(school), 3_000)
    await end(school)
    const deletes: { text: string; values: readonly unknown[] }[] = []
    world.database.onStatement((text, values) => {
      if (text.includes('delete from "enrollments"')) deletes.push({ text, values })
    })
    await finishJobs(world)
    const positions = deletes.map(({ values }) => values.filter((one) => one !== school.id))
    expect(positions).toHaveLength(7)
    expect(positions[0]).toEqual([])
    expect(new Set(positions.slice(1).map(String)).size).toBe(6)
    expect(positions.slice(1).map(String)).toEqual(positions.slice(1).map(String).toSorted())
  })

  test('takes the contents of its files with it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'schoolgate-deleted-'))
    whenFileIsDone(() => rm(folder, { recursive: true, force: true }))
    const files = createDiskStore(folder)
    const school = await world.aSchool()
    const { key, sha256 } = await files.write(
      school.id,
      Readable.from([Buffer.from('a file')]),
      100,
    )
    await school.db
      .insert('files', {
        id: uuidv7(),
        name: 'a.txt',
        content_type: 'text/plain',
        size_bytes: 6,
        sha256,
        storage_key: key,
      })
      .execute()
    expect(await files.read(key)).toBeDefined()
    await end(school)
    await finishJobs(world, { files })
    expect(await tablesWith(school)).toEqual(['audit_entries', 'jobs'])
    expect(await files.read(key)).toBeUndefined()
  })

  test('cancels the work that waits for it', async () => {
    const { school } = await aFullSchool()
    await school.db
      .insert('jobs', {
        id: '00000000-0000-7000-8000-000000000001',
        kind: announceJob.name,
        title: 'Tell all',
        input: '{}',
        via: 'admin_area',
      })
      .execute()
    await end(school)
    await finishJobs(world)
    const jobs = await school.db.from('jobs').select(['kind', 'state']).orderBy('id').execute()
    expect(jobs).toEqual([
      { kind: announceJob.name, state: 'cancelled' },
      { kind: 'schools.delete', state: 'done' },
    ])
  })

  test('also loses the rows that a request under way added behind the job', async () => {
    const { school } = await aFullSchool()
    await end(school)
    await finishJobs(world)
    await aCourse(school)
    await expireJobs(school)
    expect((await purge()).removed.schools).toBe(1)
    expect(await rowOf(school)).toEqual([])
  })

  test('has no figures counted any more, while its rows are removed and before', async () => {
    const { school } = await aFullSchool()
    await end(school)
    await school.db.delete('school_figures').execute()
    await world.aMember(school)
    const sent: string[] = []
    world.database.onStatement((text, values) => {
      if (values.includes(school.id) && /figure|count\(/.test(text)) sent.push(text)
    })
    while (await new FigureRounds(db).next());
    const others = sent.filter((text) => !/from "?figure_marks/.test(text))
    expect(await school.db.from('figure_marks').select('part').execute()).toEqual([])
    expect(await school.db.from('school_figures').select('filled_with').execute()).toEqual([])
    expect(others).toEqual([])
  })

  test('cannot be deleted twice', async () => {
    const { school } = await aFullSchool()
    await end(school)
    await expect(end(school)).rejects.toThrow()
  })
})
