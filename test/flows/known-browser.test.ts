import { describe, expect, test } from 'vitest'
import { signIn } from '../../src/domain/people/sign-in.ts'
import { parseTrustProxy } from '../../src/foundation/http/client-address.ts'
import { smtpMailer } from '../../src/foundation/mail/mailer.ts'
import { verifies } from '../spec/verifies.ts'
import { hiddenFields, Visitor } from '../support/browser-like.ts'
import { aMailBox, untilSent } from '../support/mail-box.ts'
import { aWorld, PASSWORD, type TestPerson, type TestSchool } from '../support/world.ts'

const mailBox = await aMailBox()
const world = await aWorld({
  trust: parseTrustProxy('127.0.0.0/8'),
  mailer: smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>'),
})
const school = await world.aSchool()
const HOME = '192.0.2.1'
/** Longer than any password, so it is refused without the time of a hash. */
const WRONG = 'x'.repeat(2000)

const from = (address: string) => ({ 'x-forwarded-for': address })

async function enter(
  visitor: Visitor,
  person: TestPerson,
  { password = PASSWORD, address = HOME } = {},
): Promise<number> {
  const page = await visitor.get('/sign-in', from(address))
  const fields = { ...hiddenFields(page.body, '/sign-in'), email: person.email, password }
  return (await visitor.post('/sign-in', fields, from(address))).statusCode
}

async function aKnownBrowser(person: TestPerson, where: TestSchool = school): Promise<Visitor> {
  const visitor = new Visitor(world, where)
  expect(await enter(visitor, person)).toBe(303)
  return visitor
}

/** Strangers guess from many addresses until the account takes no further try. */
async function guessEverywhere(person: TestPerson): Promise<void> {
  const stranger = new Visitor(world, school)
  for (let n = 0; n < 60; n++) {
    await enter(stranger, person, { password: WRONG, address: `198.51.100.${n}` })
  }
  expect(await enter(new Visitor(world, school), person)).toBe(429)
}

const forgetTries = () => world.database.pool.query('delete from sign_in_throttles')

describe('a browser that signed in before', () => {
  verifies(
    'pages.sign-in.known-browser',
    'is not locked out by strangers who guess from everywhere, also after signing out',
    async () => {
      await forgetTries()
      const ada = await world.aMember(school)
      const browser = await aKnownBrowser(ada)
      const account = await browser.get('/account')
      await browser.post('/sign-out', hiddenFields(account.body, '/sign-out'))
      await guessEverywhere(ada)
      expect(await enter(browser, ada)).toBe(303)
    },
  )

  verifies(
    'pages.sign-in.known-browser',
    'is not locked out by strangers behind the same address',
    async () => {
      await forgetTries()
      const ada = await world.aMember(school)
      const browser = await aKnownBrowser(ada)
      const stranger = new Visitor(world, school)
      for (let n = 0; n < 12; n++) await enter(stranger, ada, { password: WRONG })
      for (let n = 0; n < 100; n++) {
        await enter(stranger, { ...ada, email: `n${n}@people.test` }, { password: WRONG })
      }
      expect(await enter(new Visitor(world, school), await world.aMember(school))).toBe(429)
      expect(await enter(browser, ada)).toBe(303)
    },
  )

  verifies(
    'pages.sign-in.known-browser',
    'has ten tries of its own, so a stolen cookie does not open the account',
    async () => {
      await forgetTries()
      const ada = await world.aMember(school)
      const browser = await aKnownBrowser(ada)
      for (let n = 0; n < 10; n++) expect(await enter(browser, ada, { password: WRONG })).toBe(401)
      expect(await enter(browser, ada)).toBe(429)
      expect(await enter(new Visitor(world, school), ada)).toBe(303)
    },
  )

  verifies(
    'pages.sign-in.known-browser',
    'is known for its own account, at its own school, and only by a value that the server made',
    async () => {
      await forgetTries()
      const [ada, eve] = [await world.aMember(school), await world.aMember(school)]
      const elsewhere = await world.aSchool()
      const ofEve = await aKnownBrowser(eve)
      const atOther = await aKnownBrowser(ada, elsewhere)
      await guessEverywhere(ada)
      expect(await enter(ofEve, ada)).toBe(429)
      const name = 'schoolgate-device-80'
      const carried = new Visitor(world, school)
      carried.plant(name, atOther.cookie(name) ?? '')
      expect(await enter(carried, ada)).toBe(429)
      const forger = new Visitor(world, school)
      forger.plant(name, `${'A'.repeat(22)}.${'A'.repeat(22)}`)
      expect(await enter(forger, ada)).toBe(429)
    },
  )

  verifies(
    'pages.sign-in.known-browser',
    'changes the password while strangers guess, also after its cookie of the browser was cleared',
    async () => {
      await forgetTries()
      const ada = await world.aMember(school)
      const browser = await aKnownBrowser(ada)
      browser.plant('schoolgate-device-80', '')
      await guessEverywhere(ada)
      const path = '/account/password'
      const hidden = hiddenFields((await browser.get(path)).body, path)
      const fields = { current_password: PASSWORD, new_password: 'nine lanterns and a crow' }
      expect((await browser.post(path, { ...hidden, ...fields })).statusCode).toBe(303)
    },
  )

  test('is also one that set a new password by a link', async () => {
    await forgetTries()
    const ada = await world.aMember(school)
    const browser = new Visitor(world, school)
    const page = await browser.get('/forgotten-password', from(HOME))
    const fields = { ...hiddenFields(page.body, '/forgotten-password'), email: ada.email }
    await browser.post('/forgotten-password', fields, from(HOME))
    const { text } = await mailBox.take(ada.email, 'You asked')
    const link = /\/reset-password\?token=\S+/.exec(text)?.[0] ?? ''
    const hidden = hiddenFields((await browser.get(link)).body, '/reset-password')
    const fresh = 'nine lanterns and a crow'
    const set = await browser.post('/reset-password', { ...hidden, new_password: fresh })
    expect(set.statusCode).toBe(303)
    await guessEverywhere(ada)
    expect(await enter(browser, ada, { password: fresh })).toBe(303)
  })
})

