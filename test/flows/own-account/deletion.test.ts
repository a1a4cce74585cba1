import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { purgeJobs } from '../../../src/domain/jobs/finish-job.ts'
import { FORGET_PLAN, forgetMemberJob } from '../../../src/domain/leaving/forget-member.ts'
import { deletePerson } from '../../../src/domain/people/deletion/delete-person.ts'
import { smtpMailer } from '../../../src/foundation/mail/mailer.ts'
import { createDiskStore } from '../../../src/foundation/storage/disk-store.ts'
import { purgeOnce } from '../../../src/start/purge-rows.ts'
import { nameAskedFor } from '../../support/admin-browser.ts'
import { hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aPair, userinfo } from '../../support/client-like.ts'
import { everythingAbout } from '../../support/everything-about.ts'
import { aNotification, manyNotifications } from '../../support/inbox.ts'
import { aRunner, aroundSteps, endLeases, finishJobs } from '../../support/jobs.ts'
import { aMailBox } from '../../support/mail-box.ts'
import { proveFactor } from '../../support/old-proof.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { aWorld, type TestPerson, type TestSchool } from '../../support/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'schoolgate-files-'))
const store = createDiskStore(folder)
const mailBox = await aMailBox()
const mailer = smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>')
const world = await aWorld({ files: store, mailer })
afterAll(() => rm(folder, { recursive: true }))
const { db } = world.database

const PAGE = '/account/delete'
const CANCEL = '/account/delete/cancel'

const purge = () => purgeOnce(db, { auditRetentionDays: 365 })

/** The page has a form for each part; that of the whole account asks for the email, too. */
async function ask(visitor: Visitor, part: 'school' | 'account', typed: object = {}) {
  const { body } = await visitor.get(PAGE)
  const confirmed = part === 'account' ? nameAskedFor(body) : {}
  return await visitor.post(PAGE, { ...hiddenFields(body, PAGE), part, ...confirmed, ...typed })
}

const requestsOf = ({ id }: TestPerson) =>
  db.selectFrom('deletion_requests').selectAll().where('user_id', '=', id).execute()

/** As if the waiting time were over. */
async function passTime(person: TestPerson): Promise<void> {
  await db
    .updateTable('deletion_requests')
    .set({ due_at: new Date(0), blocked_at: null })
    .where('user_id', '=', person.id)
    .execute()
}

const finish = () =>
  finishJobs(world, {
    onError: (error) => {
      throw error
    },
  })

/** Asks, waits, and lets the purge and the jobs do it. */
async function deleteNow(person: TestPerson, visitor: Visitor, part: 'school' | 'account') {
  await proveFactor(world, person)
  expect((await ask(visitor, part)).headers.location).toBe('/account/settings?done=deletion')
  await passTime(person)
  await purge()
  await finish()
}

const OF_ACCOUNTS = [
  'users',
  'person_pictures',
  'authenticators',
  'recovery_codes',
  'email_changes',
  'lost_factors',
]

