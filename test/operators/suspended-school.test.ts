import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { SCHOOL_CLOCKS } from '../../src/domain/catalogue/school-clocks.ts'
import { rotateSecret } from '../../src/domain/clients/application-operations.ts'
import type { JobKind } from '../../src/domain/jobs/job.ts'
import { isKept } from '../../src/domain/people/email-change/email-change.ts'
import { lostFactorSweep } from '../../src/domain/people/factors/lost-factors.ts'
import { takeMail } from '../../src/domain/people/outgoing-mail.ts'
import { deletionSweep } from '../../src/domain/people/purge-people.ts'
import { deleteSchool } from '../../src/domain/schools/delete-school.ts'
import { resumeSchool, suspendSchool } from '../../src/domain/schools/suspend-school.ts'
import type { SchoolClock } from '../../src/foundation/db/school-clock.ts'
import { smtpMailer } from '../../src/foundation/mail/mailer.ts'
import { purgeOnce } from '../../src/start/purge-rows.ts'
import { MailSender } from '../../src/surfaces/pages/mails/mail-sender.ts'
import { verifies } from '../spec/verifies.ts'
import { withSecondFactor } from '../support/authenticator.ts'
import { Visitor } from '../support/browser-like.ts'
import { aPair, refresh, userinfo } from '../support/client-like.ts'
import { aJob, aRunner, finishJobs, jobRow } from '../support/jobs.ts'
import { aMailBox, untilSent } from '../support/mail-box.ts'
import { signedIn, submit } from '../support/operator-like.ts'
import { passTime } from '../support/pass-time.ts'
import { addPasskey, PasskeyDevice } from '../support/passkey-device.ts'
import { outputOf, performByCommandLine } from '../support/performing.ts'
import { aWorld, type TestPerson, type TestSchool } from '../support/world.ts'

const mailBox = await aMailBox()
const mailer = smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>')
const routes: { method: string; url: string }[] = []
const world = await aWorld({
  mailer,
  onRoute: ({ method, url }) => {
    for (const one of [method].flat()) if (one !== 'HEAD') routes.push({ method: one, url })
  },
})
const { db } = world.database

const by = ({ origin }: TestSchool) => ({ via: 'command_line', roles: ['owner'], origin }) as const
const suspend = (school: TestSchool) =>
  school.db.transaction((tx) => suspendSchool(tx, by(school))).finally(forget)
const resume = (school: TestSchool, clocks: readonly SchoolClock[] = SCHOOL_CLOCKS) =>
  resumeSchool(school.db, clocks, by(school)).finally(forget)
/** As the notice of PostgreSQL does. */
const forget = () => world.context.directory.forget()

/** So long that everything that expires has expired and was purged, but for what stands still. */
async function passHalfAYear(): Promise<void> {
  await passTime(world, '180 days')
  const now = Date.now() + 180 * 86_400_000
  for (let round = 0; round < 3; round++) await purgeOnce(db, { auditRetentionDays: 365, now })
}

const send = (
  { origin }: TestSchool,
  { method, url }: { method: string; url: string },
  headers: Record<string, string> = {},
) =>
  world.app.inject({
    method: method as 'GET',
    url: url.replaceAll(/:\w+/g, 'x').replaceAll('*', 'x'),
    headers: { host: new URL(origin).host, ...headers },
  })

