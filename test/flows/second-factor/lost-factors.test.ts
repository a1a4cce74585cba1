import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { keepFactors, lostFactorSweep } from '../../../src/domain/people/factors/lost-factors.ts'
import { mintResetLink } from '../../../src/domain/people/reset-link.ts'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { smtpMailer } from '../../../src/foundation/mail/mailer.ts'
import { enterCode, enterPassword, withSecondFactor } from '../../support/authenticator.ts'
import { type Answer, hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aMailBox, untilSent } from '../../support/mail-box.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { addPasskey, PasskeyDevice, signInWith } from '../../support/passkey-device.ts'
import { aWorld, PASSWORD, type TestPerson, type TestSchool } from '../../support/world.ts'

const mailBox = await aMailBox()
const world = await aWorld({ mailer: smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>') })
const school = await world.aSchool()
const PAGE = '/account/lost-factor'
const EMAIL = '/account/email'

/** A person with a passkey, and a browser with the password alone. */
async function aHolder(at: TestSchool = school) {
  const person = await world.aMember(at)
  const device = new PasskeyDevice(at.origin)
  await addPasskey(await signedIn(world, at, person), device)
  await untilSent(world)
  return { person, device, visitor: await signedIn(world, at, person) }
}

const report = (visitor: Visitor, password = PASSWORD) => submit(visitor, PAGE, PAGE, { password })

const aPasskeyRow = (user_id: string) => ({
  ...{ id: uuidv7(), user_id, credential_id: randomBytes(16), public_key: randomBytes(32) },
  ...{ counter: 0, transports: ['internal'], backup_eligible: true, backed_up: true },
  ...{ user_verified: true, name: 'A passkey', last_challenge_at: new Date() },
})

/** On the page that asks for a code. */
const sayLost = (visitor: Visitor, page: Answer) =>
  visitor.post('/sign-in/code', { ...hiddenFields(page.body, '/sign-in/code'), lost: 'yes' })

/** As if so much time had passed, and the server had looked. */
async function pass(person: TestPerson, days: number): Promise<void> {
  await world.database.pool.query(
    `with time as (select $1 * interval '1 day' as passed),
       asked as (update lost_factors set asked_at = asked_at - passed, told_at = told_at - passed from time where user_id = $2),
       apps as (update authenticators set created_at = created_at - passed from time where user_id = $2)
     update passkeys set created_at = created_at - passed from time where user_id = $2`,
    [days, person.id],
  )
  let isDone = false
  while (!isDone) {
    const progress = { after: undefined, size: 10, now: Date.now() }
    isDone = (await lostFactorSweep.step(world.database.db, progress)).isDone
  }
  await untilSent(world)
}

const isWaiting = async ({ id }: TestPerson) =>
  (await world.database.pool.query('select from lost_factors where user_id = $1', [id]))
    .rowCount === 1

const lostMails = ({ email }: TestPerson) =>
  mailBox.waitingFor(email).filter(({ text }) => text.includes('are lost'))

const passkeysOf = async ({ id }: TestPerson) =>
  (await world.database.pool.query('select from passkeys where user_id = $1', [id])).rowCount

const historyOf = async ({ id }: TestPerson, at = school) =>
  (
    await at.db
      .from('audit_entries')
      .select('action')
      .where('actor_user_id', '=', id)
      .where('action', 'in', ['factor.removal_requested', 'factor.removal_cancelled'])
      .orderBy('id')
      .execute()
  ).map(({ action }) => action)

describe('a person who lost the only passkey', () => {
  test('is asked for it, finds the way out, and changes the account after seven days with a mail on each', async () => {
    const { person, visitor } = await aHolder()
    expect((await visitor.get(EMAIL)).headers.location).toContain('by_factor=yes')
    const asked = await visitor.get(`/confirm?by_factor=yes&return_to=${EMAIL}`)
    expect(asked.body).toContain(`href="${PAGE}"`)
    expect((await report(visitor)).headers.location).toBe(`${PAGE}?done=asked`)
    const first = await mailBox.take(person.email, 'are lost')
    expect(first.text).toMatch(/The day: \d+ \w+ \d{4}\./)
    expect((await visitor.get(PAGE)).body).toContain(
      'Your passkeys and your authenticator app will',
    )
    for (let day = 1; day < 7; day++) {
      await pass(person, 1.01)
      if (await isWaiting(person)) await mailBox.take(person.email, 'are lost')
    }
    await pass(person, 1.01)
    await mailBox.take(person.email, 'were removed')
    expect([await isWaiting(person), await passkeysOf(person)]).toEqual([false, 0])
    expect((await visitor.get(EMAIL)).statusCode).toBe(200)
    await addPasskey(visitor, new PasskeyDevice(school.origin))
    expect(await passkeysOf(person)).toBe(1)
    expect(await historyOf(person)).toEqual(['factor.removal_requested'])
  })

  test('waits all seven days, and gets one mail a day', async () => {
    const { person, visitor } = await aHolder()
    await report(visitor)
    await mailBox.take(person.email, 'are lost')
    await pass(person, 0.5)
    await pass(person, 0.1)
    expect(lostMails(person)).toEqual([])
    await pass(person, 6)
    expect([await isWaiting(person), await passkeysOf(person)]).toEqual([true, 1])
    expect((await visitor.get(EMAIL)).headers.location).toContain('by_factor=yes')
  })

  test('can take it back, and asks twice for nothing more', async () => {
    const { person, visitor } = await aHolder()
    await report(visitor)
    const { form_token = '' } = hiddenFields((await visitor.get('/account')).body, '/sign-out')
    await visitor.post(PAGE, { form_token, password: PASSWORD })
    const kept = await submit(visitor, PAGE, `${PAGE}/cancel`)
    expect((await visitor.follow(kept)).body).toContain('stay')
    expect(await isWaiting(person)).toBe(false)
    expect(await historyOf(person)).toEqual([
      'factor.removal_requested',
      'factor.removal_cancelled',
    ])
    await untilSent(world)
  })

  test('who has no password chooses one first, and who has neither is told that there is nothing', async () => {
    const { person, visitor } = await aHolder()
    await world.database.pool.query('update users set password_hash = null where id = $1', [
      person.id,
    ])
    expect((await visitor.get(PAGE)).body).toContain('/forgotten-password')
    const bare = await signedIn(world, school, await world.aMember(school))
    expect((await report(bare)).headers.location).toBe(`${PAGE}?done=none`)
  })

  test('leaves an account that counts as one with a password, so that no school can send a link by giving a role', async () => {
    const { person, visitor } = await aHolder()
    await report(visitor)
    await pass(person, 8)
    const hostile = await world.aSchool()
    await hostile.db.insert('school_members', { user_id: person.id, roles: ['student'] }).execute()
    expect(await mintResetLink(hostile.db, person.id)).toBeUndefined()
    await untilSent(world)
  })
})

describe('the end of the seven days', () => {
  test('leaves a passkey that was added since the report: it is not lost', async () => {
    const { person, visitor } = await aHolder()
    await report(visitor)
    await pass(person, 6)
    await school.db.insert('passkeys', aPasskeyRow(person.id)).execute()
    await pass(person, 1.01)
    expect([await isWaiting(person), await passkeysOf(person)]).toEqual([false, 1])
  })
})

describe('a person who lost the authenticator app and all recovery codes', () => {
  test('signs in with the password alone after seven days', async () => {
    const person = await world.aMember(school)
    await withSecondFactor(world, school, person)
    const visitor = new Visitor(world, school)
    const step = await enterPassword(visitor, person)
    expect(step.body).toContain('No phone and no recovery code?')
    const said = await sayLost(visitor, step)
    expect(said.body).toMatch(/will be removed on <time/)
    await mailBox.take(person.email, 'are lost')
    expect((await visitor.get('/account')).statusCode).toBe(303)
    await pass(person, 7.01)
    const again = await signedIn(world, school, person)
    expect((await again.get('/account')).statusCode).toBe(200)
    const left = await world.database.pool.query(
      'select from recovery_codes where user_id = $1 union all select from trusted_devices where user_id = $1',
      [person.id],
    )
    expect(left.rowCount).toBe(0)
    await untilSent(world)
  })

  test('in a browser that was trusted changes the account afterwards, with the password', async () => {
    const person = await world.aMember(school)
    const { app } = await withSecondFactor(world, school, person)
    const visitor = new Visitor(world, school)
    await enterCode(visitor, await enterPassword(visitor, person), app.code(), { trust: 'yes' })
    await submit(visitor, '/account', '/sign-out')
    await enterPassword(visitor, person)
    expect((await report(visitor)).headers.location).toBe(`${PAGE}?done=asked`)
    await pass(person, 7.01)
    const asked = await visitor.get(EMAIL)
    if (asked.statusCode === 303) {
      const place = String(asked.headers.location)
      await submit(visitor, place, '/confirm', { password: PASSWORD })
    }
    expect((await visitor.get(EMAIL)).statusCode).toBe(200)
  })
})

describe('a report', () => {
  test('is seen on the pages of the account, and its end is told by mail', async () => {
    const { person, visitor } = await aHolder()
    await report(visitor)
    for (const path of ['/account', '/account/settings']) {
      const { body } = await visitor.get(path)
      expect(body, path).toContain('reported as lost')
      expect(body, path).toContain(`href="${PAGE}"`)
    }
    await submit(visitor, PAGE, `${PAGE}/cancel`)
    await mailBox.take(person.email, 'They stay')
    const { form_token = '' } = hiddenFields((await visitor.get('/account')).body, '/sign-out')
    const late = await visitor.post(`${PAGE}/cancel`, { form_token })
    expect((await visitor.follow(late)).body).toContain('nothing to keep')
    await untilSent(world)
  })

  test('ends when no school may write to the person any more, so that nothing is removed in silence', async () => {
    const { person, visitor } = await aHolder()
    await report(visitor)
    await school.db
      .update('school_members')
      .set({ roles: [] })
      .where('user_id', '=', person.id)
      .execute()
    await pass(person, 7.01)
    expect([await isWaiting(person), await passkeysOf(person)]).toEqual([false, 1])
  })

  test('that is taken back while the server removes what is lost ends nothing', async () => {
    const { person, visitor } = await aHolder()
    await report(visitor)
    await world.database.pool.query(
      "update lost_factors set asked_at = now() - interval '8 days' where user_id = $1",
      [person.id],
    )
    const progress = { after: undefined, size: 10, now: Date.now() }
    const kept = await world.database.db.transaction().execute(async (tx) => {
      await tx
        .selectFrom('users')
        .select('id')
        .where('id', '=', person.id)
        .forNoKeyUpdate()
        .execute()
      const sweeping = lostFactorSweep.step(world.database.db, progress)
      expect(await keepFactors(tx, person.id)).toBe(true)
      return { sweeping }
    })
    await kept.sweeping
    await lostFactorSweep.step(world.database.db, progress)
    expect([await isWaiting(person), await passkeysOf(person)]).toEqual([false, 1])
    await untilSent(world)
  })
})

describe('a thief with the password alone', () => {
  test('waits in vain: the person uses the passkey, and it stays', async () => {
    const { person, device, visitor: thief } = await aHolder()
    await report(thief)
    await pass(person, 3)
    await signInWith(new Visitor(world, school), device)
    expect([await isWaiting(person), await passkeysOf(person)]).toEqual([false, 1])
    expect(await historyOf(person)).toEqual([
      'factor.removal_requested',
      'factor.removal_cancelled',
    ])
    await pass(person, 5)
    expect((await thief.get(EMAIL)).headers.location).toContain('by_factor=yes')
    await untilSent(world)
  })

  test('floods no mailbox: five reports in an hour, however often they are taken back', async () => {
    const { person, visitor: thief } = await aHolder()
    for (let time = 0; time < 5; time++) {
      expect((await report(thief)).statusCode).toBe(303)
      await submit(thief, PAGE, `${PAGE}/cancel`)
    }
    const refused = await report(thief)
    expect([refused.statusCode, Number(refused.headers['retry-after']) > 0]).toEqual([429, true])
    await untilSent(world)
    expect(lostMails(person)).toHaveLength(5)
    expect(await isWaiting(person)).toBe(false)
  })

  test('waits in vain: the person gives a code at another school', async () => {
    const person = await world.aMember(school)
    const other = await world.aSchool()
    await world.aMember(other, ['student'], person)
    const { app } = await withSecondFactor(world, school, person)
    const thief = new Visitor(world, school)
    await sayLost(thief, await enterPassword(thief, person))
    expect(await isWaiting(person)).toBe(true)
    const own = new Visitor(world, other)
    const step = await own.signIn(await own.get('/sign-in'), person)
    await enterCode(own, step, app.code(1))
    expect(await isWaiting(person)).toBe(false)
    await untilSent(world)
  })

  test('waits in vain: the reader of the mailbox says that it was not them', async () => {
    const { person, visitor: thief } = await aHolder()
    await report(thief)
    const { text } = await mailBox.take(person.email, 'are lost')
    const link = /\/not-me\?token=\S+/.exec(text)?.[0] ?? ''
    await submit(new Visitor(world, school), link, '/not-me')
    expect(await isWaiting(person)).toBe(false)
    expect((await thief.get('/account')).statusCode).toBe(303)
    await untilSent(world)
  })

  test('without the password, or with that of another person, reports nothing', async () => {
    const { person, visitor } = await aHolder()
    for (const [password, status] of [
      ['', 400],
      ['not the password', 401],
    ] as const) {
      expect((await report(visitor, password)).statusCode).toBe(status)
    }
    expect(await isWaiting(person)).toBe(false)
  })

  test('reports it at a school of their own: the mails come from the school of the person and name both', async () => {
    const { person } = await aHolder()
    const hostile = await world.aSchool()
    await world.aMember(hostile, ['student'], person)
    const thief = await signedIn(world, hostile, person)
    await mailBox.take(person.email, 'browser that is new')
    await report(thief)
    const { text } = await mailBox.take(person.email, 'are lost')
    expect(text).toContain(
      `It was at School ${hostile.subdomain}. This email comes from School ${school.subdomain}`,
    )
    expect(text).not.toContain(hostile.origin)
    for (const place of [school, hostile]) {
      expect(await historyOf(person, place)).toEqual(['factor.removal_requested'])
    }
  })

  test('of a person whom no school may mail cannot report it, since nobody would hear of it', async () => {
    const person = await world.aPerson()
    const visitor = await signedIn(world, school, person)
    await addPasskey(visitor, new PasskeyDevice(school.origin))
    expect((await report(visitor)).statusCode).toBe(409)
    expect(await isWaiting(person)).toBe(false)
  })
})
