import { sql } from 'kysely'
import type pg from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { SchoolDirectory } from '../../src/domain/schools/school-directory.ts'
import type { ListenerPace } from '../../src/foundation/db/change-listener.ts'
import { openDatabase } from '../../src/foundation/db/database.ts'
import { listenForSchoolChanges } from '../../src/start/server.ts'
import { verifies } from '../spec/verifies.ts'
import { whenFileIsDone } from '../support/clean-up.ts'
import { PATIENT } from '../support/database.ts'
import { aDatabaseProxy } from '../support/database-proxy.ts'
import { eventually } from '../support/eventually.ts'
import { aWorld } from '../support/world.ts'

const world = await aWorld()
const { database } = world

/** The directory of another process, which listens for changes as a server does. */
async function anotherProcess(options: ProcessOptions = {}): Promise<SchoolDirectory> {
  // By default its clock stands still, so a school is read again only because of a notification.
  const {
    now = () => 0,
    listenTo = database.connection,
    observe = () => {},
    pace = HASTY,
  } = options
  const own = openDatabase({
    ...PATIENT,
    connection: database.connection,
    poolSize: 2,
    observe,
  })
  const directory = new SchoolDirectory(own.db, now)
  const listener = await listenForSchoolChanges(directory, {
    connection: listenTo,
    pool: own.pool,
    onError: () => {},
    pace,
  })
  onTestFinished(async () => {
    await listener.stop()
    await own.close()
  })
  return directory
}

interface ProcessOptions {
  readonly now?: () => number
  readonly listenTo?: pg.ClientConfig
  readonly observe?: (statement: string) => void
  readonly pace?: ListenerPace
}

const HASTY: ListenerPace = {
  connectMs: 60_000,
  heartbeatMs: 1_000,
  answerMs: 60_000,
  firstRetryMs: 10,
  longestRetryMs: 50,
}

const rename = (id: string, name: string) =>
  database.db.updateTable('schools').set({ name }).where('id', '=', id).execute()

