import { describe, expect, test, vi } from 'vitest'
import { announceToCourse } from '../../src/domain/learning/announcements.ts'
import { extendEnrollment } from '../../src/domain/learning/extend-enrollment.ts'
import { CAUSES } from '../../src/domain/notifications/causes.ts'
import { inboxOf } from '../../src/domain/notifications/inbox.ts'
import { readMailDays } from '../../src/domain/notifications/news-mail.ts'
import { sendNotification } from '../../src/domain/notifications/notification-operations.ts'
import { tell } from '../../src/domain/notifications/notify.ts'
import { type Channel, setSubscription } from '../../src/domain/notifications/subscriptions.ts'
import { smtpMailer } from '../../src/foundation/mail/mailer.ts'
import { purgeOnce } from '../../src/start/purge-rows.ts'
import { newsSender } from '../../src/surfaces/pages/mails/mail-sender.ts'
import { verifies } from '../spec/verifies.ts'
import { Visitor } from '../support/browser-like.ts'
import { eventually } from '../support/eventually.ts'
import { aCourse, anEnrollment, daysFromNow } from '../support/learning.ts'
import { aMailBox } from '../support/mail-box.ts'
import { signedIn, submit } from '../support/operator-like.ts'
import { passTime } from '../support/pass-time.ts'
import { Performer } from '../support/performing.ts'
import { aWorld, type TestPerson, type TestSchool } from '../support/world.ts'

const mailBox = await aMailBox()
const mailer = smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>')
const PER_DAY = 5
const world = await aWorld({ mailer, limits: { newsMailsPerDay: PER_DAY } })
const { pool } = world.database

/** Looks for what is due until nothing is, as a server does every ten seconds. */
async function send(): Promise<void> {
  newsSender(world.context, mailer, world.app.log).wake()
  await vi.waitFor(async () => {
    const { rows } = await pool.query(
      `select 1 from outgoing_mails where kind = 'news' and next_try_at <= now()`,
    )
    if (rows.length > 0) throw new Error('mails wait')
  }, eventually)
}

const facts = { trade_no: 'T-1', amount: 90000, currency: 'TWD', is_whole: true, words: '' }
const refunded = (school: TestSchool, ...people: TestPerson[]) =>
  school.db.transaction((tx) =>
    tell(
      tx,
      'refund_completed',
      people.map(({ id }) => id),
      facts,
    ),
  )

const turnOff = (school: TestSchool, person: TestPerson, channel: Channel, topic = 'payments') =>
  setSubscription(school.db, person.id, { topic, channel, enabled: false })

const inbox = async (school: TestSchool, { id }: TestPerson) =>
  await inboxOf(school.db, id, { limit: 50, fromEnd: false })

async function aMemberNamed(school: TestSchool, start: string): Promise<TestPerson> {
  const person = await world.aMember(school)
  const email = `${start}-${person.email}`
  await world.database.db.updateTable('users').set({ email }).where('id', '=', person.id).execute()
  return { ...person, email }
}

const header = (headers: string, name: string) =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1]?.trim()