describe('a suspended school', () => {
  verifies(
    'school.suspended.answer',
    'answers every request of every surface with 503, its name and Retry-After, and no challenge',
    async () => {
      const school = await world.aSchool({ mcpConnections: true })
      const client = await world.aPublicClient(school)
      const pair = await aPair(world, school, client, await world.aMember(school))
      await suspend(school)
      const everywhere = [...routes, { method: 'GET', url: '/nothing/is/here' }]
      expect(everywhere.length).toBeGreaterThan(500)
      const others: string[] = []
      for (const route of everywhere) {
        const token = { authorization: `Bearer ${pair.access_token}` }
        const answer = await send(school, route, token)
        const { error, school: name } = answer.statusCode === 503 ? answer.json() : {}
        const isRight =
          error === 'temporarily_unavailable' &&
          name === `School ${school.subdomain}` &&
          answer.headers['retry-after'] === '300' &&
          answer.headers['www-authenticate'] === undefined
        if (!isRight) others.push(`${route.method} ${route.url} ${answer.statusCode}`)
      }
      // What belongs to no school, and what its own 503 page is dressed with.
      expect(
        others.filter((one) => !/ \/(assets|setup|tls-allowed|healthz|readyz)\b/.test(one)),
      ).toEqual([])
    },
  )

  test('shows people a page with its name and nothing else of it', async () => {
    const school = await world.aSchool()
    const visitor = await signedIn(world, school, await world.aMember(school))
    await suspend(school)
    for (const path of [
      '/',
      '/sign-in',
      '/account',
      '/admin',
      '/oauth/authorize?client_id=x',
      '/no',
    ]) {
      const answer = await visitor.get(path)
      expect(answer.statusCode, path).toBe(503)
      expect(answer.body).toContain(`School ${school.subdomain}`)
      expect(answer.body).not.toMatch(/<a |<form|Person/)
    }
  })

  test('leaves other schools, probes and certificates alone', async () => {
    const [school, other] = [await world.aSchool(), await world.aSchool()]
    await suspend(school)
    expect((await new Visitor(world, other).get('/sign-in')).statusCode).toBe(200)
    for (const url of ['/healthz', '/readyz']) {
      expect((await send(school, { method: 'GET', url })).statusCode, url).toBe(200)
    }
    const host = `${school.subdomain}.example`
    await db
      .updateTable('schools')
      .set({ origin: `https://${host}` })
      .where('id', '=', school.id)
      .execute()
    forget()
    const certificate = { method: 'GET', url: `/tls-allowed?domain=${host}` }
    expect((await send(other, certificate)).statusCode).toBe(200)
  })

  test('is suspended once and resumed once, and its audit log says both', async () => {
    const school = await world.aSchool()
    expect(await resume(school)).toBe(false)
    expect([await suspend(school), await suspend(school)]).toEqual([true, false])
    expect([await resume(school), await resume(school)]).toEqual([true, false])
    const rows = await school.db
      .from('audit_entries')
      .select(['action', 'detail'])
      .orderBy('id')
      .execute()
    expect(rows).toMatchObject([
      { action: 'school.suspended', detail: { via: 'command_line' } },
      { action: 'school.resumed', detail: { via: 'command_line' } },
    ])
  })

  test('can be deleted, and its rows go', async () => {
    const school = await world.aSchool()
    await suspend(school)
    await school.db.transaction((tx) => deleteSchool(tx, by(school)))
    await finishJobs(world)
    await school.db.delete('jobs').execute()
    await purgeOnce(db, { auditRetentionDays: 365 })
    expect(
      await db.selectFrom('schools').select('id').where('id', '=', school.id).execute(),
    ).toEqual([])
  })
})

/** What expires at a school: the ways to use each, for the same acts at a school that goes on. */
async function everythingThatExpires(school: TestSchool) {
  const ada = await world.aMember(school)
  const client = await world.aConfidentialClient(school)
  const used = await aPair(world, school, client, ada)
  expect((await userinfo(world, school, used.access_token)).statusCode).toBe(200)
  const idle = await aPair(world, school, client, ada)
  const browser = await signedIn(world, school, ada)
  const trusting = await signedIn(world, school, await world.aMember(school))
  const { client_secret: secret } = outputOf(
    await performByCommandLine(school, rotateSecret, {
      client_id: client.clientId,
      end_old: false,
    }),
  )
  await school.db
    .insert('idempotent_answers', {
      ...{ key_hash: Buffer.alloc(32, 1), fingerprint: Buffer.alloc(32, 2) },
      ...{ status: 200, headers: '{}', body: '' },
    })
    .execute()
  return { ada, client, secret, used, idle, browser, trusting }
}

