import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { hashPassword } from '../../../src/foundation/crypto/password.ts'
import { logMailer, smtpMailer } from '../../../src/foundation/mail/mailer.ts'
import { aSetup, ask } from '../../support/authorization.ts'
import { type Answer, hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aMailBox } from '../../support/mail-box.ts'
import { aWorld, PASSWORD, type TestPerson, type TestSchool } from '../../support/world.ts'

const mailBox = await aMailBox()
const world = await aWorld({ mailer: smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>') })
const NEW = 'a much better password'

async function signedIn(school: TestSchool, person: TestPerson): Promise<Visitor> {
  const visitor = new Visitor(world, school)
  await visitor.signIn(await visitor.get('/sign-in'), person)
  return visitor
}

async function signsInWith(school: TestSchool, person: TestPerson, password: string) {
  const visitor = new Visitor(world, school)
  const answer = await visitor.signIn(await visitor.get('/sign-in'), person, password)
  return answer.statusCode
}

async function change(visitor: Visitor, fields: Record<string, string>): Promise<Answer> {
  const page = await visitor.get('/account/password')
  const hidden = hiddenFields(page.body, '/account/password')
  return await visitor.post('/account/password', { ...hidden, ...fields })
}

describe('changing a password', () => {
  test('asks for the current one', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const visitor = await signedIn(school, ada)
    const refused = await change(visitor, { current_password: 'a guess', new_password: NEW })
    expect(refused.statusCode).toBe(401)
    expect(refused.body).toContain('not your current password')
    expect(await signsInWith(school, ada, PASSWORD)).toBe(303)
  })

  test('rotates this session and, if chosen, ends all others at every school', async () => {
    const school = await world.aSchool()
    const elsewhere = await world.aSchool()
    const ada = await world.aMember(school)
    await world.aMember(elsewhere, ['student'], ada)
    const here = await signedIn(school, ada)
    const other = await signedIn(elsewhere, ada)
    const before = await sessionIds(ada)
    const changed = await change(here, {
      current_password: PASSWORD,
      new_password: NEW,
      end_other_sessions: 'yes',
    })
    expect(changed.statusCode).toBe(303)
    expect((await here.follow(changed)).body).toContain('signed out everywhere else')
    const after = await sessionIds(ada)
    expect(after).toHaveLength(1)
    expect(before).not.toContain(after[0])
    expect((await other.get('/account')).statusCode).toBe(303)
    expect(await signsInWith(school, ada, PASSWORD)).toBe(401)
    expect(await signsInWith(school, ada, NEW)).toBe(303)
    const audited = await school.at
      .from('audit_entries')
      .select(['action', 'detail'])
      .where('actor_user_id', '=', ada.id)
      .execute()
    expect(audited).toEqual([
      { action: 'person.password_changed', detail: { by: 'current_password' } },
    ])
  })

  test('otherwise keeps the other sessions, and still rotates this one', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const here = await signedIn(school, ada)
    const other = await signedIn(school, ada)
    const before = await sessionIds(ada)
    await change(here, { current_password: PASSWORD, new_password: NEW })
    expect((await here.get('/account')).statusCode).toBe(200)
    expect((await other.get('/account')).statusCode).toBe(200)
    const kept = (await sessionIds(ada)).filter((id) => before.includes(id))
    expect(kept).toHaveLength(1)
  })

  test.each([
    ['too short', 'short', 'Use at least'],
    ['too long', 'x'.repeat(1025), 'too long'],
    ['missing', '', 'Enter a new password'],
  ])('refuses one that is %s', async (_, password, words) => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const visitor = await signedIn(school, ada)
    const refused = await change(visitor, { current_password: PASSWORD, new_password: password })
    expect(refused.statusCode).toBe(400)
    expect(refused.body).toContain(words)
    expect(await signsInWith(school, ada, PASSWORD)).toBe(303)
  })

  test('guessing the current one is throttled like sign-in', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const visitor = await signedIn(school, ada)
    for (let tries = 0; tries < 10; tries++) {
      await change(visitor, { current_password: `guess ${tries}`, new_password: NEW })
    }
    const refused = await change(visitor, { current_password: PASSWORD, new_password: NEW })
    expect(refused.statusCode).toBe(429)
    expect(refused.headers['retry-after']).toBeDefined()
  })
})