describe('changes reach other processes', () => {
  verifies(
    'house.origin.changes-spread',
    'a school changed by plain SQL changes in every process, and its new origin is found there',
    async () => {
      const processes = [await anotherProcess(), await anotherProcess()]
      const school = await world.aSchool()
      const later = `http://later-${school.subdomain}.test`
      for (const directory of processes) {
        expect((await directory.find(school.origin))?.name).toBe(`School ${school.subdomain}`)
        expect(await directory.find(later)).toBeUndefined()
      }
      await rename(school.id, 'Renamed')
      for (const directory of processes) {
        await vi.waitFor(async () => {
          expect((await directory.find(school.origin))?.name).toBe('Renamed')
        }, eventually)
      }
      await sql`update schools set origin = ${later} where id = ${school.id}`.execute(database.db)
      for (const directory of processes) {
        await vi.waitFor(async () => {
          expect(await directory.find(school.origin)).toBeUndefined()
          expect((await directory.find(later))?.id).toBe(school.id)
        }, eventually)
      }
    },
  )

  test('a change of the appearance counts as a change of the school', async () => {
    const directory = await anotherProcess()
    const school = await world.aSchool({ signing: 'none' })
    expect((await directory.find(school.origin))?.appearance.tagline).toBe('')
    await school.db.insert('appearances', { tagline: 'Learn here' }).execute()
    await vi.waitFor(async () => {
      expect((await directory.find(school.origin))?.appearance.tagline).toBe('Learn here')
    }, eventually)
  })

  test('a change of one school leaves the other schools cached', async () => {
    const [school, other] = [await world.aSchool(), await world.aSchool()]
    const directory = await anotherProcess()
    for (const { origin } of [school, other]) await directory.find(origin)
    await rename(school.id, 'Renamed')
    await vi.waitFor(async () => {
      expect((await directory.find(school.origin))?.name).toBe('Renamed')
    }, eventually)
    expect(directory.find(other.origin)).toMatchObject({ id: other.id })
  })

  test('schools stay cached for longer while test notifications, sent over the pool, arrive', async () => {
    const school = await world.aSchool()
    let now = 0
    let asked = 0
    const clock = () => {
      asked++
      return now
    }
    const sent: string[] = []
    const observe = (text: string) => sent.push(text)
    const directory = await anotherProcess({ now: clock, pace: HASTY, observe })
    await directory.find(school.origin)
    now = 29_000
    const before = asked
    await vi.waitFor(() => expect(asked).toBeGreaterThan(before), eventually)
    now = 45_000
    expect(directory.find(school.origin)).toMatchObject({ id: school.id })
    expect(sent).toContain('select pg_notify($1, $2)')
  })

  test('after a lost connection, schools are read again, since a notification may be lost too', async () => {
    const school = await world.aSchool()
    const proxy = await aDatabaseProxy(database.connection)
    const directory = await anotherProcess({
      listenTo: proxy.connection,
      pace: { ...HASTY, answerMs: 1_000 },
    })
    await directory.find(school.origin)
    proxy.silence()
    await rename(school.id, 'Renamed without notification')
    await vi.waitFor(async () => {
      expect(await directory.find(school.origin)).toMatchObject({
        name: 'Renamed without notification',
      })
    }, eventually)
  })

  verifies(
    'house.origin.changes-spread',
    'after a lost notification a school is stale for thirty seconds at most',
    async () => {
      const school = await world.aSchool()
      let now = 0
      const directory = new SchoolDirectory(database.db, () => now)
      const before = (await directory.find(school.origin))?.name
      await rename(school.id, 'Renamed without notification')
      now = 29_999
      expect((await directory.find(school.origin))?.name).toBe(before)
      now = 30_000
      expect((await directory.find(school.origin))?.name).toBe('Renamed without notification')
    },
  )

  test('a clock that is set back does not keep a school cached', async () => {
    const school = await world.aSchool()
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const directory = new SchoolDirectory(database.db)
    await directory.find(school.origin)
    await rename(school.id, 'Renamed without notification')
    vi.setSystemTime(Date.now() - 3_600_000)
    vi.advanceTimersByTime(30_000)
    expect(await directory.find(school.origin)).toMatchObject({
      name: 'Renamed without notification',
    })
  })

  test('the age of a cached school counts from the start of the statement that read it', async () => {
    const school = await world.aSchool()
    let now = 0
    const directory = new SchoolDirectory(database.db, () => now)
    const reading = directory.find(school.origin)
    now = 20_000
    await reading
    await rename(school.id, 'Renamed without notification')
    now = 30_000
    expect(await directory.find(school.origin)).toMatchObject({
      name: 'Renamed without notification',
    })
  })

  test('while notifications are known to arrive, a school is read once in five minutes', async () => {
    const school = await world.aSchool()
    let now = 0
    const directory = new SchoolDirectory(database.db, () => now)
    await directory.find(school.origin)
    const later = await database.statementsOf(async () => {
      for (now = 0; now <= 290_000; now += 10_000) {
        directory.confirm()
        expect(directory.find(school.origin)).toMatchObject({ id: school.id })
      }
    })
    expect(later).toEqual([])
  })

  test('a retired key leaves the cache after a day without any notification', async () => {
    const school = await world.aSchool()
    let now = 0
    const directory = new SchoolDirectory(database.db, () => now)
    const keys = async () => (await directory.find(school.origin))?.keys ?? []
    const retireBefore = (hours: number) =>
      sql`update signing_keys set stage = 'retired', retired_at = now() - make_interval(hours => ${hours})
        where school_id = ${school.id}`.execute(database.db)
    await retireBefore(23)
    expect(await keys()).toHaveLength(1)
    await retireBefore(25)
    now = 290_000
    directory.confirm()
    expect(await keys()).toHaveLength(1)
    now = 300_000
    directory.confirm()
    expect(await keys()).toEqual([])
  })

  test('without proof that notifications arrive, a school is stale for thirty seconds at most', async () => {
    const school = await world.aSchool()
    let now = 0
    const directory = new SchoolDirectory(database.db, () => now)
    await directory.find(school.origin)
    now = 20_000
    directory.confirm()
    await rename(school.id, 'Renamed without notification')
    now = 50_000
    expect(await directory.find(school.origin)).toMatchObject({
      name: 'Renamed without notification',
    })
  })

  test('a school in steady use is read again in advance, so that no request waits', async () => {
    const school = await world.aSchool()
    let now = 0
    const directory = new SchoolDirectory(database.db, () => now)
    await directory.find(school.origin)
    await rename(school.id, 'Renamed without notification')
    now = 25_000
    expect(directory.find(school.origin)).toMatchObject({ id: school.id })
    await vi.waitFor(() => {
      expect(directory.find(school.origin)).toMatchObject({ name: 'Renamed without notification' })
    }, eventually)
    now = 50_000
    expect(directory.find(school.origin)).toMatchObject({ name: 'Renamed without notification' })
  })

  test('a cached school is found while the database is unavailable', async () => {
    const school = await world.aSchool()
    const { connection } = database
    const own = openDatabase({ ...PATIENT, connection, poolSize: 1 })
    let now = 0
    const directory = new SchoolDirectory(own.db, () => now)
    await directory.find(school.origin)
    await own.close()
    now = 25_000
    expect(directory.find(school.origin)).toMatchObject({ id: school.id })
    now = 30_000
    await expect(directory.find(school.origin)).rejects.toThrow()
  })

  describe('a read that started before a change was announced', () => {
    /**
     * Reads `origin` again, forgets school `forgotten` meanwhile, and counts the reads after it.
     */
    async function readAfterwards(origin: string, forgotten: string): Promise<number> {
      let now = 0
      const directory = new SchoolDirectory(database.db, () => now)
      await directory.find(origin)
      now = 30_000
      const reading = directory.find(origin)
      directory.forget(forgotten)
      await reading
      const ask = async () => await directory.find(origin)
      return (await database.statementsOf(ask)).length
    }

    test('is not cached', async () => {
      const school = await world.aSchool()
      expect(await readAfterwards(school.origin, school.id)).toBe(1)
    })

    test('is cached if another school changed', async () => {
      const [school, other] = [await world.aSchool(), await world.aSchool()]
      expect(await readAfterwards(school.origin, other.id)).toBe(0)
    })

    test('is not cached after a change of any school if no school was known at the origin', async () => {
      const school = await world.aSchool()
      expect(await readAfterwards('http://unknown.test', school.id)).toBe(1)
      const directory = new SchoolDirectory(database.db)
      const reading = directory.find(school.origin)
      directory.forget('any other')
      await reading
      const ask = async () => await directory.find(school.origin)
      expect(await database.statementsOf(ask)).toHaveLength(1)
    })
  })
})