type Expiring = Awaited<ReturnType<typeof everythingThatExpires>>

const statusesOf = async (
  school: TestSchool,
  { client, used, idle, browser, trusting }: Expiring,
) => ({
  token: (await userinfo(world, school, used.access_token)).statusCode,
  unused: (await userinfo(world, school, idle.access_token)).statusCode,
  browser: (await browser.get('/account')).statusCode,
  other: (await trusting.get('/account')).statusCode,
  oldSecret: (await refresh(world, school, client, idle.refresh_token)).statusCode,
  answers: (await school.db.from('idempotent_answers').select('status').execute()).length,
})

describe('half a year later', () => {
  verifies(
    'school.suspended.clocks',
    'tokens, sessions, secrets and answers of a suspended school work as before; those of another have gone',
    async () => {
      const [school, other] = [await world.aSchool(), await world.aSchool()]
      const kept = await everythingThatExpires(school)
      const lost = await everythingThatExpires(other)
      await suspend(school)
      await passHalfAYear()
      expect(await resume(school)).toBe(true)
      expect(await statusesOf(school, kept)).toEqual({
        ...{ token: 200, unused: 200, browser: 200, other: 200, oldSecret: 200, answers: 1 },
      })
      expect(await statusesOf(other, lost)).toEqual({
        ...{ token: 401, unused: 401, browser: 303, other: 303, oldSecret: 401, answers: 0 },
      })
      expect(kept.secret).not.toBe(kept.client.secret)
    },
  )

  test('each has the time left that it had, no more', async () => {
    const school = await world.aSchool()
    const { used, browser } = await everythingThatExpires(school)
    await passTime(world, '119 minutes')
    await suspend(school)
    await passHalfAYear()
    await resume(school)
    expect((await userinfo(world, school, used.access_token)).statusCode).toBe(200)
    await passTime(world, '2 minutes')
    expect((await userinfo(world, school, used.access_token)).statusCode).toBe(401)
    expect((await browser.get('/account')).statusCode).toBe(200)
    await passTime(world, '15 days')
    expect((await browser.get('/account')).statusCode).toBe(303)
  })

  test('what had expired before stays expired, and what was revoked stays revoked', async () => {
    const school = await world.aSchool()
    const old = await everythingThatExpires(school)
    await passTime(world, '100 days')
    await suspend(school)
    await passTime(world, '1 day')
    await resume(school)
    expect(await statusesOf(school, old)).toMatchObject({
      token: 401,
      browser: 303,
      oldSecret: 401,
    })
  })
})

describe('a resumption', () => {
  test('that was killed goes on where it was: no row is moved twice, and the time in between counts', async () => {
    const school = await world.aSchool()
    const { used, browser } = await everythingThatExpires(school)
    await suspend(school)
    await passTime(world, '100 days')
    const killed = SCHOOL_CLOCKS.map((clock) =>
      clock.table === 'email_changes'
        ? { ...clock, step: () => Promise.reject(new Error('killed')) }
        : clock,
    )
    await expect(resume(school, killed)).rejects.toThrow('killed')
    expect((await userinfo(world, school, used.access_token)).statusCode).toBe(503)
    await passTime(world, '100 days')
    expect(await resume(school)).toBe(true)
    expect((await userinfo(world, school, used.access_token)).statusCode).toBe(200)
    expect((await browser.get('/account')).statusCode).toBe(200)
    await passTime(world, '3 hours')
    expect((await userinfo(world, school, used.access_token)).statusCode).toBe(401)
  })

  test('by two commands at once moves each row once', async () => {
    const school = await world.aSchool()
    const { used } = await everythingThatExpires(school)
    await suspend(school)
    await passTime(world, '10 days')
    await Promise.all([resume(school), resume(school)])
    expect((await userinfo(world, school, used.access_token)).statusCode).toBe(200)
    await passTime(world, '3 hours')
    expect((await userinfo(world, school, used.access_token)).statusCode).toBe(401)
  })
})

