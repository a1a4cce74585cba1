import { expect, test } from 'vitest'
import { tell } from '../../../src/domain/notifications/notify.ts'
import { smtpMailer } from '../../../src/foundation/mail/mailer.ts'
import { newsSender } from '../../../src/surfaces/pages/mails/mail-sender.ts'
import { aPayment } from '../../support/billing.ts'
import { hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aPair } from '../../support/client-like.ts'
import { aMeeting, aService } from '../../support/consulting.ts'
import { aMailBox, untilSent } from '../../support/mail-box.ts'
import { giveEverything } from '../../support/member-with-everything.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { wholeReads } from '../../support/plans.ts'
import { type AnsweredRequest, aCountedWorld } from '../../support/request-costs.ts'
import { testStatements } from './test-statements.ts'

const mailBox = await aMailBox()
const mailer = smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>')
const { world, costs } = await aCountedWorld({ mailer })
const school = await world.aSchool()
const answered: AnsweredRequest[] = []
const SESSIONS = '/account/sessions'

/** Counts the statements of `work` and checks that none reads a whole table. */
async function checkPlans(work: () => Promise<void>): Promise<void> {
  const requests = await costs.of(work)
  answered.push(...requests)
  const statements = requests.flatMap((request) => request.statements)
  expect(statements.length).toBeGreaterThan(3)
  expect(await wholeReads(world.database.connection, statements)).toEqual(new Map())
}

test('listing and ending signed-in browsers reads no whole table', async () => {
  const ada = await world.aMember(school)
  const here = await signedIn(world, school, ada)
  for (let others = 0; others < 3; others++) await signedIn(world, school, ada)
  await checkPlans(async () => {
    const ended = await submit(here, SESSIONS, `${SESSIONS}/end`)
    expect(ended.headers.location).toBe(`${SESSIONS}?done=ended`)
    const all = await submit(here, SESSIONS, `${SESSIONS}/end-others`)
    expect(all.headers.location).toBe(`${SESSIONS}?done=others-ended`)
  })
})

test('notifications by mail, choosing and ending them read no whole table', async () => {
  const ada = await world.aMember(school)
  const visitor = await signedIn(world, school, ada)
  await untilSent(world)
  const statements: string[] = []
  world.database.onStatement((text) => statements.push(text))
  await school.db.transaction((tx) => tell(tx, 'refund_withdrawn', [ada.id], { trade_no: 'T-1' }))
  if (world.context.mailer === undefined) throw new Error('no mailer')
  newsSender(world.context, world.context.mailer, world.app.log).wake()
  const { text } = await mailBox.take(ada.email, 'was not refunded')
  const sending = statements.filter((one) => /notifications|mail_days|outgoing_mails/.test(one))
  expect(sending.some((one) => one.includes('insert into outgoing_mails'))).toBe(true)
  expect(await wholeReads(world.database.connection, sending)).toEqual(new Map())
  const link = /\/unsubscribe\?link=\S+/.exec(text)?.[0] ?? ''
  await checkPlans(async () => {
    expect((await visitor.get(link)).statusCode).toBe(200)
    expect((await visitor.post(link, {})).statusCode).toBe(200)
    const path = '/account/notifications'
    expect((await submit(visitor, path, path, { 'payments-email': 'yes' })).statusCode).toBe(303)
  })
})

