import { beforeAll, describe, expect, test } from 'vitest'
import { smtpMailer } from '../../../src/foundation/mail/mailer.ts'
import { enterCode, switchOn, withSecondFactor } from '../../support/authenticator.ts'
import { Visitor } from '../../support/browser-like.ts'
import { aMailBox } from '../../support/mail-box.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import {
  addPasskey,
  PasskeyDevice,
  proveForOther,
  signInWith,
} from '../../support/passkey-device.ts'
import { aWorld, type TestPerson, type TestSchool } from '../../support/world.ts'

const mailBox = await aMailBox()
const world = await aWorld({ mailer: smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>') })
const NEW = 'a much better password'
const PASSKEYS = '/account/passkeys'
const SETUP = '/account/second-factor/new'
let school: TestSchool

beforeAll(async () => {
  school = await world.aSchool()
})

/** A thief who reads the mailbox of a person and knows nothing else sets a new password. */
async function thiefOf(person: TestPerson, more: Record<string, string> = {}) {
  const thief = new Visitor(world, school)
  await submit(thief, '/forgotten-password', '/forgotten-password', { email: person.email })
  const { text } = await mailBox.take(person.email, 'You asked')
  const link = /\/reset-password\?token=\S+/.exec(text)?.[0] ?? ''
  const set = await submit(thief, link, '/reset-password', { new_password: NEW, ...more })
  expect(set.statusCode).toBe(303)
  return { thief, answer: await thief.signIn(await thief.get('/sign-in'), person, NEW) }
}

/** A person with a passkey from before the time in which a link by mail removes one. */
async function aHolder(at = school) {
  const person = await world.aMember(at)
  const device = new PasskeyDevice(at.origin)
  await addPasskey(await signedIn(world, at, person), device)
  await grow('passkeys', person)
  return { person, device }
}

const grow = (table: 'passkeys' | 'authenticators', { id }: TestPerson) =>
  world.database.pool.query(
    `update ${table} set created_at = created_at - interval '9 days' where user_id = $1`,
    [id],
  )

const countOf = async (table: 'passkeys' | 'authenticators', { id }: TestPerson) =>
  (await world.database.db.selectFrom(table).select('user_id').where('user_id', '=', id).execute())
    .length

const isSignedIn = async (visitor: Visitor) => (await visitor.get('/account')).statusCode === 200

const REMOVING = { remove_passkeys: 'yes' }

describe('a thief of the mailbox of a person', () => {
  test('who has a password alone has the account, and the person takes it back by the link in the mail about it', async () => {
    const ada = await world.aMember(school)
    const { thief } = await thiefOf(ada)
    expect(await isSignedIn(thief)).toBe(true)
    await addPasskey(thief, new PasskeyDevice(school.origin))
    await switchOn(thief)
    const { text } = await mailBox.take(ada.email, 'authenticator app was added')
    const link = /\/not-me\?token=\S+/.exec(text)?.[0] ?? ''
    await submit(new Visitor(world, school), link, '/not-me')
    expect(await isSignedIn(thief)).toBe(false)
    expect(await countOf('passkeys', ada)).toBe(0)
    expect(await countOf('authenticators', ada)).toBe(0)
    const removals = await school.db
      .from('audit_entries')
      .select(['action', 'detail'])
      .where('actor_user_id', '=', ada.id)
      .where('action', 'in', ['passkey.removed', 'factor.removed'])
      .orderBy('action')
      .execute()
    expect(removals).toEqual([
      { action: 'factor.removed', detail: { by: 'not_me' } },
      { action: 'passkey.removed', detail: { by: 'not_me' } },
    ])
  })

  test.each([
    ['', {}],
    [', also if passkeys are to be removed', REMOVING],
  ])(
    'who has an authenticator app does not get in: the new password needs a code%s',
    async (_, more) => {
      const ada = await world.aMember(school)
      const { app } = await withSecondFactor(world, school, ada)
      const { thief, answer } = await thiefOf(ada, more)
      expect(answer.body).toContain('autocomplete="one-time-code"')
      expect((await enterCode(thief, answer, app.wrongCode())).statusCode).toBe(401)
      expect(await isSignedIn(thief)).toBe(false)
      expect(await countOf('authenticators', ada)).toBe(1)
      expect(await isSignedIn(await entered(ada, app.code()))).toBe(true)
    },
  )

  test.each([
    ['keeps', {}],
    ['asks to remove', REMOVING],
  ])(
    'who has a passkey signs in, %s it, and adds nothing of their own beside it',
    async (_, more) => {
      const { person, device } = await aHolder()
      const { thief } = await thiefOf(person, more)
      expect(await isSignedIn(thief)).toBe(true)
      for (const path of [PASSKEYS, SETUP]) {
        const { location } = (await thief.get(path)).headers
        expect(location).toBe(`/confirm?by_factor=yes&return_to=${encodeURIComponent(path)}`)
      }
      const own = new Visitor(world, school)
      await signInWith(own, device)
      expect((await own.get(PASSKEYS)).statusCode).toBe(200)
      expect(await countOf('passkeys', person)).toBe(1)
    },
  )

  test('removes no passkey with the new password either, when they change it again', async () => {
    const { person } = await aHolder()
    const { thief } = await thiefOf(person)
    const change = { current_password: NEW, new_password: `${NEW} again`, ...REMOVING }
    const changed = await submit(thief, '/account/password', '/account/password', change)
    expect(changed.statusCode).toBe(303)
    expect(await countOf('passkeys', person)).toBe(1)
  })
})

/** A browser of the person themselves, after the thief has set the password. */
async function entered(person: TestPerson, code: string): Promise<Visitor> {
  const own = new Visitor(world, school)
  const asked = await own.signIn(await own.get('/sign-in'), person, NEW)
  await enterCode(own, asked, code)
  return own
}

describe('the person', () => {
  test('removes a new passkey of a thief by a link by mail, at every school, and keeps their own', async () => {
    const person = await world.aMember(school)
    const other = await world.aSchool()
    await world.aMember(other, ['student'], person)
    // A thief was there before the person had a passkey.
    const strange = new PasskeyDevice(other.origin)
    await addPasskey(await signedIn(world, other, person), strange)
    const device = new PasskeyDevice(school.origin)
    const own = await signedIn(world, school, person)
    await proveForOther(own, PASSKEYS, strange, new Visitor(world, other))
    await addPasskey(own, device)
    await world.database.pool.query(
      `update passkeys set created_at = created_at - interval '9 days' where school_id = $1 and user_id = $2`,
      [school.id, person.id],
    )
    await thiefOf(person, REMOVING)
    expect((await signInWith(new Visitor(world, other), strange)).statusCode).toBe(401)
    expect((await signInWith(new Visitor(world, school), device)).statusCode).toBe(303)
    const [removed] = await other.db
      .from('audit_entries')
      .select('detail')
      .where('actor_user_id', '=', person.id)
      .where('action', '=', 'passkey.removed')
      .execute()
    expect(removed?.detail).toEqual({ by: 'reset_link' })
  })

  test('keeps an authenticator app that is older than a week when a thief uses a link “it was not me”', async () => {
    const ada = await world.aMember(school)
    await withSecondFactor(world, school, ada)
    await grow('authenticators', ada)
    const { text } = await mailBox.take(ada.email, 'authenticator app was added')
    const link = /\/not-me\?token=\S+/.exec(text)?.[0] ?? ''
    await submit(new Visitor(world, school), link, '/not-me')
    expect(await countOf('authenticators', ada)).toBe(1)
  })
})
