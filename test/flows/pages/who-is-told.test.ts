import { describe, expect, test } from 'vitest'
import { announceToCourse } from '../../../src/domain/learning/announcements.ts'
import { countNews } from '../../../src/domain/notifications/news-mail.ts'
import { tell } from '../../../src/domain/notifications/notify.ts'
import { setSubscription } from '../../../src/domain/notifications/subscriptions.ts'
import { smtpMailer } from '../../../src/foundation/mail/mailer.ts'
import { aPayment } from '../../support/billing.ts'
import { aMeeting, aService, aStudyGroup, hoursFromNow } from '../../support/consulting.ts'
import { aCourse, anEnrollment, aRegistration } from '../../support/learning.ts'
import { aMailBox } from '../../support/mail-box.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { Performer } from '../../support/performing.ts'
import { aWorld, type TestSchool } from '../../support/world.ts'

const mailBox = await aMailBox()
const world = await aWorld({ mailer: smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>') })
const silent = await aWorld()

async function anOwnerAt(at: typeof world, school: TestSchool) {
  const owner = await at.aMember(school, ['owner'])
  return { owner, visitor: await signedIn(at, school, owner) }
}

describe('before members are told', () => {
  test('the page says how many people it reaches by each channel, as many as are told then', async () => {
    const school = await world.aSchool()
    const { owner, visitor } = await anOwnerAt(world, school)
    const [ada, ben, cem] = [
      await world.aMember(school),
      await world.aMember(school),
      await world.aMember(school),
    ]
    const course = await aCourse(school)
    for (const person of [ada, ben, cem]) await anEnrollment(school, person, course)
    const former = await world.aMember(school, [])
    await anEnrollment(school, former, course)
    const off = { topic: 'announcements', channel: 'email', enabled: false } as const
    await setSubscription(school.db, ada.id, off)
    for (const channel of ['email', 'in_app'] as const) {
      await setSubscription(school.db, cem.id, { ...off, channel })
    }
    const page = await visitor.get(`/admin/courses/${course.id}/announce`)
    expect(page.body).toContain('It reaches 2 people in their inbox and 1 person by email.')
    const sent = await new Performer(school, owner).does(announceToCourse, {
      id: course.id,
      title: 'News',
    })
    expect(sent.sent_count).toBe(2)
  })

  test('the pages of meetings, classes, events, payments and access count whom they concern', async () => {
    const school = await world.aSchool()
    const { visitor } = await anOwnerAt(world, school)
    const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
    const service = await aService(school, [])
    const group = await aStudyGroup(school, [ada, ben])
    const meeting = await aMeeting(school, { service, seats: [ada] })
    const lesson = await aMeeting(school, { group })
    const { eventId } = await aRegistration(school, ada)
    await aPayment(school, ada, { type: 'atm', state: 'pending' })
    const { rows } = await world.database.pool.query(
      'select id from payments where school_id = $1',
      [school.id],
    )
    const access = await anEnrollment(school, ada, await aCourse(school), {
      expiresAt: new Date(Date.now() + 86_400_000),
    })
    const one = 'It reaches 1 person in their inbox and 1 person by email.'
    const two = 'It reaches 2 people in their inbox and 2 people by email.'
    for (const [path, words] of [
      [`meetings/${meeting}/cancel`, one],
      [`meetings/${meeting}/move`, one],
      [`meetings/${lesson}/delete`, two],
      [`events/${eventId}/cancel`, one],
      [`payments/${rows[0]?.id}/mark-paid`, one],
      [`enrollments/${access}/extend`, one],
    ]) {
      expect((await visitor.get(`/admin/${path}`)).body, path).toContain(words)
    }
  })

  test('the page of what is over does not promise that members are told', async () => {
    const school = await world.aSchool()
    const { visitor } = await anOwnerAt(world, school)
    const ada = await world.aMember(school)
    const service = await aService(school, [])
    const meeting = await aMeeting(school, { service, seats: [ada], start: hoursFromNow(-50) })
    const { eventId } = await aRegistration(school, ada)
    await world.database.pool.query(
      `update events set starts_at = now() - interval '3 days', ends_at = now() - interval '2 days' where id = $1`,
      [eventId],
    )
    for (const path of [`meetings/${meeting}/cancel`, `events/${eventId}/cancel`]) {
      expect((await visitor.get(`/admin/${path}`)).body, path).not.toContain('It reaches')
    }
  })

  test('a server without mail says so', async () => {
    const school = await silent.aSchool()
    const { visitor } = await anOwnerAt(silent, school)
    const course = await aCourse(school)
    await anEnrollment(school, await silent.aMember(school), course)
    const page = await visitor.get(`/admin/courses/${course.id}/announce`)
    expect(page.body).toContain(
      'It reaches 1 person in their inbox. This server does not send email',
    )
    for (const path of ['/admin/notifications/new', '/admin/settings']) {
      expect((await visitor.get(path)).body, path).toContain('This server does not send email')
    }
  })
})

describe('in the settings of a school', () => {
  test('operators switch causes off, and see how many emails were refused', async () => {
    const school = await world.aSchool()
    const { visitor } = await anOwnerAt(world, school)
    const ada = await world.aMember(school)
    for (const outcome of ['sent', 'sent', 'refused'] as const) await countNews(school.db, outcome)
    const page = await visitor.get('/admin/settings')
    expect(page.body).toContain(
      '2 emails were sent in the last seven days. The mail server refused 1',
    )
    const chosen = { quiet_causes: 'order_canceled' }
    const answer = await submit(visitor, '/admin/settings', '/admin/settings/notifications', chosen)
    expect(answer.statusCode).toBe(303)
    const facts = { order_number: 'O-1', words: '' }
    const told = (cause: 'order_canceled' | 'order_reopened') =>
      school.db.transaction((tx) => tell(tx, cause, [ada.id], facts))
    expect([await told('order_canceled'), await told('order_reopened')]).toEqual([0, 1])
    expect((await visitor.get('/admin/settings')).body).toMatch(
      /value="order_canceled"[^>]*checked/,
    )
  })
})
