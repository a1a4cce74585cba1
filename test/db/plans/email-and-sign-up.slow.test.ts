import { expect, test } from 'vitest'
import { hashPassword } from '../../../src/foundation/crypto/password.ts'
import { smtpMailer } from '../../../src/foundation/mail/mailer.ts'
import { Visitor } from '../../support/browser-like.ts'
import { aMailBox, untilSent } from '../../support/mail-box.ts'
import { anOwner, signedIn, submit } from '../../support/operator-like.ts'
import { addPasskey, PasskeyDevice, proveForOther } from '../../support/passkey-device.ts'
import { wholeReads } from '../../support/plans.ts'
import { type AnsweredRequest, aCountedWorld } from '../../support/request-costs.ts'
import { PASSWORD } from '../../support/world.ts'
import { testStatements } from './test-statements.ts'

const mailBox = await aMailBox()
const mailer = smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>')
const { world, costs } = await aCountedWorld({ mailer })
const school = await world.aSchool({ signUp: true })
const answered: AnsweredRequest[] = []
const EARLIER = "update school_members set invited_at = '2026-01-01' where user_id = $1"

/**
 * Counts the statements of each request and checks that none of them, or of the mails, reads a
 * whole table.
 */
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

test('inviting people and accepting read no whole table', async () => {
  const inviting = await world.aSchool({ invitesPeople: true })
  const ada = await world.aMember(await world.aSchool())
  const owner = await anOwner(world, inviting)
  const [visitor, known] = [new Visitor(world, inviting), new Visitor(world, inviting)]
  const email = 'invited@people.test'
  await checkPlans(async () => {
    const settings = '/admin/settings'
    await submit(owner, settings, `${settings}/invitations`, { invites_people: 'on' })
    const form = '/admin/students/new'
    await submit(owner, form, form, { email, name: 'Grace' })
    await submit(owner, form, form, { email: ada.email, name: 'Ada' })
    await known.get(await linkIn(ada.email, '/invitation'))
    for (const path of ['students', 'members']) {
      await world.database.pool.query(EARLIER, [ada.id])
      const again = `/admin/${path}/${ada.id}/invite`
      expect((await submit(owner, again, again)).statusCode).toBe(303)
      const name = `/admin/${path}/${ada.id}/name`
      expect((await submit(owner, name, name, { name: 'Ada L.' })).statusCode).toBe(303)
      await untilSent(world)
    }
    const link = await linkIn(email, '/invitation')
    const fields = { name: 'Grace', new_password: 'nine lanterns and a crow' }
    expect((await submit(visitor, link, '/invitation', fields)).statusCode).toBe(303)
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

test('undoing a change with the passkey that proved it, a proof for another school and a lost passkey read no whole table', async () => {
  const ada = await world.aMember(school)
  const other = await world.aSchool()
  await world.aMember(other, ['student'], ada)
  const device = new PasskeyDevice(school.origin)
  await addPasskey(await signedIn(world, school, ada), device)
  await world.database.pool.query(
    "update passkeys set created_at = created_at - interval '9 days' where user_id = $1",
    [ada.id],
  )
  const [page, lost] = ['/account/email', '/account/lost-factor']
  await checkPlans(async () => {
    const visitor = new Visitor(world, school)
    const elsewhere = await signedIn(world, other, ada)
    await proveForOther(elsewhere, page, device, visitor)
    expect((await elsewhere.get(page)).statusCode).toBe(200)
    await submit(visitor, page, page, { new_email: 'third@people.test' })
    for (const email of ['third@people.test', ada.email]) {
      const link = await linkIn(email, '/email-change')
      await submit(visitor, link, '/email-change', { decision: 'agree' })
    }
    const undone = await submit(visitor, page, `${page}/undo`)
    expect(undone.statusCode).toBe(200)
    const again = new Visitor(world, school)
    await world.database.pool.query('update users set password_hash = $1 where id = $2', [
      await hashPassword(PASSWORD),
      ada.id,
    ])
    await again.signIn(await again.get('/sign-in'), ada)
    expect((await submit(again, lost, lost, { password: PASSWORD })).statusCode).toBe(303)
    expect((await submit(again, lost, `${lost}/cancel`)).statusCode).toBe(303)
  })
})

testStatements('Email and sign-up', () => answered)