/** How many rows of each table name the person at the school. */
async function rowsAbout(school: TestSchool, person: TestPerson): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const [table, columns] of Object.entries(FORGET_PLAN)) {
    for (const column of Object.keys(columns)) {
      const isTenant = !OF_ACCOUNTS.includes(table)
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from ${sql.table(table)} where ${sql.ref(column)} = ${person.id}
          and ${isTenant ? sql`school_id = ${school.id}` : sql`true`}`.execute(db)
      if ((rows[0]?.n ?? 0) > 0) counts[`${table}.${column}`] = rows[0]?.n ?? 0
    }
  }
  return counts
}

/** Tables that keep rows of a person with everything, as the plan says. */
const KEPT = [
  'audit_entries.actor_user_id',
  'authorizations.user_id',
  'clients.created_by',
  'comments.user_id',
  'coupon_redemptions.user_id',
  'orders.user_id',
  'payments.user_id',
  'school_members.user_id',
  'subscriptions.user_id',
  'users.id',
]

describe('a person who leaves one school', () => {
  test('is gone there after the waiting time, and stays elsewhere as before', async () => {
    const [school, other] = [await world.aSchool(), await world.aSchool()]
    const ada = await world.aMember(school)
    await world.aMember(other, ['student'], ada)
    const { comments } = await everythingAbout(world, school, ada, 'Mark')
    await everythingAbout(world, other, ada, 'Elsewhere')
    const elsewhere = await signedIn(world, other, ada)
    const before = await rowsAbout(other, ada)
    const pair = await aPair(world, school, await world.aPublicClient(school), ada)
    // A code that was exchanged stays for a day, to recognise its replay.
    await school.db.delete('authorization_codes').execute()
    const visitor = await signedIn(world, school, ada)
    await deleteNow(ada, visitor, 'school')

    expect(Object.keys(await rowsAbout(school, ada)).toSorted()).toEqual(KEPT)
    expect(await rowsAbout(other, ada)).toEqual(before)
    expect((await elsewhere.get('/account')).statusCode).toBe(200)
    expect((await visitor.get('/account')).headers.location).toContain('/sign-in')
    expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
    const left = await school.db.from('comments').select(['id', 'body']).orderBy('id').execute()
    expect(left).toEqual([
      { id: comments.answered, body: '(deleted)' },
      { id: comments.answer, body: 'An answer of a classmate' },
    ])
    const states = await school.db.from('subscriptions').select('state').execute()
    expect(states).toEqual([{ state: 'canceled' }])
    expect(await requestsOf(ada)).toEqual([])
    const actions = await school.db
      .from('audit_entries')
      .select('action')
      .where('actor_user_id', '=', ada.id)
      .where('action', 'like', 'person.%')
      .orderBy('id')
      .execute()
    expect(actions.map(({ action }) => action)).toEqual([
      'person.deletion_requested',
      'person.deleted',
    ])
  })

  test('stays until the time has come, and by one button for good', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    await ask(visitor, 'school')
    const [request] = await requestsOf(ada)
    const days = (Number(request?.due_at) - Number(request?.requested_at)) / 86_400_000
    expect(Math.round(days)).toBe(14)
    await purge()
    expect((await visitor.get('/account')).body).toContain('This school will forget you')
    const kept = await submit(visitor, '/account', CANCEL)
    expect((await visitor.follow(kept)).body).toContain('Nothing will be deleted')
    expect(await requestsOf(ada)).toEqual([])
    await purge()
    expect(await rowsAbout(school, ada)).toMatchObject({ 'browser_sessions.user_id': 1 })
    const again = await visitor.post(CANCEL, {
      form_token: hiddenFields((await visitor.get(PAGE)).body, PAGE).form_token ?? '',
      part: 'school',
    })
    expect(again.headers.location).toBe('/account/settings?done=nothing-to-keep')
  })

  test('who asks twice does not wait longer', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    await ask(visitor, 'account')
    const [first] = await requestsOf(ada)
    await db
      .updateTable('deletion_requests')
      .set({ due_at: new Date('2030-01-01T00:00:00Z') })
      .where('user_id', '=', ada.id)
      .execute()
    const { form_token = '' } = hiddenFields((await visitor.get('/account')).body, CANCEL)
    await visitor.post(PAGE, { form_token, part: 'account', confirm_name: ada.email })
    const requests = await requestsOf(ada)
    expect(requests).toEqual([{ ...first, due_at: new Date('2030-01-01T00:00:00Z') }])
    const entries = await db
      .selectFrom('audit_entries')
      .select('school_id')
      .where('actor_user_id', '=', ada.id)
      .where('action', '=', 'person.deletion_requested')
      .execute()
    expect(entries).toEqual([{ school_id: school.id }])
  })

  test('who never belonged to it is told so', async () => {
    const school = await world.aSchool()
    const visitor = await signedIn(world, school, await world.aPerson())
    const answer = await ask(visitor, 'school')
    expect(answer.statusCode).toBe(409)
    expect(answer.body).toContain('You do not belong to this school')
  })

  test('loses the copy of their data at once', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    await submit(visitor, '/account/data', '/account/data')
    await finish()
    const [copy] = await school.db.from('jobs').select('files').execute()
    await deleteNow(ada, visitor, 'school')
    await purgeJobs(db, store)
    for (const key of (copy?.files ?? []) as string[]) expect(await store.read(key)).toBeUndefined()
  })

  test('whose removal dies half-way is removed by the next run, and no more than that', async () => {
    const [school, other] = [await world.aSchool(), await world.aSchool()]
    const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
    await everythingAbout(world, school, ada, 'Mark')
    await everythingAbout(world, school, ben, 'Stays')
    await manyNotifications(school, ada, 1100)
    const before = await rowsAbout(school, ben)
    const visitor = await signedIn(world, school, ada)
    await proveFactor(world, ada)
    await ask(visitor, 'school')
    await passTime(ada)
    await purge()
    for (const dyingAt of [1, 3, 9]) {
      await runUntilDeath(school, dyingAt)
    }
    expect((await rowsAbout(school, ada))['notifications.user_id'] ?? 0).toBeGreaterThan(0)
    await finish()
    expect(Object.keys(await rowsAbout(school, ada)).toSorted()).toEqual(KEPT)
    expect(await rowsAbout(school, ben)).toEqual(before)
    expect(await rowsAbout(other, ada)).toEqual({ 'users.id': 1 })
  })

  test('who comes back before the job ran keeps what they do from then on', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    await ask(visitor, 'school')
    await passTime(ada)
    await purge()
    await school.db
      .update('school_members')
      .set({ roles: ['student'] })
      .where('user_id', '=', ada.id)
      .execute()
    await aNotification(school, ada)
    await finish()
    expect(await rowsAbout(school, ada)).toMatchObject({ 'notifications.user_id': 1 })
  })
})

/**
 * Runs the job until it dies behind this step; its lease then ends, as that of a dead process does.
 */
async function runUntilDeath(school: TestSchool, dyingAt: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const dying = aroundSteps(forgetMemberJob, async (step, number) => {
      await step()
      if (number < dyingAt) return
      resolve()
      await new Promise(() => undefined)
    })
    void aRunner(world, { kinds: [dying] }).runNext()
  })
  await endLeases(school)
}

describe('a person who deletes the whole account', () => {
  test('is forgotten by every school, cannot sign in, and payments stay without a name', async () => {
    const [school, other] = [await world.aSchool(), await world.aSchool()]
    const ada = await world.aMember(school)
    await world.aMember(other, [], ada)
    for (const at of [school, other]) await everythingAbout(world, at, ada, 'Mark')
    const visitor = await signedIn(world, school, ada)
    await deleteNow(ada, visitor, 'account')
    for (const at of [school, other]) {
      expect(Object.keys(await rowsAbout(at, ada)).toSorted()).toEqual(
        at === school ? KEPT : KEPT.filter((column) => !column.startsWith('audit_entries')),
      )
    }
    const row = await db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', ada.id)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({ email: null, name: 'Deleted person', avatar_url: null })
    const again = await visitor.signIn(await visitor.get('/sign-in'), ada)
    expect(again.statusCode).toBe(401)
    expect(await requestsOf(ada)).toEqual([])
  })

  test('sees it at every school while it waits, and can cancel it at any of them', async () => {
    const [school, other] = [await world.aSchool(), await world.aSchool()]
    const ada = await world.aMember(school)
    await world.aMember(other, ['student'], ada)
    await ask(await signedIn(world, school, ada), 'account')
    const elsewhere = await signedIn(world, other, ada)
    expect((await elsewhere.get('/account')).body).toContain('Your whole account will be deleted')
    await submit(elsewhere, '/account', CANCEL)
    expect(await requestsOf(ada)).toEqual([])
  })

  test('is deleted in the same way from the command line, without waiting', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    await everythingAbout(world, school, ada, 'Mark')
    await ask(await signedIn(world, school, ada), 'school')
    await db
      .transaction()
      .execute((tx) => deletePerson(tx, ada.id, { force: false }, { via: 'command_line' }))
    await finish()
    expect(Object.keys(await rowsAbout(school, ada)).toSorted()).toEqual(KEPT)
    expect(await requestsOf(ada)).toEqual([])
  })
})

describe('the email that the deletion of a whole account asks for', () => {
  test.each([
    ['nothing', () => ''],
    ['the address of another person', () => 'eve@people.test'],
    ['a part of it', (email: string) => email.slice(0, -1)],
    ['it with a sign that is not seen', (email: string) => `\u200b${email}`],
    ['it with a NUL', (email: string) => `${email}\0`],
    ['two addresses', (email: string) => `${email} ${email}`],
  ])('is not %s: nothing happens, and what was typed is kept', async (_, typedFor) => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    const typed = typedFor(ada.email)
    const answer = await ask(visitor, 'account', { confirm_name: typed })
    expect(answer.statusCode).toBe(422)
    expect(answer.body).toContain('This is another email address. Nothing was deleted.')
    expect(answer.body).toContain(typed && `value="${typed}"`)
    expect(await requestsOf(ada)).toEqual([])
  })

  test('is escaped where it is shown again', async () => {
    const school = await world.aSchool()
    const visitor = await signedIn(world, school, await world.aMember(school))
    const answer = await ask(visitor, 'account', { confirm_name: '"><script>alert(1)</script>' })
    expect(answer.body).not.toContain('<script>alert')
  })

  test('counts in any case and with spaces around it, as at sign-in', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    const typed = ` ${ada.email.toUpperCase()} `
    expect((await ask(visitor, 'account', { confirm_name: typed })).statusCode).toBe(303)
    expect(await requestsOf(ada)).toHaveLength(1)
  })

  test('is not asked for by the form that leaves one school', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    const answer = await ask(visitor, 'school', { confirm_name: 'eve@people.test' })
    expect(answer.statusCode).toBe(303)
    expect(await requestsOf(ada)).toHaveLength(1)
  })
})

describe('the last owner of a school', () => {
  test('cannot leave it, nor delete the account, and is told which school it is', async () => {
    const school = await world.aSchool()
    const owner = await world.aMember(school, ['owner'])
    const visitor = await signedIn(world, school, owner)
    for (const part of ['school', 'account'] as const) {
      const answer = await ask(visitor, part)
      expect(answer.statusCode).toBe(409)
      expect(answer.body).toContain(
        `You are the only owner of <bdi class="name">School ${school.subdomain}</bdi>.`,
      )
    }
    expect(await requestsOf(owner)).toEqual([])
  })

  test('may leave another school', async () => {
    const [own, school] = [await world.aSchool(), await world.aSchool()]
    const owner = await world.aMember(own, ['owner'])
    await world.aMember(school, ['student'], owner)
    const visitor = await signedIn(world, school, owner)
    await deleteNow(owner, visitor, 'school')
    expect(await rowsAbout(school, owner)).not.toHaveProperty('browser_sessions.user_id')
    const roles = own.db.from('school_members').select('roles').where('user_id', '=', owner.id)
    expect(await roles.execute()).toEqual([{ roles: ['owner'] }])
  })

  test('who became it while the request waited stays, sees why, and goes when there is another', async () => {
    const school = await world.aSchool()
    const [owner, other] = [
      await world.aMember(school, ['owner']),
      await world.aMember(school, ['owner']),
    ]
    const visitor = await signedIn(world, school, owner)
    await ask(visitor, 'account')
    const setRoles = (roles: string[]) =>
      school.db.update('school_members').set({ roles }).where('user_id', '=', other.id).execute()
    await setRoles(['student'])
    await passTime(owner)
    await purge()
    expect((await visitor.get('/account')).body).toContain('you are the only owner of a school')
    expect(await requestsOf(owner)).toHaveLength(1)
    await setRoles(['owner'])
    await purge()
    // It is tried again after a day.
    expect(await requestsOf(owner)).toHaveLength(1)
    await passTime(owner)
    await purge()
    expect(await requestsOf(owner)).toEqual([])
    expect((await visitor.get('/account')).headers.location).toContain('/sign-in')
  })
})

describe('an attacker', () => {
  test('cannot ask or cancel with a form that we did not serve, nor without a session', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    const forged = { form_token: 'made up', part: 'account' }
    expect((await visitor.post(PAGE, forged)).statusCode).toBe(403)
    await ask(visitor, 'account')
    expect((await visitor.post(CANCEL, forged)).statusCode).toBe(403)
    const anyone = await new Visitor(world, school).post(PAGE, { part: 'account' })
    expect(anyone.headers.location).toContain('/sign-in')
    expect(await requestsOf(ada)).toHaveLength(1)
  })

  test('who is another member cannot name whose account it is', async () => {
    const school = await world.aSchool()
    const [ada, eve] = [await world.aMember(school), await world.aMember(school)]
    const visitor = await signedIn(world, school, eve)
    await ask(visitor, 'account', { user_id: ada.id, email: ada.email })
    expect(await requestsOf(ada)).toEqual([])
    expect(await requestsOf(eve)).toHaveLength(1)
  })

  test('with an older session must prove again who they are', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    await school.db
      .update('browser_sessions')
      .set({ authenticated_at: new Date(Date.now() - 11 * 60_000) })
      .execute()
    const answer = await ask(visitor, 'account')
    expect(answer.body).toContain('action="/confirm"')
    expect(await requestsOf(ada)).toEqual([])
  })

  test('who sends neither part is asked to choose', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    const { form_token = '' } = hiddenFields((await visitor.get(PAGE)).body, PAGE)
    const answer = await visitor.post(PAGE, { form_token, part: 'everything' })
    expect(answer.statusCode).toBe(400)
    expect(await requestsOf(ada)).toEqual([])
  })
})

describe('the person', () => {
  test('gets a mail when it was asked for and one when it is done, from a school that they know', async () => {
    const [known, school] = [await world.aSchool(), await world.aSchool()]
    const ada = await world.aMember(known)
    const timeZone = 'Pacific/Kiritimati'
    await world.database.pool.query('update schools set time_zone = $2 where id = $1', [
      known.id,
      timeZone,
    ])
    const visitor = await signedIn(world, school, ada)
    expect((await ask(visitor, 'account')).statusCode).toBe(303)
    const asked = await mailBox.take(ada.email, 'delete your whole account')
    expect(asked.text).toContain(`${known.origin}/account`)
    // The day as the pages of that school show it.
    const [request] = await requestsOf(ada)
    const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone })
    expect(asked.text).toContain(`done on ${day.format(request?.due_at)}.`)
    await passTime(ada)
    await purge()
    // Any later answer that sends mail sends this one too.
    const other = await world.aMember(school)
    await ask(await signedIn(world, school, other), 'account')
    const done = await mailBox.take(ada.email, 'your account was deleted')
    expect(done.text).not.toContain(ada.name)
  })
})