async function sessionIds(person: TestPerson): Promise<string[]> {
  const rows = await world.database.db
    .selectFrom('browser_sessions')
    .select('id')
    .where('user_id', '=', person.id)
    .execute()
  return rows.map(({ id }) => id)
}

async function forget(school: TestSchool, email: string): Promise<Answer> {
  const visitor = new Visitor(world, school)
  const page = await visitor.get('/forgotten-password')
  const hidden = hiddenFields(page.body, '/forgotten-password')
  return await visitor.post('/forgotten-password', { ...hidden, email })
}

async function linkFor(school: TestSchool, person: TestPerson): Promise<string> {
  await forget(school, person.email)
  const mail = await mailBox.take()
  expect(mail.to).toBe(person.email)
  const link = new RegExp(`${school.origin}(/reset-password\\?token=\\S+)`).exec(mail.text)?.[1]
  if (link === undefined) throw new Error(`no link in ${mail.text}`)
  return link
}

async function follow(school: TestSchool, link: string, password: string): Promise<Answer> {
  const visitor = new Visitor(world, school)
  const page = await visitor.get(link)
  if (page.statusCode !== 200) return page
  const hidden = hiddenFields(page.body, '/reset-password')
  return await visitor.post('/reset-password', { ...hidden, new_password: password })
}

