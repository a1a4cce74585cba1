import { sql } from 'kysely'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { SCOPES, SCOPES_OF_AUDIENCE } from '../../src/domain/clients/scope-catalogue.ts'
import { endConnectedApp } from '../../src/domain/grants/connected-apps.ts'
import { kindOfScope, noteActivity, writeActivity } from '../../src/domain/grants/count-activity.ts'
import { activityOfApps, activityOfPerson } from '../../src/domain/grants/read-activity.ts'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import { ScopeSet } from '../../src/foundation/protocol/scope-set.ts'
import { purgeOnce } from '../../src/start/purge-rows.ts'
import { applicationPath } from '../../src/surfaces/pages/frame/paths.ts'
import { anOperator } from '../support/admin-api.ts'
import { aPair, userinfo } from '../support/client-like.ts'
import { ask } from '../support/member-api.ts'
import { CLAUDE } from '../support/oauth-world.ts'
import { signedIn } from '../support/operator-like.ts'
import { wholeReads } from '../support/plans.ts'
import { aWorld, type TestClient, type TestPerson, type TestSchool } from '../support/world.ts'
import { callTool } from './mcp/tool-endpoint.ts'

const WITH_TIMERS = { withTimers: true }
const world = await aWorld()
const { db } = world.database
const school = await world.aSchool({ mcpConnections: true })
const client = await world.aPublicClient(school, { name: 'Study Planner' })

/** Without an ID token, which tells the name of the person. */
const ACCOUNT = { scope: 'profile account:read account:write' }
const OPERATOR = { scopes: SCOPES_OF_AUDIENCE.operator.minus(ScopeSet.of(['openid'])).toString() }

async function aTokenOf(person: TestPerson, at = school, of: TestClient = client): Promise<string> {
  return (await aPair(world, at, of, person, ACCOUNT)).access_token
}

/** What a page would show now, by kind: days with reads, and changes. */
async function activityOf(person: TestPerson, of: TestClient = client) {
  await writeActivity()
  const found = (await activityOfPerson(school.db, person.id, [of.clientId])).get(of.clientId) ?? []
  return Object.fromEntries(found.map(({ kind, readDays, changes }) => [kind, [readDays, changes]]))
}

async function authorizationOf(person: TestPerson, at: TestSchool = school): Promise<string> {
  const rows = at.db.from('authorizations').select('id').where('user_id', '=', person.id)
  return (await rows.orderBy('id', 'desc').executeTakeFirstOrThrow()).id
}

const rowsOf = (authorizationId: string) =>
  school.db
    .from('app_activity')
    .selectAll()
    .where('authorization_id', '=', authorizationId)
    .orderBy('kind')
    .execute()

afterEach(() => vi.useRealTimers())

