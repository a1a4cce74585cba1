import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { startSession } from '../../../src/domain/people/sessions.ts'
import { signIn } from '../../../src/domain/people/sign-in.ts'
import { hashPassword } from '../../../src/foundation/crypto/password.ts'
import { logMailer, smtpMailer } from '../../../src/foundation/mail/mailer.ts'
import { verifies } from '../../spec/verifies.ts'
import { anOperator } from '../../support/admin-api.ts'
import { aSetup, ask, signedIn as consenting } from '../../support/authorization.ts'
import { type Answer, authorizeAs, hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aPair, exchange, refresh, userinfo } from '../../support/client-like.ts'
import { aMailBox, untilSent } from '../../support/mail-box.ts'
import { whileRowHeld } from '../../support/row-lock.ts'
import {
  aWorld,
  PASSWORD,
  type TestClient,
  type TestPerson,
  type TestSchool,
} from '../../support/world.ts'

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

  verifies(
    'pages.password.change-offers',
    'rotates this session, ends all others at every school, and tells the person by mail',
    async () => {
      const school = await world.aSchool()
      const elsewhere = await world.aSchool()
      const ada = await world.aMember(school)
      await world.aMember(elsewhere, ['student'], ada)
      const here = await signedIn(school, ada)
      const other = await signedIn(elsewhere, ada)
      const before = await sessionIds(ada)
      const changed = await change(here, { current_password: PASSWORD, new_password: NEW })
      expect(changed.statusCode).toBe(303)
      const mail = await mailBox.take(ada.email, 'was changed')
      expect(mail.text).toContain(`${school.origin}/forgotten-password`)
      expect((await here.follow(changed)).body).toContain('signed out everywhere else')
      const after = await sessionIds(ada)
      expect(after).toHaveLength(1)
      expect(before).not.toContain(after[0])
      expect((await other.get('/account')).statusCode).toBe(303)
      expect(await signsInWith(school, ada, PASSWORD)).toBe(401)
      expect(await signsInWith(school, ada, NEW)).toBe(303)
      const audited = await school.db
        .from('audit_entries')
        .select(['action', 'detail'])
        .where('actor_user_id', '=', ada.id)
        .where('action', 'not like', 'session.%')
        .execute()
      expect(audited).toEqual([
        { action: 'person.password_changed', detail: { by: 'current_password' } },
      ])
    },
  )

  verifies(
    'pages.password.change-offers',
    'offers to disconnect all apps, at every school, and keeps them otherwise',
    async () => {
      const school = await world.aSchool()
      const elsewhere = await world.aSchool()
      const ada = await world.aMember(school)
      await world.aMember(elsewhere, ['student'], ada)
      const client = await world.aPublicClient(elsewhere)
      const pair = await aPair(world, elsewhere, client, ada)
      const here = await signedIn(school, ada)
      await change(here, { current_password: PASSWORD, new_password: NEW })
      expect((await userinfo(world, elsewhere, pair.access_token)).statusCode).toBe(200)
      const page = await here.get('/account/password')
      expect(page.body).toMatch(/name="end_access"[^>]*checked/)
      const fields = { current_password: NEW, new_password: `${NEW} again`, end_access: 'yes' }
      const changed = await change(here, fields)
      expect((await here.follow(changed)).body).toContain('all apps were disconnected')
      expect((await userinfo(world, elsewhere, pair.access_token)).statusCode).toBe(401)
      expect((await refresh(world, elsewhere, client, pair.refresh_token)).statusCode).toBe(400)
      const audited = await elsewhere.db
        .from('audit_entries')
        .select(['actor_user_id', 'client_id', 'detail'])
        .where('action', '=', 'authorization.ended')
        .execute()
      expect(audited).toEqual([
        { actor_user_id: ada.id, client_id: client.clientId, detail: { by: 'new_password' } },
      ])
    },
  )

  for (const [what, password, words] of [
    ['too short', 'fourteen chars', 'Use at least 15'],
    ['too long', 'x'.repeat(1025), 'too long'],
    ['common', 'password12345678', 'guessed first'],
    ['a repetition', 'glimwort9!glimwort9!', 'repeats'],
    ['the name of the school', 'SCHOOL school 2026', 'made of'],
    ['missing', '', 'Enter a new password'],
  ] as const) {
    verifies('pages.password.rule', `refuses one that is ${what}`, async () => {
      const school = await world.aSchool()
      const ada = await world.aMember(school)
      const visitor = await signedIn(school, ada)
      const refused = await change(visitor, { current_password: PASSWORD, new_password: password })
      expect(refused.statusCode).toBe(400)
      expect(refused.body).toContain(words)
      expect(await signsInWith(school, ada, PASSWORD)).toBe(303)
    })
  }

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
  const mail = await mailBox.take(person.email, 'You asked')
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
  test('a link by mail sets a new one and ends every session, and the person is told', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const visitor = await signedIn(school, ada)
    expect((await new Visitor(world, school).get('/sign-in')).body).toContain('/forgotten-password')
    const set = await follow(school, await linkFor(school, ada), NEW)
    expect(set.statusCode).toBe(303)
    expect(set.headers.location).toBe('/sign-in?reset')
    await mailBox.take(ada.email, 'was changed')
    expect((await visitor.get('/account')).statusCode).toBe(303)
    expect(await signsInWith(school, ada, PASSWORD)).toBe(401)
    expect(await signsInWith(school, ada, NEW)).toBe(303)
  })

  verifies(
    'pages.password.reset-ends-all',
    'a new password by a link ends access tokens, refresh tokens, codes and running consents, at every school',
    async () => {
      const [school, elsewhere] = [await world.aSchool(), await world.aSchool()]
      const ada = await world.aMember(school, ['owner'])
      await world.aMember(elsewhere, ['student'], ada)
      const clients = [await world.aPublicClient(school), await world.aPublicClient(elsewhere)]
      const link = await linkFor(school, ada)
      const held = []
      for (const [place, at] of [school, elsewhere].entries()) {
        const client = clients[place] as TestClient
        const code = await authorizeAs(world, at, client, ada)
        held.push({ at, client, code, pair: await aPair(world, at, client, ada) })
      }
      const setup = { world, school: elsewhere, client: clients[1] as TestClient, person: ada }
      const running = await consenting(setup)
      const operator = await anOperator(world, school, { person: ada })
      expect((await follow(school, link, NEW)).statusCode).toBe(303)
      for (const { at, client, code, pair } of held) {
        expect((await userinfo(world, at, pair.access_token)).statusCode).toBe(401)
        expect((await refresh(world, at, client, pair.refresh_token)).statusCode).toBe(400)
        const late = await exchange(
          ...([world, at, client, code.get('code') ?? '', code.pkce?.verifier ?? ''] as const),
        )
        expect(late.json()).toMatchObject({ error: 'invalid_grant' })
      }
      expect((await operator.get('/members')).statusCode).toBe(401)
      const allowed = await running.visitor.decide(running.page, 'allow')
      expect(String(allowed.headers.location)).not.toContain('code=')
    },
  )

  verifies(
    'pages.password.reset-ends-all',
    'a thief who presses Allow while the link is being used gets no code',
    async () => {
      const setup = await aSetup(world)
      const { school, client, person } = setup
      const link = await linkFor(school, person)
      await aPair(world, school, client, person)
      const thief = await consenting(setup)
      const row = { lock: 'select from authorizations where user_id = $1 for update' }
      let allowing: Promise<Answer> | undefined
      // The transaction of the new password has begun, and waits with the session already deleted.
      const set = await whileRowHeld(
        world.database.connection,
        { ...row, id: person.id },
        () => follow(school, link, NEW),
        async (waiting) => {
          await waiting(1)
          allowing = thief.visitor.decide(thief.page, 'allow')
          await waiting(2)
        },
      )
      expect(set.statusCode).toBe(303)
      const allowed = await allowing
      expect(allowed?.statusCode).toBe(303)
      expect(allowed?.headers.location).toMatch(/^\/sign-in\?request=/)
      const codes = await school.db
        .from('authorization_codes')
        .select('id')
        .where('consumed_at', 'is', null)
        .execute()
      expect(codes).toEqual([])
    },
  )

  test('a sign-in with the old password that is being checked meanwhile gets no session', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const key = world.context.keyring.key('sign-in-throttle')
    const attempt = { email: ada.email, password: PASSWORD, address: '192.0.2.9' }
    const proven = await signIn(world.database.db, key, { ...attempt, schoolId: school.id })
    if (proven.kind !== 'signed_in') throw new Error(proven.kind)
    expect((await follow(school, await linkFor(school, ada), NEW)).statusCode).toBe(303)
    expect(await startSession(school.db, proven, 'late')).toBeUndefined()
    expect(await sessionIds(ada)).toEqual([])
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
    await mailBox.take(email)
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
    const elsewhere = await world.aSchool()
    await world.aMember(elsewhere, ['student'], ada)
    const first = await linkFor(elsewhere, ada)
    const second = await linkFor(school, ada)
    expect((await follow(school, second, NEW)).statusCode).toBe(303)
    expect((await follow(elsewhere, first, 'yet another one of those')).statusCode).toBe(400)
  })

  test('two links that are used at the same moment do not wait for each other', async () => {
    const school = await world.aSchool()
    const elsewhere = await world.aSchool()
    const ada = await world.aMember(school)
    await world.aMember(elsewhere, ['student'], ada)
    const links = [await linkFor(school, ada), await linkFor(elsewhere, ada)] as const
    const answers = await Promise.all([
      follow(school, links[0], NEW),
      follow(elsewhere, links[1], `${NEW} 2`),
    ])
    expect(answers.map((answer) => answer.statusCode).sort()).toEqual([303, 400])
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
    await mailBox.take(ada.email)
    const unknown = await forget(school, 'unknown@people.test')
    for (const part of ['statusCode', 'body'] as const) expect(unknown[part]).toEqual(known[part])
    expect(unknown.headers.location).toBe(known.headers.location)
  })

  test('repeated requests are throttled, for known and unknown accounts, and lead to one mail', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    for (const email of [ada.email, 'unknown-again@people.test']) {
      for (let tries = 0; tries < 3; tries++) {
        expect((await forget(school, email)).statusCode).toBe(303)
      }
      expect((await forget(school, email)).statusCode).toBe(429)
    }
    await untilSent(world)
    expect(mailBox.waitingFor(ada.email)).toHaveLength(1)
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
    html: '<p>The same.</p>',
    id: 'one',
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