describe('a notification', () => {
  verifies(
    'member.notifications.email',
    'goes by the channels that the member left on, in whole sentences, with a way to end it',
    async () => {
      const school = await world.aSchool()
      const [both, mailOnly, inboxOnly, none] = [
        await world.aMember(school),
        await world.aMember(school),
        await world.aMember(school),
        await world.aMember(school),
      ]
      for (const person of [mailOnly, none]) await turnOff(school, person, 'in_app')
      for (const person of [inboxOnly, none]) await turnOff(school, person, 'email')
      expect(await refunded(school, both, mailOnly, inboxOnly, none)).toBe(3)
      await send()
      const mail = await mailBox.take(both.email)
      expect(mail.text).toContain('Your payment was refunded')
      expect(mail.text).toContain('NT$900 of payment T-1 was refunded.')
      expect(mail.text).toContain(`${school.origin}/account`)
      expect(header(mail.headers, 'subject')).toBe(
        `School ${school.subdomain}: Your payment was refunded`,
      )
      expect(header(mail.headers, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
      expect(header(mail.headers, 'list-unsubscribe')).toMatch(
        new RegExp(`^<${school.origin}/unsubscribe\\?link=[\\w.%-]+>$`),
      )
      await mailBox.take(mailOnly.email)
      expect([inboxOnly, none].flatMap(({ email }) => mailBox.waitingFor(email))).toEqual([])
      const counts = await Promise.all(
        [both, mailOnly, inboxOnly, none].map((p) => inbox(school, p)),
      )
      expect(counts.map(({ length }) => length)).toEqual([1, 0, 1, 0])
    },
  )

  test('is mailed to no person who has never signed in here, who left, or whose address is another’s by now', async () => {
    const school = await world.aSchool()
    const [invited, gone, moved] = [
      await world.aMember(school),
      await world.aMember(school),
      await world.aMember(school),
    ]
    const members = () => school.db.update('school_members')
    await members().set({ signed_in_at: null }).where('user_id', '=', invited.id).execute()
    await refunded(school, invited, gone, moved)
    await members().set({ roles: [] }).where('user_id', '=', gone.id).execute()
    await pool.query(`update users set email = 'new-' || email where id = $1`, [moved.id])
    await send()
    expect(mailBox.waitingFor(invited.email)).toEqual([])
    expect(mailBox.waitingFor(gone.email)).toEqual([])
    expect(mailBox.waitingFor(moved.email)).toEqual([])
    expect(await inbox(school, invited)).toHaveLength(1)
  })

  test('from another system, or from before, is never mailed', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const staff = new Performer(school, await world.aMember(school, ['owner']))
    const before = daysFromNow(-3).toISOString()
    await staff.does(sendNotification, { member_id: ada.id, title: 'Old', created_at: before })
    await school.db
      .insert('notifications', { id: crypto.randomUUID(), user_id: ada.id, kind: 'x', title: 'y' })
      .execute()
    await passTime(world, '1 hour')
    await send()
    expect(mailBox.waitingFor(ada.email)).toEqual([])
    expect(await inbox(school, ada)).toHaveLength(2)
  })

  test('that can wait is mailed within ten minutes, with the others of its topic in one mail', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const course = await aCourse(school)
    const enrollment = await anEnrollment(school, ada, course, { expiresAt: daysFromNow(5) })
    const staff = new Performer(school, await world.aMember(school, ['owner']))
    await staff.does(announceToCourse, { id: course.id, title: 'First news' })
    await staff.does(sendNotification, {
      member_id: ada.id,
      title: 'Second news',
      body: 'A.\n\nB.',
    })
    await staff.does(extendEnrollment, { id: enrollment, by: '1 year' })
    await send()
    expect(mailBox.waitingFor(ada.email)).toEqual([])
    await passTime(world, '10 minutes')
    await send()
    const news = await mailBox.take(ada.email, 'First news')
    expect(news.text).toContain('Second news')
    expect(news.html.match(/<h2/g)).toHaveLength(2)
    await mailBox.take(ada.email, 'Your access was extended')
    expect(mailBox.waitingFor(ada.email)).toEqual([])
  })

  test('cannot add lines, links or markup of its own to a mail', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const staff = new Performer(school, await world.aMember(school, ['owner']))
    const title = 'Hello\r\nBcc: all@people.test'
    const body = '<a href="https://evil.test">free</a>\n\n\u202eevil'
    expect(await staff.isRefused(sendNotification, { member_id: ada.id, title })).toContain('title')
    await staff.does(sendNotification, { member_id: ada.id, title: '<b>Hi</b>', body })
    await passTime(world, '10 minutes')
    await send()
    const { html, text } = await mailBox.take(ada.email)
    expect(html).toContain('&lt;b>Hi')
    expect(html).not.toContain('<a href="https://evil.test')
    expect(text).not.toContain('\u202e')
  })
})

describe('a mail', () => {
  test('that was handed over in the moment of a crash is sent again with the same Message-ID, and none is lost', async () => {
    const school = await world.aSchool()
    const ada = await aMemberNamed(school, 'lost')
    await refunded(school, ada)
    await send()
    const first = await mailBox.take(ada.email)
    await passTime(world, '3 minutes')
    await send()
    const again = await mailBox.take(ada.email)
    const id = header(first.headers, 'message-id')
    expect(id).toMatch(/^<[0-9a-f-]{36}@schools\.test>$/)
    expect(header(again.headers, 'message-id')).toBe(id)
    await passTime(world, '3 minutes')
    await send()
    expect(mailBox.waitingFor(ada.email)).toEqual([])
  })

  test('that the mail server refuses for its address is counted and not tried again', async () => {
    const school = await world.aSchool()
    const [ada, ben] = [await aMemberNamed(school, 'refused'), await world.aMember(school)]
    await refunded(school, ada, ben)
    await send()
    await mailBox.take(ben.email)
    await vi.waitFor(async () => {
      expect(await readMailDays(school.db)).toEqual({ sent: 1, refused: 1 })
    }, eventually)
    const { rows } = await pool.query('select 1 from outgoing_mails where email = $1', [ada.email])
    expect(rows).toEqual([])
  })

  test('that the mail server does not relay, because it is set up wrongly, is tried again', async () => {
    const school = await world.aSchool()
    const ada = await aMemberNamed(school, 'denied')
    await refunded(school, ada)
    await send()
    await vi.waitFor(async () => {
      const { rows } = await pool.query('select attempts from outgoing_mails where email = $1', [
        ada.email,
      ])
      expect(rows).toEqual([{ attempts: 1 }])
    }, eventually)
    expect(await readMailDays(school.db)).toEqual({ sent: 0, refused: 0 })
  })

  test('above the allowance of the school waits for the next day; another school goes on', async () => {
    const [busy, other] = [await world.aSchool(), await world.aSchool()]
    const many = await Promise.all([1, 2, 3, 4, 5, 6, 7].map(() => world.aMember(busy)))
    const ada = await world.aMember(other)
    await refunded(busy, ...many)
    await refunded(other, ada)
    await send()
    await mailBox.take(ada.email)
    const got = () => many.filter(({ email }) => mailBox.waitingFor(email).length > 0).length
    await vi.waitFor(() => expect(got()).toBe(PER_DAY), eventually)
    await send()
    expect(got()).toBe(PER_DAY)
    await pool.query('update mail_days set day = day - 1')
    await send()
    await vi.waitFor(() => expect(got()).toBe(many.length), eventually)
  })

  test('that could not be queued for a week is no news any more', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    await refunded(school, ada)
    await passTime(world, '8 days')
    await purgeOnce(world.database.db, { auditRetentionDays: 365 })
    await send()
    expect(mailBox.waitingFor(ada.email)).toEqual([])
  })

  test('leaves no row behind that only it had', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    await turnOff(school, ada, 'in_app')
    await refunded(school, ada)
    await send()
    await mailBox.take(ada.email)
    await passTime(world, '9 days')
    await purgeOnce(world.database.db, { auditRetentionDays: 365 })
    const rows = await school.db.from('notifications').select('id').execute()
    expect(rows).toEqual([])
  })
})