describe('what a person can stop or undo', () => {
  test('waits with the school that tells them: a link of a mail works after half a year', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    await addPasskey(visitor, new PasskeyDevice(school.origin))
    const { text } = await mailBox.take(ada.email, '/not-me')
    const link = /\/not-me\?token=\S+/.exec(text)?.[0] ?? ''
    await suspend(school)
    await passHalfAYear()
    await resume(school)
    await submit(new Visitor(world, school), link, '/not-me')
    expect((await visitor.get('/account')).statusCode).toBe(303)
    // Recent when the school was suspended, so still recent: it may be a thief's.
    expect(await passkeysOf(ada)).toBe(0)
  })

  test('a change of the email address is undone', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    const email = `fresh-${ada.email}`
    await submit(visitor, '/account/email', '/account/email', { new_email: email })
    for (const address of [ada.email, email]) {
      const { text } = await mailBox.take(address, '/email-change?link=')
      const link = /\/email-change\?link=\S+/.exec(text)?.[0] ?? ''
      await submit(new Visitor(world, school), link, '/email-change', { decision: 'agree' })
    }
    const { text } = await mailBox.take(ada.email, 'Undo')
    const undo = /\/email-change\?link=\S+/.exec(text)?.[0] ?? ''
    await suspend(school)
    await passHalfAYear()
    await resume(school)
    await submit(new Visitor(world, school), undo, '/email-change', { decision: 'undo' })
    expect(await emailOf(ada)).toBe(ada.email)
  })

  test('a thief cannot use the pause to make a passkey look old: the change of an address is undone without it', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const thief = await signedIn(world, school, ada)
    await addPasskey(thief, new PasskeyDevice(school.origin))
    await suspend(school)
    await passTime(world, '30 days')
    await resume(school)
    const { rows } = await world.database.pool.query(
      `select factor_since > now() - interval '1 hour' as is_recent from browser_sessions
       where user_id = $1 and factor_since is not null
       union all select created_at > now() - interval '1 hour' from passkeys where user_id = $1`,
      [ada.id],
    )
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.every(({ is_recent }) => is_recent)).toBe(true)
  })

  test('the removal of lost factors and a deletion wait, and come when they would have come', async () => {
    const school = await world.aSchool()
    const person = await world.aMember(school)
    await withSecondFactor(world, school, person)
    await world.database.pool.query(
      'insert into lost_factors (user_id, asked_school_id) values ($1, $2)',
      [person.id, school.id],
    )
    await world.database.pool.query(
      `insert into deletion_requests (id, user_id, school_id, due_at)
       select gen_random_uuid(), $1, null, now() + interval '14 days'`,
      [person.id],
    )
    await suspend(school)
    await passHalfAYear()
    expect(await waiting(person)).toEqual({ factors: 1, deletions: 1 })
    await resume(school)
    await passTime(world, '6 days')
    await sweep()
    expect(await waiting(person)).toEqual({ factors: 1, deletions: 1 })
    await passTime(world, '2 days')
    await sweep()
    expect(await waiting(person)).toEqual({ factors: 0, deletions: 1 })
    await passTime(world, '7 days')
    await sweep()
    expect(await waiting(person)).toEqual({ factors: 0, deletions: 0 })
  })
})

/** Two schools of one person: the first one is the one that tells them. */
async function aPersonOfTwo() {
  const [first, other] = [await world.aSchool(), await world.aSchool()]
  const ada = await world.aMember(first)
  await passTime(world, '1 minute')
  await world.aMember(other, ['student'], ada)
  return { first, other, ada }
}

