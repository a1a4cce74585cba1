import { describe, expect, test } from 'vitest'
import { addMember } from '../../../src/domain/people/member-roles.ts'
import {
  passwordChangeCounter,
  schoolMailCounter,
  type ThrottleLimit,
} from '../../../src/domain/people/sign-in-counters.ts'
import { smtpMailer } from '../../../src/foundation/mail/mailer.ts'
import { verifies } from '../../spec/verifies.ts'
import { Visitor } from '../../support/browser-like.ts'
import { aMailBox, untilSent } from '../../support/mail-box.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { aWorld, PASSWORD, type TestPerson, type TestSchool } from '../../support/world.ts'

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
  school.db.transaction((tx) =>
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
      const { text } = await mailBox.take(ada.email, 'You asked')
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
    const { text } = await mailBox.take(ada.email)
    expect(text).toContain('ask the school that gave it to you')
    expect(text).toContain('The administrator of this server can set a new one for you.')
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

const NEXT = 'a kettle for nine otters'
const key = world.context.keyring.key('sign-in-throttle')

/** As if this had happened within the hour. */
const countAlready = ({ bucket, failures }: ThrottleLimit) =>
  world.database.pool.query(
    "insert into sign_in_throttles values ($1, $2, now() + interval '1 hour')",
    [bucket, failures],
  )

async function change(visitor: Visitor, current: string, next: string): Promise<number> {
  const path = '/account/password'
  const fields = { current_password: current, new_password: next }
  return (await submit(visitor, path, path, fields)).statusCode
}

const linkIn = (text: string) => /\/reset-password\?token=\S+/.exec(text)?.[0] ?? 'no link'

describe('a thief who knows the password', () => {
  verifies(
    'pages.forgotten-password.not-blocked',
    'asks for a link and changes the password, which ends it: the next link still comes',
    async () => {
      const school = await world.aSchool()
      const ada = await world.aMember(school)
      const thief = await signedIn(world, school, ada)
      await forget(school, ada.email)
      const dead = linkIn((await mailBox.take(ada.email, 'You asked')).text)
      expect(await change(thief, PASSWORD, NEXT)).toBe(303)
      await mailBox.take(ada.email, 'was changed')
      const visitor = new Visitor(world, school)
      expect((await visitor.get(dead)).statusCode).toBe(400)
      await forget(school, ada.email)
      const { text } = await mailBox.take(ada.email, 'You asked')
      const set = await submit(visitor, linkIn(text), '/reset-password', {
        new_password: 'eleven lanterns, no crow',
      })
      expect(set.statusCode).toBe(303)
    },
  )

  verifies(
    'pages.forgotten-password.not-blocked',
    'changes the password again and again, so that every link is dead on arrival: is stopped',
    async () => {
      const school = await world.aSchool()
      const ada = await world.aMember(school)
      const thief = await signedIn(world, school, ada)
      const changes = passwordChangeCounter(key, ada.id)
      expect(changes.failures).toBe(10)
      await countAlready({ ...changes, failures: 9 })
      expect(await change(thief, PASSWORD, NEXT)).toBe(303)
      await forget(school, ada.email)
      const link = linkIn((await mailBox.take(ada.email, 'You asked')).text)
      expect(await change(thief, NEXT, `${NEXT} again`)).toBe(429)
      expect((await new Visitor(world, school).get(link)).statusCode).toBe(200)
    },
  )

  verifies(
    'pages.password.mail',
    'changes it at a school where the person has no role: the mail comes from one where they have, and so does the entry',
    async () => {
      const [home, foreign, hostile] = [
        await world.aSchool(),
        await world.aSchool(),
        await world.aSchool(),
      ]
      const ada = await world.aMember(home)
      await add(hostile, ada.email)
      const thief = await signedIn(world, foreign, ada)
      expect(await change(thief, PASSWORD, NEXT)).toBe(303)
      const { text } = await mailBox.take(ada.email, 'was changed')
      expect(text).toContain(`${home.origin}/forgotten-password`)
      expect(text).toContain(ada.name)
      expect(await changesIn(home, ada)).toEqual([{ by: 'current_password' }])
      expect(await changesIn(foreign, ada)).toEqual([])
      expect(await changesIn(hostile, ada)).toEqual([])
    },
  )

  verifies(
    'pages.password.mail',
    'changes that of a person without any role: the installation has the entry',
    async () => {
      const school = await world.aSchool()
      const ada = await world.aPerson()
      expect(await change(await signedIn(world, school, ada), PASSWORD, NEXT)).toBe(303)
      await untilSent(world)
      expect(mailBox.waitingFor(ada.email)).toEqual([])
      const entries = await world.database.db
        .selectFrom('audit_entries')
        .select(['school_id', 'action'])
        .where('actor_user_id', '=', ada.id)
        .where('action', 'not like', 'session.%')
        .execute()
      expect(entries).toEqual([{ school_id: null, action: 'person.password_changed' }])
    },
  )
})

const changesIn = async (school: TestSchool, person: TestPerson) =>
  (
    await school.db
      .from('audit_entries')
      .select('detail')
      .where('action', '=', 'person.password_changed')
      .where('actor_user_id', '=', person.id)
      .execute()
  ).map(({ detail }) => detail)

describe('a school with many mails', () => {
  verifies('pages.mail.fair', 'that hang does not hold up those of another school', async () => {
    const sent: string[] = []
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let slowOrigin = ''
    const both = await aWorld({
      mailer: {
        async send({ to, text }) {
          if (text.includes(slowOrigin)) await released
          sent.push(to)
        },
      },
    })
    const [slow, other] = [await both.aSchool(), await both.aSchool()]
    slowOrigin = slow.origin
    const ask = async (school: TestSchool) => {
      const { email } = await both.aMember(school)
      const path = '/forgotten-password'
      await submit(new Visitor(both, school), path, path, { email })
      return email
    }
    for (let mails = 0; mails < 20; mails++) await ask(slow)
    const email = await ask(other)
    await expect.poll(() => sent).toEqual([email])
    release()
    await untilSent(both)
    expect(sent).toHaveLength(21)
  })

  verifies('pages.mail.fair', 'sends no more than its share of an hour', async () => {
    const [school, other] = [await world.aSchool(), await world.aSchool()]
    const ada = await world.aMember(school)
    await world.aMember(other, ['student'], ada)
    const mails = schoolMailCounter(key, school.id)
    expect(mails.failures).toBe(1000)
    await countAlready(mails)
    await forget(school, ada.email)
    expect(mailBox.waitingFor(ada.email)).toEqual([])
    await forget(other, ada.email)
    await mailBox.take(ada.email, other.origin)
    // A mail about a new password is never held back.
    await change(await signedIn(world, school, ada), PASSWORD, NEXT)
    await mailBox.take(ada.email, 'was changed')
  })
})

describe('a mail that fails', () => {
  test('stays queued, and is tried again when any process looks for mails', async () => {
    let isDown = true
    const failed: string[] = []
    const sent: string[] = []
    const flaky = await aWorld({
      mailer: {
        async send({ to }) {
          if (isDown) {
            failed.push(to)
            throw new Error('the mail server is away')
          }
          sent.push(to)
        },
      },
    })
    const school = await flaky.aSchool()
    const [ada, grace] = [await flaky.aMember(school), await flaky.aMember(school)]
    const ask = async ({ email }: TestPerson) => {
      const visitor = new Visitor(flaky, school)
      await submit(visitor, '/forgotten-password', '/forgotten-password', { email })
    }
    const queued = async () =>
      (await flaky.database.pool.query<{ attempts: number }>('select attempts from outgoing_mails'))
        .rows
    await ask(ada)
    await expect.poll(() => failed).toEqual([ada.email])
    expect(await queued()).toEqual([{ attempts: 1 }])
    isDown = false
    await flaky.database.pool.query(
      "update outgoing_mails set next_try_at = now() - interval '1 minute'",
    )
    // The request of another person wakes the sender: a second one of the same person may lead to
    // no mail.
    await ask(grace)
    await untilSent(flaky)
    expect(sent.sort()).toEqual([ada.email, grace.email].sort())
  })
})