test('the home of a member with everything, its lists and the settings read no whole table', async () => {
  const ada = await world.aMember(school)
  await giveEverything(school, ada, 3)
  await aPayment(school, ada, { type: 'atm', state: 'pending' })
  const visitor = await signedIn(world, school, ada)
  await checkPlans(async () => {
    for (const path of [
      '',
      '/settings',
      '/courses',
      '/bookings',
      '/bookings?when=past',
      '/events',
    ]) {
      expect((await visitor.get(`/account${path}`)).statusCode).toBe(200)
    }
    expect((await visitor.get('/account/downloads')).statusCode).toBe(200)
    const { body } = await visitor.get('/account/payments')
    const payment = /href="(\/account\/payments\/[^"]+)"/.exec(body)?.[1] ?? ''
    expect((await visitor.get(payment)).statusCode).toBe(200)
    const inbox = (await visitor.get('/account/inbox')).body
    const read = /action="(\/account\/inbox\/[^"]+\/read)"/.exec(inbox)?.[1] ?? ''
    expect((await submit(visitor, '/account/inbox', read)).statusCode).toBe(303)
    const unread = read.replace(/read$/, 'unread')
    expect((await submit(visitor, '/account/inbox', unread)).statusCode).toBe(303)
    expect((await submit(visitor, '/account/inbox', '/account/inbox/read-all')).statusCode).toBe(
      303,
    )
  })
})

test('moving and canceling a booking, and its calendar, read no whole table', async () => {
  const ada = await world.aMember(school)
  const ben = await world.aMember(school)
  await giveEverything(school, ada, 3)
  const service = await aService(school, [], { changesUntil: 0, host: ben })
  const visitor = await signedIn(world, school, ada)
  await checkPlans(async () => {
    for (const seats of [[ada], [ada, ben]]) {
      const path = `/account/bookings/${await aMeeting(school, { service, seats })}`
      const { body } = await visitor.get(path)
      const time = /<option value="([^"]+)"/.exec(body)?.[1] ?? ''
      const fields = { ...hiddenFields(body, path), change: 'move', time }
      expect((await visitor.post(path, fields)).headers.location).toMatch(/done=moved$/)
    }
    const list = (await visitor.get('/account/bookings')).body
    for (const [, path = ''] of list.matchAll(/href="(\/account\/calendar\/[^"]+)"/g)) {
      expect((await visitor.get(path)).statusCode).toBe(200)
    }
    const seated = await aMeeting(school, { service, seats: [ada] })
    const path = `/account/bookings/${seated}`
    const fields = { ...hiddenFields((await visitor.get(path)).body, path), change: 'cancel' }
    expect((await visitor.post(path, fields)).headers.location).toMatch(/done=canceled$/)
    const made = await submit(visitor, '/account/calendar', '/account/calendar')
    const address = /(\/calendar\/[^<]+\.ics)/.exec(made.body)?.[1] ?? ''
    expect((await visitor.get(address)).statusCode).toBe(200)
    const off = await submit(visitor, '/account/calendar', '/account/calendar/off')
    expect(off.statusCode).toBe(303)
  })
})

test('the history of a person reads no whole table', async () => {
  const ada = await world.aMember(school)
  await aPair(world, school, await world.aPublicClient(school), ada)
  const visitor = await signedIn(world, school, ada)
  await checkPlans(async () => {
    for (const query of ['', '?before=01981c5e-7c00-7000-8000-0000000e0001']) {
      expect((await visitor.get(`/account/history${query}`)).statusCode).toBe(200)
    }
  })
})

test('a notice of a new browser, and ending everything by its link, read no whole table', async () => {
  const ada = await world.aMember(school)
  const statements: string[] = []
  world.database.onStatement((text) => statements.push(text))
  await checkPlans(async () => {
    await signedIn(world, school, ada)
  })
  const { text } = await mailBox.take(ada.email, 'a browser that is new')
  await untilSent(world)
  const link = /\/not-me\?token=\S+/.exec(text)?.[0] ?? ''
  const visitor = new Visitor(world, school)
  await checkPlans(async () => {
    expect((await submit(visitor, link, '/not-me')).statusCode).toBe(303)
    expect((await visitor.get('/not-me/done')).statusCode).toBe(200)
  })
  await mailBox.take(ada.email, 'no longer works')
  await untilSent(world)
  const sending = statements.filter((one) => /_links|_resets|_throttles/.test(one))
  expect(sending.some((one) => one.includes('insert into password_resets'))).toBe(true)
  expect(await wholeReads(world.database.connection, sending)).toEqual(new Map())
})

testStatements('Pages of my account', () => answered)