describe('while the school that tells a person is suspended', () => {
  test('a thief at another school is told of by that one, so the passkey is removed in time', async () => {
    const { first, other, ada } = await aPersonOfTwo()
    await suspend(first)
    const thief = await signedIn(world, other, ada)
    await addPasskey(thief, new PasskeyDevice(other.origin))
    const { text } = await mailBox.take(ada.email, 'passkey')
    expect(text).toContain(`${other.origin}/not-me`)
    await resume(first)
  })

  test('a school where a thief signs in now does not get the news: they wait', async () => {
    const first = await world.aSchool()
    const ada = await world.aMember(first)
    await suspend(first)
    await passTime(world, '1 minute')
    const mine = await world.aSchool()
    await world.aMember(mine, ['student'], ada)
    await addPasskey(await signedIn(world, mine, ada), new PasskeyDevice(mine.origin))
    const queued = await db
      .selectFrom('outgoing_mails')
      .select('school_id')
      .where('email', '=', ada.email)
      .execute()
    expect(new Set(queued.map(({ school_id }) => school_id))).toEqual(new Set([first.id]))
    await resume(first)
    await untilSent(world)
    await mailBox.take(ada.email, 'passkey')
  })

  test('the address before a change stays with its account: no other account makes the undo impossible', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    await db
      .insertInto('email_changes')
      .values({
        ...{ id: crypto.randomUUID(), school_id: school.id, user_id: ada.id },
        ...{ old_email: `old-${ada.email}`, new_email: ada.email, changed_at: new Date() },
      })
      .execute()
    await suspend(school)
    await passTime(world, '30 days')
    expect(await isKept(db, `old-${ada.email}`)).toBe(true)
    await resume(school)
    expect(await isKept(db, `old-${ada.email}`)).toBe(true)
    await passTime(world, '4 days')
    expect(await isKept(db, `old-${ada.email}`)).toBe(false)
  })

  test('a thief cannot use the pause to make a passkey of last week older than the change of the address', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const thief = await signedIn(world, school, ada)
    await addPasskey(thief, new PasskeyDevice(school.origin))
    await passTime(world, '6 days')
    await db
      .insertInto('email_changes')
      .values({
        ...{ id: crypto.randomUUID(), school_id: school.id, user_id: ada.id },
        ...{ old_email: `was-${ada.email}`, new_email: ada.email, changed_at: new Date() },
      })
      .execute()
    await passTime(world, '50 hours')
    await suspend(school)
    await passTime(world, '30 days')
    await resume(school)
    const { rows } = await world.database.pool.query(
      `select p.created_at < c.created_at - interval '8 days' as is_older
       from passkeys p join email_changes c on c.user_id = p.user_id where p.user_id = $1`,
      [ada.id],
    )
    expect(rows).toEqual([{ is_older: false }])
  })

  test('a deletion that is asked for while a resumption lies idle waits its fourteen days', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    await suspend(school)
    await passTime(world, '10 days')
    const killed = SCHOOL_CLOCKS.map((clock, n) =>
      n === 0 ? { ...clock, step: () => Promise.reject(new Error('killed')) } : clock,
    )
    await expect(resume(school, killed)).rejects.toThrow('killed')
    await passTime(world, '12 days')
    await world.database.pool.query(
      `insert into deletion_requests (id, user_id, due_at)
       values (gen_random_uuid(), $1, now() + interval '14 days')`,
      [ada.id],
    )
    await resume(school)
    await passTime(world, '13 days')
    await sweep()
    expect((await waiting(ada)).deletions).toBe(1)
  })

  test('deleting it carries out nothing that a person could still have stopped', async () => {
    const { first, ada } = await aPersonOfTwo()
    const only = await world.aSchool()
    const ben = await world.aMember(only)
    for (const person of [ada, ben]) {
      await world.database.pool.query(
        `insert into deletion_requests (id, user_id, due_at)
         values (gen_random_uuid(), $1, now() + interval '14 days')`,
        [person.id],
      )
    }
    for (const school of [first, only]) await suspend(school)
    await passTime(world, '20 days')
    for (const school of [first, only]) {
      await resumeSchool(school.db, SCHOOL_CLOCKS, by(school), (tx) => deleteSchool(tx, by(school)))
    }
    await sweep()
    for (const person of [ada, ben]) expect((await waiting(person)).deletions).toBe(1)
  })
})

