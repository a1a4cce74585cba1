import { describe, expect, test } from 'vitest'
import { addMember } from '../../../src/domain/people/member-roles.ts'
import { smtpMailer } from '../../../src/foundation/mail/mailer.ts'
import { verifies } from '../../spec/verifies.ts'
import { Visitor } from '../../support/browser-like.ts'
import { aMailBox, untilSent } from '../../support/mail-box.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { aWorld, type TestSchool } from '../../support/world.ts'

const mailBox = await aMailBox()
const mailer = smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>')
const world = await aWorld({ mailer })

async function forget(school: TestSchool, email: string): Promise<void> {
  const visitor = new Visitor(world, school)
  const sent = await submit(visitor, '/forgotten-password', '/forgotten-password', { email })
  expect(sent.statusCode).toBe(303)
  await untilSent(world)
}

const add = (school: TestSchool, email: string, name = 'As typed') =>
  school.at.transaction((tx) =>
    addMember(tx, { email, name, roles: ['student'] }, { via: 'admin_area' }),
  )

const resetsOf = async (userId: string) =>
  (
    await world.database.db
      .selectFrom('password_resets')
      .select('school_id')
      .where('user_id', '=', userId)
      .execute()
  ).map(({ school_id }) => school_id)

describe('a forgotten password', () => {
  verifies(
    'pages.mail.no-role',
    'at a school where the person has no role sends nothing',
    async () => {
      const [home, foreign] = [await world.aSchool(), await world.aSchool()]
      const ada = await world.aMember(home)
      await forget(foreign, ada.email)
      const left = await world.aMember(foreign, [])
      await forget(foreign, left.email)
      for (const { email, id } of [ada, left]) {
        expect(mailBox.waitingFor(email)).toEqual([])
        expect(await resetsOf(id)).toEqual([])
      }
    },
  )

  verifies(
    'pages.mail.given-role',
    'at a school that gave the role by itself names the schools where the person signed in',
    async () => {
      const [home, second, hostile] = [
        await world.aSchool(),
        await world.aSchool(),
        await world.aSchool(),
      ]
      const ada = await world.aMember(home)
      await add(second, ada.email)
      await add(hostile, ada.email)
      await forget(hostile, ada.email)
      const { text } = await mailBox.take(ada.email)
      expect(text).toContain(`${home.origin}/forgotten-password`)
      expect(text).toContain(`${hostile.origin}/sign-in`)
      expect(text).not.toContain('reset-password')
      expect(text).not.toContain(second.origin)
      expect(text).not.toContain(`${hostile.origin}/forgotten-password`)
      expect(text).not.toContain(ada.name)
      expect(await resetsOf(ada.id)).toEqual([])
    },
  )

  verifies(
    'pages.mail.given-role',
    'sends a link as soon as the person has signed in at the school with their own password',
    async () => {
      const [home, second] = [await world.aSchool(), await world.aSchool()]
      const ada = await world.aMember(home)
      await add(second, ada.email)
      await signedIn(world, second, ada)
      await forget(second, ada.email)
      const { text } = await mailBox.take(ada.email)
      expect(text).toContain(`${second.origin}/reset-password?token=`)
      expect(text).toContain(ada.name)
    },
  )

  verifies(
    'pages.mail.given-role',
    'sends a link to an account without a password, and ends it when a password is set elsewhere',
    async () => {
      const [first, second] = [await world.aSchool(), await world.aSchool()]
      const email = 'new-here@people.test'
      const { id } = { id: await add(first, email) }
      await add(second, email)
      await forget(first, email)
      await forget(second, email)
      const links = []
      for (const school of [first, second]) {
        const { text } = await mailBox.take(email, school.origin)
        links.push(/\/reset-password\?token=\S+/.exec(text)?.[0] ?? '')
      }
      expect((await resetsOf(id)).sort()).toEqual([first.id, second.id].sort())
      const visitor = new Visitor(world, first)
      const fields = { new_password: 'nine lanterns and a crow' }
      const set = await submit(visitor, links[0] ?? '', '/reset-password', fields)
      expect(set.statusCode).toBe(303)
      expect((await new Visitor(world, second).get(links[1] ?? '')).statusCode).toBe(400)
      await world.database.pool.query('delete from sign_in_throttles')
      await forget(second, email)
      const { text } = await mailBox.take(email, 'You asked')
      expect(text).not.toContain('reset-password')
    },
  )

  test('a person who has signed in nowhere is told who can help', async () => {
    const school = await world.aSchool()
    const ada = await world.aPerson()
    await add(school, ada.email)
    await forget(school, ada.email)
    expect((await mailBox.take(ada.email)).text).toContain('ask the school that gave it to you')
  })

  test('a name of a school or a person cannot add lines to a mail', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    await world.database.db
      .updateTable('schools')
      .set({ name: 'North\r\nBcc: all@people.test\r\n\r\nClick here' })
      .where('id', '=', school.id)
      .execute()
    await forget(school, ada.email)
    const { text } = await mailBox.take(ada.email)
    expect(text).not.toMatch(/^Bcc:/m)
    expect(text).not.toMatch(/^Click here/m)
  })
})

describe('a mail that fails', () => {
  test('stays queued, is tried again by any process, and is dropped after an hour', async () => {
    let isDown = true
    const sent: string[] = []
    const flaky = await aWorld({
      mailer: {
        async send({ to }) {
          if (isDown) throw new Error('the mail server is away')
          sent.push(to)
        },
      },
    })
    const school = await flaky.aSchool()
    const ada = await flaky.aMember(school)
    const ask = async () => {
      const visitor = new Visitor(flaky, school)
      const fields = { email: ada.email }
      await submit(visitor, '/forgotten-password', '/forgotten-password', fields)
    }
    await ask()
    const queued = async () =>
      (await flaky.database.pool.query<{ attempts: number }>('select attempts from outgoing_mails'))
        .rows
    await expect.poll(queued).toEqual([{ attempts: 1 }])
    isDown = false
    await flaky.database.pool.query('update outgoing_mails set next_try_at = now()')
    await ask()
    await untilSent(flaky)
    expect(sent).toEqual([ada.email])
  })
})