describe('one network', () => {
  const key = world.context.keyring.key('sign-in-throttle')
  const attempt = async (email: string, password: string, address: string) =>
    (await signIn(world.database.db, key, { email, password, address, schoolId: school.id })).kind

  verifies(
    ['pages.sign-in.throttled', 'house.limits.networks'],
    'one IPv6 /48 cannot lock an account for all other unknown browsers',
    async () => {
      await forgetTries()
      const { email } = await world.aPerson()
      let checked = 0
      for (let n = 0; n < 100; n++) {
        const address = `2001:db8:7:${(n * 256).toString(16)}::1`
        if ((await attempt(email, WRONG, address)) === 'refused') checked++
      }
      expect(checked).toBe(40)
      expect(await attempt(email, PASSWORD, HOME)).toBe('signed_in')
    },
  )

  verifies(
    'house.limits.networks',
    'fresh addresses of one IPv6 /64 and /56 do not give fresh tries',
    async () => {
      await forgetTries()
      const tryAll = async (count: number, addressOf: (n: string) => string) => {
        let checked = 0
        for (let n = 0; n < count; n++) {
          const email = `u${n}@people.test`
          if ((await attempt(email, WRONG, addressOf(n.toString(16)))) === 'refused') checked++
        }
        return checked
      }
      expect(await tryAll(120, (n) => `2001:db8:8:1::${n}`)).toBe(100)
      expect(await tryAll(256, (n) => `2001:db8:9:${n}::1`)).toBe(256)
      expect(await tryAll(256, (n) => `2001:db8:9:${n}::2`)).toBe(144)
    },
  )
})

verifies(
  'pages.forgotten-password.not-blocked',
  'strangers who ask for links cannot keep a person from getting one, and send one mail',
  async () => {
    await forgetTries()
    const ada = await world.aMember(school)
    const ask = async (address: string) => {
      const visitor = new Visitor(world, school)
      const page = await visitor.get('/forgotten-password', from(address))
      const fields = { ...hiddenFields(page.body, '/forgotten-password'), email: ada.email }
      return (await visitor.post('/forgotten-password', fields, from(address))).statusCode
    }
    for (let n = 0; n < 20; n++) {
      for (let tries = 0; tries < 4; tries++) await ask(`198.51.100.${n}`)
    }
    expect(await ask(HOME)).toBe(303)
    await untilSent(world)
    const mails = mailBox.waitingFor(ada.email)
    expect(mails).toHaveLength(1)
    const link = /\/reset-password\?token=\S+/.exec(mails[0]?.text ?? '')?.[0] ?? ''
    expect((await new Visitor(world, school).get(link)).statusCode).toBe(200)
  },
)