test('a secret that was renewed during the pause, because it leaked, is not accepted again', async () => {
  const school = await world.aSchool()
  const { client, idle } = await everythingThatExpires(school)
  await passTime(world, '2 days')
  await suspend(school)
  await passTime(world, '10 days')
  await performByCommandLine(school, rotateSecret, { client_id: client.clientId, end_old: false })
  await passTime(world, '60 days')
  await resume(school)
  expect((await refresh(world, school, client, idle.refresh_token)).statusCode).toBe(401)
})

test('a resumption that takes long gives that time back, too', async () => {
  const school = await world.aSchool()
  const { used } = await everythingThatExpires(school)
  await suspend(school)
  await passTime(world, '1 day')
  let isSlow = true
  const slow = SCHOOL_CLOCKS.map((clock) => ({
    ...clock,
    async step(...given: Parameters<SchoolClock['step']>) {
      const next = await clock.step(...given)
      if (clock.table === 'jobs' && isSlow) {
        isSlow = false
        await given[0].run(sql`update resumptions set until = until - interval '3 hours'`)
        await given[0].run(
          sql`update token_pairs set access_expires_at = access_expires_at - interval '3 hours'`,
        )
      }
      return next
    },
  }))
  expect(await resume(school, slow)).toBe(true)
  expect((await userinfo(world, school, used.access_token)).statusCode).toBe(200)
})

test('a school that was deleted is not suspended: its removal would wait for ever', async () => {
  const school = await world.aSchool()
  await school.db.transaction((tx) => deleteSchool(tx, by(school)))
  expect(await suspend(school)).toBe(false)
})

const passkeysOf = async ({ id }: TestPerson) =>
  (await db.selectFrom('passkeys').select('id').where('user_id', '=', id).execute()).length

const emailOf = async ({ id }: TestPerson) =>
  (await db.selectFrom('users').select('email').where('id', '=', id).executeTakeFirst())?.email

async function waiting({ id }: TestPerson) {
  const factors = await db
    .selectFrom('lost_factors')
    .where('user_id', '=', id)
    .select('user_id')
    .execute()
  const deletions = await db
    .selectFrom('deletion_requests')
    .where('user_id', '=', id)
    .select('id')
    .execute()
  return { factors: factors.length, deletions: deletions.length }
}

async function sweep(): Promise<void> {
  for (const { step } of [lostFactorSweep, deletionSweep]) {
    const progress = { after: undefined, size: 10, now: Date.now() }
    while (!(await step(db, progress)).isDone);
  }
}

describe('jobs and mails of a suspended school', () => {
  const counting = (onStep: (done: number) => Promise<void>): JobKind<object, never> =>
    ({
      name: 'test.suspended',
      async run(job) {
        while (job.done < 3) {
          await onStep(job.done)
          await job.step(async () => ({ cursor: {}, done: job.done + 1 }))
        }
        return {}
      },
    }) satisfies JobKind<object, object> as JobKind<object, never>

  test('a job that waits is not begun, one that runs stops before its next step, and both are done later', async () => {
    const [school, other] = [await world.aSchool(), await world.aSchool()]
    const steps: number[] = []
    const kind = counting(async (done) => {
      steps.push(done)
      if (done === 1 && steps.length === 2) await suspend(school)
    })
    const id = await aJob(world, school, kind, {})
    await finishJobs(world, { kinds: [kind] })
    expect(await jobRow(school, id)).toMatchObject({ state: 'waiting', done_count: 1 })
    const elsewhere = await aJob(world, other, kind, {})
    await finishJobs(world, { kinds: [kind] })
    expect((await jobRow(other, elsewhere)).state).toBe('done')
    expect(await aRunner(world, { kinds: [kind] }).runNext()).toBe(false)
    await resume(school)
    steps.length = 0
    await finishJobs(world, { kinds: [kind] })
    expect(await jobRow(school, id)).toMatchObject({ state: 'done', done_count: 3 })
    expect(steps).toEqual([1, 2])
  })

  test('a mail waits, does not grow too old, and is sent once the school is resumed', async () => {
    const [school, other] = [await world.aSchool(), await world.aSchool()]
    const [ada, ben] = [await world.aMember(school), await world.aMember(other)]
    await suspend(school)
    for (const [at, { email }] of [
      [school, ada],
      [other, ben],
    ] as const) {
      await at.db
        .insert('outgoing_mails', {
          ...{ id: crypto.randomUUID(), kind: 'account_notice', email },
          facts: JSON.stringify({ what: 'passkey_added', device: '', isHere: true }),
        })
        .execute()
    }
    await new Visitor(world, other).get('/')
    new MailSender(world.context, mailer, world.app.log).wake()
    await mailBox.take(ben.email)
    expect(mailBox.waitingFor(ada.email)).toEqual([])
    await passHalfAYear()
    await resume(school)
    await untilSent(world)
    await mailBox.take(ada.email)
  })
})