describe('what an app read and changed is counted by kind of data', () => {
  test('in the Member API, by the fields of the viewer and by mutations that succeed', async () => {
    const ada = await world.aMember(school)
    const token = await aTokenOf(ada)
    await ask(world, school, token, '{ viewer { id } }')
    expect(await activityOf(ada)).toEqual({})
    await ask(world, school, token, '{ viewer { name payments { totalCount } } }')
    await ask(world, school, token, 'mutation { markAllNotificationsRead { markedCount } }')
    const missing = `mutation { markNotificationRead(id: "${uuidv7()}") { unreadNotificationCount } }`
    await ask(world, school, token, missing)
    expect(await activityOf(ada)).toEqual({
      ...{ profile: [1, 0], payments: [1, 0] },
      notifications: [0, 1],
    })
  })

  test('at UserInfo', async () => {
    const ada = await world.aMember(school)
    await userinfo(world, school, await aTokenOf(ada))
    expect(await activityOf(ada)).toEqual({ profile: [1, 0] })
  })

  test('at UserInfo only if it names the person: an app without the scopes gets an id', async () => {
    const ada = await world.aMember(school)
    const { access_token } = await aPair(world, school, client, ada, { scope: 'openid' })
    expect((await userinfo(world, school, access_token)).json()).not.toHaveProperty('name')
    expect(await activityOf(ada)).toEqual({})
  })

  test('by an ID token that names the person, which an app gets without any request', async () => {
    const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
    expect(await aPair(world, school, client, ada, { scope: 'openid email' })).toHaveProperty(
      'id_token',
    )
    await aPair(world, school, client, ben, { scope: 'openid' })
    expect(await activityOf(ada)).toEqual({ profile: [1, 0] })
    expect(await activityOf(ben)).toEqual({})
  })

  test('by tools of members, if they succeed', async () => {
    const ada = await world.aMember(school)
    const token = await aTokenOf(ada)
    const call = (name: string, given: object = {}) =>
      callTool(world, school, name, given, { token })
    await call('my_schedule')
    await call('my_courses')
    await call('mark_all_notifications_read')
    await call('my_course', { slug: 'there-is-no-such-course' })
    expect(await activityOf(ada)).toEqual({
      ...{ bookings: [1, 0], courses: [1, 0] },
      notifications: [0, 1],
    })
  })

  test('in the Admin API, by the scopes that a request needed, once for a repeated write', async () => {
    const operator = await anOperator(world, school, OPERATOR)
    await operator.get('/courses')
    const headers = { 'idempotency-key': 'once' }
    for (let time = 0; time < 3; time++) {
      await operator.post('/posts', { slug: 'activity', title: 'A post' }, headers)
    }
    await operator.post('/posts', { slug: 'Not a slug' })
    await operator.get('/coupons/export')
    expect(await activityOf(operator.person, CLAUDE)).toEqual({
      ...{ courses: [1, 0], coupons: [1, 0] },
      posts: [0, 1],
    })
  })

  test('by an import that wrote rows, not by one whose file was refused', async () => {
    const operator = await anOperator(world, school, OPERATOR)
    const sendRows = (body: string, query = '') =>
      operator.post(`/coupons/import${query}`, body, { 'content-type': 'text/csv' })
    expect((await sendRows('code,percent\nACT1,20\n')).statusCode).toBe(422)
    expect((await sendRows('code,percent_off\nACT1,900\n')).statusCode).toBe(200)
    expect((await sendRows('code,percent_off\nACT1,20\n', '?dry_run=true')).statusCode).toBe(200)
    expect(await activityOf(operator.person, CLAUDE)).toEqual({})
    expect((await sendRows('code,percent_off\nACT1,20\nACT2,20\n')).statusCode).toBe(200)
    expect(await activityOf(operator.person, CLAUDE)).toEqual({ coupons: [0, 1] })
  })

  test('by tools of operators', async () => {
    const { person, accessToken: token } = await anOperator(world, school, OPERATOR)
    await callTool(world, school, 'read_teaching', { action: 'courses.list' }, { token })
    const { reads } = await db
      .selectFrom('app_activity')
      .select((eb) => eb.fn.countAll<string>().as('reads'))
      .where('authorization_id', '=', await authorizationOf(person))
      .executeTakeFirstOrThrow()
    expect(Number(reads)).toBe(0)
    expect(await activityOf(person, CLAUDE)).toEqual({ courses: [1, 0] })
  })

  test('and every scope of operators belongs to a kind', () => {
    const scopes = SCOPES.filter(({ audience }) => audience === 'operator')
    expect(scopes.filter(({ name }) => kindOfScope(name) === undefined)).toEqual([])
  })
})