describe('a forgotten password', () => {
  test('a link by mail sets a new one and ends every session', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const visitor = await signedIn(school, ada)
    expect((await new Visitor(world, school).get('/sign-in')).body).toContain('/forgotten-password')
    const set = await follow(school, await linkFor(school, ada), NEW)
    expect(set.statusCode).toBe(303)
    expect(set.headers.location).toBe('/sign-in?reset')
    expect((await visitor.get('/account')).statusCode).toBe(303)
    expect(await signsInWith(school, ada, PASSWORD)).toBe(401)
    expect(await signsInWith(school, ada, NEW)).toBe(303)
  })

  test('requesting a link keeps the pending authorization of an app', async () => {
    const setup = await aSetup(world)
    const visitor = new Visitor(world, setup.school)
    const turned = await ask(setup, {}, visitor)
    const request = /request=([\w-]+)/.exec(String(turned.headers.location))?.[1] ?? 'none'
    const signIn = await visitor.follow(turned)
    const way = /href="(\/forgotten-password[^"]*)"/.exec(signIn.body)?.[1] ?? ''
    const page = await visitor.get(way)
    const hidden = hiddenFields(page.body, '/forgotten-password')
    const missing = await visitor.post('/forgotten-password', { ...hidden, email: '' })
    const email = setup.person.email
    const sent = await visitor.post('/forgotten-password', { ...hidden, email })
    await mailBox.take()
    const sentPage = await visitor.follow(sent)
    expect(sentPage.body).toContain('to continue to the app')
    for (const one of [page, missing, sentPage]) {
      expect(one.body).toContain(`href="/sign-in?request=${request}"`)
    }
  })

  test('the page to return to cannot be another site', async () => {
    const school = await world.aSchool()
    const visitor = new Visitor(world, school)
    const kept = await visitor.get('/forgotten-password?return_to=%2Fadmin%2Faudit')
    expect(kept.body).toContain('href="/sign-in?return_to=%2Fadmin%2Faudit"')
    for (const query of [
      'return_to=%2F%2Fevil.example',
      'request=evil',
      `request=${'A'.repeat(9)}`,
    ]) {
      const page = await visitor.get(`/forgotten-password?${query}`)
      expect(page.body).toContain('href="/sign-in"')
      expect(page.body).not.toContain('evil')
    }
  })

  test('a link works once, also if it is used twice at the same moment', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const link = await linkFor(school, ada)
    const tries = await Promise.all([follow(school, link, NEW), follow(school, link, `${NEW} 2`)])
    expect(tries.map((answer) => answer.statusCode).sort()).toEqual([303, 400])
    expect((await follow(school, link, NEW)).statusCode).toBe(400)
  })

  test('a new password ends all earlier links', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const first = await linkFor(school, ada)
    const second = await linkFor(school, ada)
    expect((await follow(school, second, NEW)).statusCode).toBe(303)
    expect((await follow(school, first, 'yet another password')).statusCode).toBe(400)
  })

  test('a link expires after an hour, and is refused at another school', async () => {
    const school = await world.aSchool()
    const elsewhere = await world.aSchool()
    const ada = await world.aMember(school)
    const link = await linkFor(school, ada)
    expect((await follow(elsewhere, link, NEW)).statusCode).toBe(400)
    await world.database.db
      .updateTable('password_resets')
      .set({ expires_at: sql<Date>`now()` })
      .where('user_id', '=', ada.id)
      .execute()
    expect((await follow(school, link, NEW)).statusCode).toBe(400)
    expect(await signsInWith(school, ada, PASSWORD)).toBe(303)
  })

  test('a refused password does not use up the link', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const link = await linkFor(school, ada)
    expect((await follow(school, link, 'short')).statusCode).toBe(400)
    expect((await follow(school, link, NEW)).statusCode).toBe(303)
  })

  test('the answer does not reveal whether an account exists', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const known = await forget(school, ada.email.toUpperCase())
    await mailBox.take()
    const unknown = await forget(school, 'unknown@people.test')
    for (const part of ['statusCode', 'body'] as const) expect(unknown[part]).toEqual(known[part])
    expect(unknown.headers.location).toBe(known.headers.location)
    expect(mailBox.waiting).toBe(0)
    const statements = (email: string) => world.database.statementsOf(() => forget(school, email))
    expect(await statements('unknown-too@people.test')).toEqual(await statements(ada.email))
    await mailBox.take()
  })

  test('repeated requests are throttled, for known and unknown accounts', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    for (const email of [ada.email, 'unknown-again@people.test']) {
      for (let tries = 0; tries < 3; tries++) {
        expect((await forget(school, email)).statusCode).toBe(303)
      }
      expect((await forget(school, email)).statusCode).toBe(429)
    }
    for (let mails = 0; mails < 3; mails++) await mailBox.take()
    expect(mailBox.waiting).toBe(0)
  })

  test('a new password unlocks an account that was locked by guesses', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    for (let tries = 0; tries < 10; tries++) await signsInWith(school, ada, `guess ${tries}`)
    expect(await signsInWith(school, ada, PASSWORD)).toBe(429)
    await follow(school, await linkFor(school, ada), NEW)
    expect(await signsInWith(school, ada, NEW)).toBe(303)
  })

  test('only a hash of the link is stored', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const token = new URLSearchParams((await linkFor(school, ada)).split('?')[1]).get('token') ?? ''
    const { rows } = await sql<{ row: string }>`
      select to_jsonb(r)::text as row from password_resets r`.execute(world.database.db)
    expect(rows.map(({ row }) => row).join()).not.toContain(token)
  })
})

test('the demo world prints the link in the log', async () => {
  const lines: string[] = []
  await logMailer({ info: (line) => lines.push(line) }).send({
    to: 'ada@demo.test',
    subject: 'Set a new password',
    text: 'http://localhost:3000/reset-password?token=sg_pr_abc',
  })
  expect(lines.join()).toContain('http://localhost:3000/reset-password?token=sg_pr_abc')
})

test('without mail, sign-in offers no link and the page says who can help', async () => {
  const bare = await aWorld()
  const school = await bare.aSchool()
  const visitor = new Visitor(bare, school)
  expect((await visitor.get('/sign-in')).body).not.toContain('/forgotten-password')
  expect((await visitor.get('/forgotten-password')).body).toContain('does not send email')
})

test('a password is stored as argon2id', async () => {
  expect(await hashPassword(NEW)).toMatch(/^\$argon2id\$/)
})