describe('statements of the directory', () => {
  test('any number of simultaneous requests for a school share one statement', async () => {
    const school = await world.aSchool()
    const directory = new SchoolDirectory(database.db)
    const many = () => Promise.all(Array.from({ length: 100 }, () => directory.find(school.origin)))
    expect(await database.statementsOf(many)).toHaveLength(1)
    expect(await database.statementsOf(many)).toHaveLength(0)
  })

  test('requests that come after a change share one statement too, while an old one still runs', async () => {
    const school = await world.aSchool()
    const directory = new SchoolDirectory(database.db)
    const statements = await database.statementsOf(async () => {
      const old = directory.find(school.origin)
      directory.forget()
      const young = directory.find(school.origin)
      await old
      await Promise.all([young, directory.find(school.origin)])
    })
    expect(statements).toHaveLength(2)
  })

  test('a failed read is not cached', async () => {
    const school = await world.aSchool()
    const own = openDatabase({ ...PATIENT, connection: database.connection, poolSize: 1 })
    whenFileIsDone(() => own.close())
    const directory = new SchoolDirectory(own.db)
    await sql`alter table schools rename to schools_away`.execute(database.db)
    await expect(directory.find(school.origin)).rejects.toThrow(/schools/)
    await sql`alter table schools_away rename to schools`.execute(database.db)
    expect((await directory.find(school.origin))?.id).toBe(school.id)
  })

  test('made-up hosts cannot fill the memory: the oldest entry is removed', async () => {
    // Origins without a school have a tenth.
    const directory = new SchoolDirectory(database.db, () => 0, 30)
    const ask = (n: number) => async () => await directory.find(`http://made-up-${n}.test`)
    for (const n of [1, 2, 3, 4]) await ask(n)()
    expect(await database.statementsOf(ask(4))).toHaveLength(0)
    expect(await database.statementsOf(ask(2))).toHaveLength(0)
    expect(await database.statementsOf(ask(1))).toHaveLength(1)
  })

  test('a school that was forgotten is read on connections that a flood of made-up hosts never gets', async () => {
    const school = await world.aSchool()
    const { connection } = database
    const own = openDatabase({ ...PATIENT, connection, poolSize: 4 })
    whenFileIsDone(() => own.close())
    const directory = new SchoolDirectory(own.db)
    const readersAmongKnownCallers = async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from pg_stat_activity
        where datname = current_database() and query like '%select s.id, s.subdomain, s.origin, s.name, s.description%'
          and application_name not like 'schoolgate stranger%'`.execute(database.db)
      return rows[0]?.count ?? 0
    }
    const before = await readersAmongKnownCallers()
    await directory.find(school.origin)
    expect(await readersAmongKnownCallers()).toBe(before)
    directory.forget()
    await directory.find(school.origin)
    expect(await readersAmongKnownCallers()).toBe(before + 1)
  })

  verifies(
    'trouble.loads-every-tenant',
    'with ten thousand schools, a school is found by one statement and an index',
    async () => {
      const school = await world.aSchool()
      const find = (): Promise<readonly string[]> =>
        database.statementsOf(async () => {
          const directory = new SchoolDirectory(database.db)
          await directory.find(school.origin)
          await directory.find(school.origin)
        })
      const [alone] = [await find()]
      await sql`
        insert into schools (id, subdomain, origin, name)
        select gen_random_uuid(), 'mass-' || n, 'http://mass-' || n || '.test', 'Mass ' || n
        from generate_series(1, 10000) n`.execute(database.db)
      await sql`analyze schools`.execute(database.db)
      const crowded = await find()
      expect(crowded).toEqual(alone)
      expect(crowded).toHaveLength(1)
      const { rows } = await sql<{ 'QUERY PLAN': string }>`
        explain select id from schools where origin = ${school.origin}`.execute(database.db)
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Index .*Scan/)
    },
  )
})