describe('the counts', () => {
  test('are written once a minute, one row for an authorization and kind, in one statement', async () => {
    const ada = await world.aMember(school)
    const token = await aTokenOf(ada)
    const authorization = await authorizationOf(ada)
    await userinfo(world, school, token)
    await writeActivity()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const before = await rowsOf(authorization)
    const statements = await world.database.statementsOf(async () => {
      for (let time = 0; time < 20; time++) await userinfo(world, school, token)
      await vi.advanceTimersByTimeAsync(59_000)
    }, WITH_TIMERS)
    expect(statements.filter((text) => text.includes('app_activity'))).toEqual([])
    expect(await rowsOf(authorization)).toEqual(before)
    const written = await world.database.statementsOf(async () => {
      await vi.advanceTimersByTimeAsync(1_000)
      await writeActivity()
    }, WITH_TIMERS)
    expect(written.filter((text) => text.includes('app_activity'))).toHaveLength(1)
    expect(await rowsOf(authorization)).toMatchObject([{ kind: 'profile', reads: 21, changes: 0 }])
  })

  test('of several minutes and people add up, for the school', async () => {
    const own = await world.aSchool()
    const app = await world.aPublicClient(own)
    const [ada, ben] = [await world.aMember(own), await world.aMember(own)]
    for (const person of [ada, ben]) {
      const token = await aTokenOf(person, own, app)
      await userinfo(world, own, token)
      await writeActivity()
      await userinfo(world, own, token)
      await writeActivity()
    }
    const sums = await own.db.from('app_activity_sums').selectAll().execute()
    expect(sums).toMatchObject([{ client_id: app.clientId, kind: 'profile', reads: 4 }])
    const found = (await activityOfApps(own.db, [app.clientId, 'no-such-app'])).get(app.clientId)
    expect(found).toMatchObject({
      people: 2,
      activities: [{ kind: 'profile', readDays: 1, changes: 0, lastReadAt: expect.any(Date) }],
    })
  })

  test('do not tell the school that an app read nothing which was used before there were counts', async () => {
    const own = await world.aSchool({ mcpConnections: true })
    const app = await world.aPublicClient(own)
    const [ada, ben] = [await world.aMember(own), await world.aMember(own)]
    await userinfo(world, own, await aTokenOf(ada, own, app))
    await aPair(world, own, app, ben, { scope: 'openid email' })
    await writeActivity()
    await own.db.delete('app_activity_sums').execute()
    const owner = await signedIn(world, own, await world.aMember(own, ['owner']))
    const { body } = await owner.get(applicationPath(app.clientId))
    expect(body).toContain('On behalf of 2 people.')
    expect(body).not.toContain('It read and changed nothing')
  })

  test('of a school stay there: an authorization of another school is never written', async () => {
    const other = await world.aSchool()
    const ada = await world.aMember(school)
    await aTokenOf(ada)
    const authorizationId = await authorizationOf(ada)
    noteActivity(other.db, { authorizationId }, 'payments', 'read')
    await writeActivity()
    expect(await rowsOf(authorizationId)).toEqual([])
    expect(await other.db.from('app_activity').selectAll().execute()).toEqual([])
    expect(await activityOfApps(other.db, [client.clientId])).toEqual(new Map())
    expect(await activityOfPerson(other.db, ada.id, [client.clientId])).toEqual(new Map())
  })

  test('have an end in memory: a flood of authorizations is written early and does not grow further', async () => {
    const ada = await world.aMember(school)
    await aTokenOf(ada)
    const authorizationId = await authorizationOf(ada)
    noteActivity(school.db, { authorizationId }, 'courses', 'read')
    const statements = await world.database.statementsOf(async () => {
      for (let n = 0; n < 25_000; n++) {
        noteActivity(school.db, { authorizationId: uuidv7() }, 'courses', 'read')
      }
      await writeActivity()
    }, WITH_TIMERS)
    const written = statements.filter((text) => text.includes('app_activity'))
    expect(written).toHaveLength(20)
    expect(await activityOf(ada)).toEqual({ courses: [1, 0] })
  })

  test('wait for the next minute while the database cannot write them, and are written once', async () => {
    const ada = await world.aMember(school)
    const token = await aTokenOf(ada)
    const authorization = await authorizationOf(ada)
    await userinfo(world, school, token)
    await sql`alter table app_activity rename to app_activity_away`.execute(db)
    await writeActivity()
    await userinfo(world, school, token)
    await writeActivity()
    await sql`alter table app_activity_away rename to app_activity`.execute(db)
    expect(await rowsOf(authorization)).toEqual([])
    await writeActivity()
    await writeActivity()
    expect(await rowsOf(authorization)).toMatchObject([{ kind: 'profile', reads: 2, changes: 0 }])
  })

  test('are written and read by index', async () => {
    const ada = await world.aMember(school)
    await userinfo(world, school, await aTokenOf(ada))
    const statements = await world.database.statementsOf(async () => {
      await writeActivity()
      await activityOfApps(school.db, [client.clientId])
      await activityOfPerson(school.db, ada.id, [client.clientId])
    }, WITH_TIMERS)
    const own = statements.filter((text) => /app_activity|last_used_at/.test(text))
    expect(own).toHaveLength(4)
    expect(await wholeReads(world.database.connection, own)).toEqual(new Map())
  })

  test.each(['Pacific/Kiritimati', 'Etc/GMT+12'])(
    'of the last 30 days are those of the days at the school: %s',
    async (zone) => {
      const own = await world.aSchool()
      await sql`update schools set time_zone = ${zone} where id = ${own.id}`.execute(db)
      const app = await world.aPublicClient(own)
      const ada = await world.aMember(own)
      await aTokenOf(ada, own, app)
      const authorization = await authorizationOf(ada, own)
      // One transaction, in which it is the same moment from beginning to end.
      const shown = await own.db.transaction(async (tx) => {
        for (const [kind, age] of [
          ['courses', 29],
          ['payments', 30],
        ] as const) {
          await tx.run(sql`
            insert into app_activity (school_id, authorization_id, kind, day, reads, changes, last_read_at)
            values (${own.id}, ${authorization}, ${kind}, (now() at time zone ${zone}::text)::date - ${age}::int, 1, 0, now())`)
        }
        return (await activityOfPerson(tx, ada.id, [app.clientId])).get(app.clientId)
      })
      expect(shown?.map(({ kind }) => kind)).toEqual(['courses'])
    },
  )

  test('are removed after 31 days', async () => {
    const ada = await world.aMember(school)
    await userinfo(world, school, await aTokenOf(ada))
    await writeActivity()
    const authorization_id = await authorizationOf(ada)
    const age = (days: number) =>
      sql`update app_activity set day = day - ${days}::int where authorization_id = ${authorization_id}`.execute(
        db,
      )
    await age(30)
    await purgeOnce(db, { auditRetentionDays: 365 })
    expect(await rowsOf(authorization_id)).toHaveLength(1)
    expect(await activityOf(ada)).toEqual({})
    await age(2)
    await purgeOnce(db, { auditRetentionDays: 365 })
    expect(await rowsOf(authorization_id)).toEqual([])
  })
})

