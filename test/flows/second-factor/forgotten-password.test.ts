import { expect, test } from 'vitest'
import { smtpMailer } from '../../../src/foundation/mail/mailer.ts'
import { enterCode, withSecondFactor } from '../../support/authenticator.ts'
import { Visitor } from '../../support/browser-like.ts'
import { aMailBox } from '../../support/mail-box.ts'
import { submit } from '../../support/operator-like.ts'
import { aWorld } from '../../support/world.ts'

const mailBox = await aMailBox()
const world = await aWorld({ mailer: smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>') })
const NEW = 'a much better password'

/**
 * A person with a second factor, and a thief who reads the link for a new password in their
 * mailbox.
 */
async function aStolenMailbox() {
  const school = await world.aSchool()
  const ada = await world.aMember(school)
  const { app } = await withSecondFactor(world, school, ada)
  const thief = new Visitor(world, school)
  await submit(thief, '/forgotten-password', '/forgotten-password', { email: ada.email })
  const mail = await mailBox.take(ada.email, 'You asked')
  const link = /\/reset-password\?token=\S+/.exec(mail.text)?.[0] ?? ''
  return { school, ada, app, thief, link }
}

test('a thief of the mailbox sets a new password and still needs the second factor', async () => {
  const { ada, app, thief, link } = await aStolenMailbox()
  const set = await submit(thief, link, '/reset-password', { new_password: NEW })
  expect(set.statusCode).toBe(303)
  expect((await thief.get('/account')).statusCode).toBe(303)
  const asked = await thief.signIn(await thief.get('/sign-in'), ada, NEW)
  expect(asked.body).toContain('autocomplete="one-time-code"')
  expect((await thief.get('/account')).statusCode).toBe(303)
  expect((await enterCode(thief, asked, app.wrongCode())).statusCode).toBe(401)
  expect((await thief.get('/account')).statusCode).toBe(303)
})

test('a thief of the mailbox gets no new counter of codes by a new password: the day of the account counts', async () => {
  const { school, ada, app, thief, link } = await aStolenMailbox()
  const stranger = new Visitor(world, school)
  await submit(thief, link, '/reset-password', { new_password: NEW })
  const guess = async (visitor: Visitor) =>
    await enterCode(
      visitor,
      await visitor.signIn(await visitor.get('/sign-in'), ada, NEW),
      app.wrongCode(),
    )
  for (let wrong = 0; wrong < 10; wrong++) expect((await guess(stranger)).statusCode).toBe(401)
  expect((await guess(thief)).statusCode).toBe(429)
})