test('mails of a hostile school that is suspended are put off together: others do not wait behind them', async () => {
  const [hostile, other] = [await world.aSchool(), await world.aSchool()]
  await suspend(hostile)
  const queue = (school: TestSchool, count: number) =>
    school.db.run(sql`
      insert into outgoing_mails (id, school_id, kind, email, next_try_at)
      select gen_random_uuid(), ${school.id}, 'test_mail', n || '@people.test', now() - interval '1 hour' / n
      from generate_series(1, ${sql.lit(count)}) n`)
  await queue(hostile, 300)
  await queue(other, 1)
  const statements = await world.database.statementsOf(async () => {
    expect((await takeMail(db, ['test_mail'], []))?.schoolId).toBe(other.id)
  })
  expect(statements.length).toBeLessThan(5)
  const { rows } = await hostile.db.run(sql`
    select count(*)::int as due, max(attempts) as tried from outgoing_mails
    where school_id = ${hostile.id} and next_try_at > now()`)
  expect(rows).toEqual([{ due: 300, tried: 0 }])
  await resume(hostile)
  expect((await takeMail(db, ['test_mail'], []))?.schoolId).toBe(hostile.id)
})

test('every column that says until when something works is moved, or says why it is not', () => {
  const schema = readFileSync(new URL('../../migrations/schema.sql', import.meta.url), 'utf8')
  const columns = [...schema.matchAll(/^create table (\w+) \(\n([\s\S]*?)^\)/gm)].flatMap(
    ([, table, body = '']) =>
      [...body.matchAll(/^ {2}(\w+) timestamp/gm)].map(([, column]) => `${table}.${column}`),
  )
  const ends = columns.filter((one) =>
    /expires|due_at|until|window|ends_at|asked_at|told_at/.test(one),
  )
  const moved = SCHOOL_CLOCKS.flatMap(({ table, columns: own }) =>
    own.map((one) => `${table}.${one}`),
  )
  expect(moved.filter((one) => !columns.includes(one))).toEqual([])
  expect(ends.filter((one) => !moved.includes(one) && !(one in STAYS)).sort()).toEqual([])
  expect(Object.keys(STAYS).filter((one) => !ends.includes(one))).toEqual([])
})

const OFFERED = 'what the school agreed with people has the dates that they were told'
const STAYS: Readonly<Record<string, string>> = {
  'client_documents.expires_at': 'belongs to no school',
  'consulting_meetings.ends_at': OFFERED,
  'coupons.ends_at': OFFERED,
  'enrollments.expires_at': OFFERED,
  'events.ends_at': OFFERED,
  'payments.expires_at': OFFERED,
  'subscriptions.current_period_ends_at': OFFERED,
  'installations.backup_lease_until': 'belongs to no school',
  'jobs.lease_until': 'a job is worked on by a process, not by the school',
  'reminders.until': 'the first round after the pause looks at all of it, for what is still ahead',
  'resumptions.until': 'the end of the pause itself',
  'sign_in_throttles.window_ends_at': 'belongs to no school',
}