describe('the page of connected apps', () => {
  test('tells what an app read and changed, and that it read nothing only before its first use', async () => {
    const ada = await world.aMember(school)
    const token = await aTokenOf(ada)
    const visitor = await signedIn(world, school, ada)
    const page = async () => (await visitor.get('/account/apps')).body.replaceAll(/<[^>]+>/g, '')
    expect(await page()).toContain('It has read and changed nothing since you allowed it.')
    await ask(world, school, token, '{ __typename }')
    await writeActivity()
    const used = await page()
    expect(used).not.toContain('since you allowed it')
    expect(used).toContain('There is no record that it read or changed anything.')
    await ask(world, school, token, '{ viewer { enrolledCourses { totalCount } } }')
    await ask(world, school, token, 'mutation { markAllNotificationsRead { markedCount } }')
    await ask(world, school, token, 'mutation { markAllNotificationsRead { markedCount } }')
    await writeActivity()
    const told = await page()
    expect(told).toMatch(/Read your courses on 1 day, last \d/)
    expect(told).toMatch(/Changed your notifications 2 times, last \d/)
  })

  test('does not say that an app read nothing which has the name in an ID token, also before it is counted', async () => {
    const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
    await aPair(world, school, client, ada, { scope: 'openid profile' })
    await aPair(world, school, client, ben, { scope: 'openid' })
    const page = async (person: TestPerson) =>
      (await (await signedIn(world, school, person)).get('/account/apps')).body
    expect(await page(ada)).not.toContain('since you allowed it')
    expect(await page(ben)).toContain('It has read and changed nothing since you allowed it.')
    await writeActivity()
    expect(await page(ada)).toContain('Read your name and email on 1 day')
  })

  test('does not say that an app read nothing which read in an authorization that has ended before', async () => {
    const ada = await world.aMember(school)
    await userinfo(world, school, await aTokenOf(ada))
    await writeActivity()
    const visitor = await signedIn(world, school, ada)
    const used = await authorizationOf(ada)
    await aTokenOf(ada)
    await sql`delete from app_activity where authorization_id = ${used}`.execute(db)
    const by = { userId: ada.id, requestId: uuidv7() }
    expect(await endConnectedApp(school.db, ada.id, { authorizationId: used }, by)).toBe(1)
    const { body } = await visitor.get('/account/apps')
    expect(body).not.toContain('since you allowed it')
    expect(body).toContain('There is no record that it read or changed anything.')
  })

  test('says “never” of no app: the purge has removed the authorization that it used', async () => {
    const ada = await world.aMember(school)
    await userinfo(world, school, await aTokenOf(ada))
    await writeActivity()
    const used = await authorizationOf(ada)
    const by = { userId: ada.id, requestId: uuidv7() }
    await endConnectedApp(school.db, ada.id, { authorizationId: used }, by)
    await sql`
      update authorizations set created_at = created_at - interval '90 days', revoked_at = now() - interval '90 days'
      where id = ${used}`.execute(db)
    await sql`delete from token_pairs where authorization_id = ${used}`.execute(db)
    await aTokenOf(ada)
    await purgeOnce(db, { auditRetentionDays: 365 })
    const left = school.db.from('authorizations').select('id').where('user_id', '=', ada.id)
    expect((await left.execute()).map(({ id }) => id)).not.toContain(used)
    const visitor = await signedIn(world, school, ada)
    const { body } = await visitor.get('/account/apps')
    expect(body).not.toContain('never')
    expect(body).toContain('It has read and changed nothing since you allowed it.')
  })

  test('tells a person nothing about the same app of another person', async () => {
    const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
    await userinfo(world, school, await aTokenOf(ada))
    await aTokenOf(ben)
    await writeActivity()
    const visitor = await signedIn(world, school, ben)
    expect((await visitor.get('/account/apps')).body).toContain('It has read and changed nothing')
  })
})
