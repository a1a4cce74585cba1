import { expect, test } from 'vitest'
import { smtpMailer } from '../../../src/foundation/mail/mailer.ts'
import { Visitor } from '../../support/browser-like.ts'
import { aMailBox, untilSent } from '../../support/mail-box.ts'
import { anOwner, signedIn, submit } from '../../support/operator-like.ts'
import { wholeReads } from '../../support/plans.ts'
import { type AnsweredRequest, aCountedWorld } from '../../support/request-costs.ts'
import { testStatements } from './test-statements.ts'

const mailBox = await aMailBox()
const mailer = smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>')
const { world, costs } = await aCountedWorld({ mailer })
const school = await world.aSchool({ signUp: true })
const answered: AnsweredRequest[] = []

/** Counts the statements of each request and checks that none of them, or of the mails, reads a whole table. */
async function checkPlans(work: () => Promise<void>): Promise<void> {
  const statements: string[] = []
  const requests = await costs.of(async () => {
    world.database.onStatement((text) => statements.push(text))
    await work()
  })
  answered.push(...requests)
  await untilSent(world)
  const ours = statements.filter((text) => text !== 'select 1 from outgoing_mails')
  expect(ours.length).toBeGreaterThan(10)
  expect(await wholeReads(world.database.connection, ours)).toEqual(new Map())
}

const linkIn = async (email: string, path: string) => {
  const { text } = await mailBox.take(email, path)
  await untilSent(world)
  return new RegExp(`${path}\\S+`).exec(text)?.[0] ?? ''
}

test('signing up and joining read no whole table', async () => {
  const ada = await world.aMember(await world.aSchool())
  const owner = await anOwner(world, school)
  const known = await signedIn(world, school, ada)
  const visitor = new Visitor(world, school)
  const email = 'fresh@people.test'
  await checkPlans(async () => {
    const settings = '/admin/settings'
    await submit(owner, settings, `${settings}/sign-up`, { sign_up: 'on' })
    await submit(visitor, '/sign-up', '/sign-up', { name: 'Grace', email: ada.email })
    await untilSent(world)
    await submit(visitor, '/sign-up', '/sign-up', { name: 'Grace', email })
    const link = await linkIn(email, '/sign-up/finish')
    const fields = { name: 'Grace', new_password: 'nine lanterns and a crow' }
    expect((await submit(visitor, link, '/sign-up/finish', fields)).statusCode).toBe(303)
    expect((await submit(known, '/sign-up', '/sign-up/join')).statusCode).toBe(303)
  })
})

test('changing the email address and undoing it read no whole table', async () => {
  const ada = await world.aMember(school)
  const visitor = await signedIn(world, school, ada)
  const page = '/account/email'
  const decide = (link: string, decision: string) =>
    submit(visitor, link, '/email-change', { decision })
  await checkPlans(async () => {
    await submit(visitor, page, page, { new_email: 'other@people.test' })
    await untilSent(world)
    await submit(visitor, page, `${page}/cancel`)
    await submit(visitor, page, page, { new_email: 'next@people.test' })
    await linkIn('other@people.test', '/email-change')
    const fresh = await linkIn('next@people.test', '/email-change')
    await linkIn(ada.email, '/email-change')
    const old = await linkIn(ada.email, '/email-change')
    expect((await decide(old, 'agree')).statusCode).toBe(200)
    expect((await decide(fresh, 'agree')).statusCode).toBe(200)
    const undo = await linkIn(ada.email, '/email-change')
    expect((await decide(undo, 'undo')).statusCode).toBe(200)
  })
})

testStatements('Email and sign-up', () => answered)