describe('one click', () => {
  async function aLink(school: TestSchool, person: TestPerson): Promise<string> {
    await refunded(school, person)
    await send()
    const { headers } = await mailBox.take(person.email)
    return header(headers, 'list-unsubscribe')?.slice(1 + school.origin.length, -1) ?? ''
  }
  /** As the program of a mail provider posts it. */
  const post = ({ origin }: TestSchool, url: string) =>
    world.app.inject({
      method: 'POST',
      url,
      headers: {
        host: new URL(origin).host,
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: 'List-Unsubscribe=One-Click',
    })

  verifies(
    'member.notifications.unsubscribe',
    'ends the mails of one topic of one person, without a cookie and without a session',
    async () => {
      const school = await world.aSchool()
      const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
      const link = await aLink(school, ada)
      const page = await new Visitor(world, school).get(link)
      expect(page.body).toContain('Stop emails about payments?')
      expect(await refunded(school, ada)).toBe(1)
      await send()
      await mailBox.take(ada.email)
      const answer = await post(school, link)
      expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([200, undefined])
      await refunded(school, ada, ben)
      await school.db.transaction((tx) =>
        tell(tx, 'class_canceled', [ada.id], {
          meeting: 'Yoga',
          starts_at: daysFromNow(1).toISOString(),
        }),
      )
      await send()
      await mailBox.take(ben.email)
      await mailBox.take(ada.email, 'Yoga')
      expect(mailBox.waitingFor(ada.email)).toEqual([])
      expect(await inbox(school, ada)).toHaveLength(4)
    },
  )

  test('by a link of another school, or an altered one, changes nothing', async () => {
    const [school, other] = [await world.aSchool(), await world.aSchool()]
    const ada = await world.aMember(school)
    await world.aMember(other, ['student'], ada)
    const link = await aLink(school, ada)
    expect((await post(other, link)).statusCode).toBe(400)
    expect((await post(school, `${link.slice(0, -6)}AAAAAA`)).statusCode).toBe(400)
    expect((await post(school, '/unsubscribe')).statusCode).toBe(400)
    await refunded(other, ada)
    await send()
    await mailBox.take(ada.email)
  })

  test('that is on its way when the member turned it off is not sent', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    await refunded(school, ada)
    await turnOff(school, ada, 'email')
    await send()
    expect(mailBox.waitingFor(ada.email)).toEqual([])
  })
})

test('the page of the account has the switches of the API', async () => {
  const school = await world.aSchool()
  const ada = await world.aMember(school)
  const visitor = await signedIn(world, school, ada)
  const page = await visitor.get('/account/notifications')
  expect(page.body.match(/type="checkbox"/g)).toHaveLength(12)
  expect(page.body.match(/ checked/g)).toHaveLength(12)
  const all = [...page.body.matchAll(/name="([a-z]+-(?:email|in_app))"/g)].map(([, name]) => name)
  const kept = all.filter((name) => name !== 'payments-email')
  const saved = await submit(visitor, '/account/notifications', '/account/notifications', {
    ...Object.fromEntries(kept.map((name) => [name, 'yes'])),
  })
  expect(saved.statusCode).toBe(303)
  const { rows } = await pool.query(
    'select topic, channel, enabled from notification_subscriptions where user_id = $1',
    [ada.id],
  )
  expect(rows).toEqual([{ topic: 'payments', channel: 'email', enabled: false }])
})

test('a school that switched a cause off tells nobody of it', async () => {
  const school = await world.aSchool()
  const ada = await world.aMember(school)
  await world.database.db
    .updateTable('schools')
    .set({ quiet_causes: ['refund_completed'] })
    .where('id', '=', school.id)
    .execute()
  expect(await refunded(school, ada)).toBe(0)
  expect(CAUSES.refund_completed.when).toMatch(/refunded/)
})
