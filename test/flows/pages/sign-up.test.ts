import { describe, expect, test } from 'vitest'
import { addMember } from '../../../src/domain/people/member-roles.ts'
import { schoolSignUpCounter } from '../../../src/domain/people/sign-in-counters.ts'
import { smtpMailer } from '../../../src/foundation/mail/mailer.ts'
import { ask } from '../../support/authorization.ts'
import { type Answer, hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aMailBox, untilSent } from '../../support/mail-box.ts'
import { anOwner, signedIn, submit } from '../../support/operator-like.ts'
import { aCountedWorld } from '../../support/request-costs.ts'
import { aWorld, PASSWORD, type TestPerson, type TestSchool } from '../../support/world.ts'

const mailBox = await aMailBox()
const mailer = smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>')
const world = await aWorld({ mailer })
const { world: counted, costs } = await aCountedWorld({ mailer })
const CHOSEN = 'nine lanterns and a crow'
const NAME = 'Grace Example'
let made = 0

const newEmail = () => `new${++made}@people.test`
const openSchool = () => world.aSchool({ signUp: true })

async function askToSignUp(
  school: TestSchool,
  email: string,
  visitor = new Visitor(world, school),
  name = NAME,
): Promise<Answer> {
  return await submit(visitor, '/sign-up', '/sign-up', { name, email })
}

async function linkFor(school: TestSchool, email: string, visitor?: Visitor): Promise<string> {
  expect((await askToSignUp(school, email, visitor)).statusCode).toBe(303)
  const { text } = await mailBox.take(email, school.origin)
  const link = /\/sign-up\/finish\?link=\S+/.exec(text)?.[0]
  if (link === undefined) throw new Error(`no link in ${text}`)
  return link
}

const finish = (visitor: Visitor, link: string, fields: Record<string, string> = {}) =>
  submit(visitor, link, '/sign-up/finish', { name: NAME, new_password: CHOSEN, ...fields })

const accountOf = (email: string) =>
  world.database.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()

const memberAt = (school: TestSchool, userId: string) =>
  school.db
    .from('school_members')
    .select(['roles', 'signed_in_at'])
    .where('user_id', '=', userId)
    .executeTakeFirst()

const add = (school: TestSchool, email: string) =>
  school.db.transaction((tx) =>
    addMember(tx, { email, name: 'As typed', roles: ['lecturer'] }, { via: 'admin_area' }),
  )

async function signsInWith(school: TestSchool, email: string, password: string): Promise<number> {
  const visitor = new Visitor(world, school)
  const fields = { email, password }
  return (await submit(visitor, '/sign-in', '/sign-in', fields)).statusCode
}

describe('signing up', () => {
  test('a link by mail makes the account, the role of a student and a session; before it there is nothing', async () => {
    const school = await openSchool()
    const email = newEmail()
    const visitor = new Visitor(world, school)
    expect((await visitor.get('/sign-in')).body).toContain('href="/sign-up"')
    const asked = await askToSignUp(school, email, visitor)
    expect((await visitor.follow(asked)).body).toContain('Check your email')
    await untilSent(world)
    expect(await accountOf(email)).toBeUndefined()
    const { text, html } = await mailBox.take(email)
    expect(text).not.toContain(NAME)
    expect(html).not.toContain(NAME)
    const link = /\/sign-up\/finish\?link=\S+/.exec(text)?.[0] ?? ''
    expect((await visitor.get(link)).body).toContain(`value="${NAME}"`)
    const done = await finish(visitor, link, { name: 'Grace Murray' })
    expect(done.headers.location).toBe('/account')
    const account = await accountOf(email)
    expect(account).toMatchObject({ name: 'Grace Murray' })
    const member = await memberAt(school, account?.id ?? '')
    expect(member).toMatchObject({ roles: ['student'], signed_in_at: expect.any(Date) })
    expect((await visitor.get('/account')).body).toContain(email)
    // The first sign-in of a person is no news to them.
    await untilSent(world)
    expect(mailBox.waitingFor(email)).toEqual([])
    expect(await signsInWith(school, email, CHOSEN)).toBe(303)
    const audited = await school.db
      .from('audit_entries')
      .select(['action', 'actor_user_id', 'detail'])
      .where('action', '=', 'person.signed_up')
      .execute()
    expect(audited).toEqual([
      { action: 'person.signed_up', actor_user_id: account?.id, detail: { by: 'mail_link' } },
    ])
  })

  test('the app that waits goes on, in the browser that asked', async () => {
    const school = await openSchool()
    const client = await world.aPublicClient(school)
    const visitor = new Visitor(world, school)
    const page = await visitor.follow(
      await ask({ world, school, client, person: { id: '', email: '', name: '' } }, {}, visitor),
    )
    const way = /href="(\/sign-up\?request=[^"]*)"/.exec(page.body)?.[1] ?? ''
    const email = newEmail()
    const asked = await submit(visitor, way, '/sign-up', { name: NAME, email })
    expect((await visitor.follow(asked)).body).toContain('continue to the app')
    const { text } = await mailBox.take(email)
    const link = /\/sign-up\/finish\?link=\S+/.exec(text)?.[0] ?? ''
    const consent = await visitor.follow(await finish(visitor, link))
    const allowed = await visitor.decide(consent, 'allow')
    expect(allowed.headers.location).toMatch(/^http:\/\/127\.0\.0\.1\/callback\?code=/)
  })

  test('a stranger who types the address of another person cannot lead them to an app that the stranger chose', async () => {
    const school = await openSchool()
    const client = await world.aPublicClient(school)
    const stranger = new Visitor(world, school)
    const nobody = { id: '', email: '', name: '' }
    const page = await stranger.follow(
      await ask({ world, school, client, person: nobody }, {}, stranger),
    )
    const way = /href="(\/sign-up\?request=[^"]*)"/.exec(page.body)?.[1] ?? ''
    const email = newEmail()
    await submit(stranger, way, '/sign-up', { name: 'Click evil.example now', email })
    const { text, html } = await mailBox.take(email)
    expect(text + html).not.toContain('evil')
    const link = /\/sign-up\/finish\?link=\S+/.exec(text)?.[0] ?? ''
    const done = await finish(new Visitor(world, school), link)
    expect(done.headers.location).toBe('/account')
  })

  test.each([
    [{ name: '' }, 'name-error'],
    [{ email: 'nobody' }, 'email-error'],
    [{ email: 'two@people.test, three@people.test' }, 'email-error'],
  ])('a form with %j says what is wrong, and sends nothing', async (fields, id) => {
    const school = await openSchool()
    const typed = { name: NAME, email: newEmail(), ...fields }
    const refused = await submit(new Visitor(world, school), '/sign-up', '/sign-up', typed)
    expect(refused.statusCode).toBe(400)
    expect(refused.body).toContain(`id="${id}"`)
    const { rows } = await world.database.pool.query(
      'select 1 from outgoing_mails where school_id = $1',
      [school.id],
    )
    expect(rows).toEqual([])
  })

  test('the rules for passwords and names hold, and the link still works afterwards', async () => {
    const school = await openSchool()
    const visitor = new Visitor(world, school)
    const email = newEmail()
    const link = await linkFor(school, email)
    const short = await finish(visitor, link, { new_password: 'fourteen chars' })
    expect([short.statusCode, short.body.includes('Use at least 15')]).toEqual([400, true])
    const nameless = await finish(visitor, link, { name: ' ' })
    expect([nameless.statusCode, nameless.body.includes('Enter your name.')]).toEqual([400, true])
    expect(await accountOf(email)).toBeUndefined()
    expect((await finish(visitor, link)).statusCode).toBe(303)
  })

  test('without mail the page says so, and sign-in does not offer it', async () => {
    const bare = await aWorld()
    const school = await bare.aSchool({ signUp: true })
    const visitor = new Visitor(bare, school)
    expect((await visitor.get('/sign-in')).body).not.toContain('/sign-up')
    expect((await visitor.get('/sign-up')).body).toContain('does not send email')
  })
})

describe('where sign-up is off', () => {
  test('every page of it is 404, its links end, and no other page names it', async () => {
    const school = await openSchool()
    const email = newEmail()
    const link = await linkFor(school, email)
    const visitor = new Visitor(world, school)
    const fields = hiddenFields((await visitor.get(link)).body, '/sign-up/finish')
    await world.database.db
      .updateTable('schools')
      .set({ sign_up: false })
      .where('id', '=', school.id)
      .execute()
    world.context.directory.forget(school.id)
    expect((await visitor.get('/sign-in')).body).not.toContain('/sign-up')
    for (const path of ['/sign-up', link]) {
      const answer = await visitor.get(path)
      expect([answer.statusCode, answer.body.includes('does not let people sign up')]).toEqual([
        404,
        true,
      ])
    }
    for (const path of ['/sign-up', '/sign-up/join', '/sign-up/finish']) {
      const sent = await visitor.post(path, { ...fields, name: NAME, email, new_password: CHOSEN })
      expect(sent.statusCode, path).toBe(404)
    }
    expect(await accountOf(email)).toBeUndefined()
  })

  test('the answer needs no statement', async () => {
    const visitor = new Visitor(counted, await counted.aSchool())
    await visitor.get('/')
    const [answered] = await costs.of(() => visitor.get('/sign-up'))
    expect(answered).toMatchObject({ isRefused: true, statements: [] })
  })

  test('an owner switches it on and off in the settings; it is off by default, and no API names it', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    expect((await owner.get('/sign-up')).statusCode).toBe(404)
    const switchTo = (fields: Record<string, string>) =>
      submit(owner, '/admin/settings', '/admin/settings/sign-up', fields)
    expect((await owner.follow(await switchTo({ sign_up: 'on' }))).body).toContain('Sign-up is on')
    expect((await new Visitor(world, school).get('/sign-up')).statusCode).toBe(200)
    for (const path of ['/.well-known/openid-configuration', '/openapi.json', '/auth.md']) {
      const { statusCode, body } = await owner.get(path)
      expect([statusCode, /sign.?up/i.test(body)], path).toEqual([200, false])
    }
    expect((await owner.follow(await switchTo({}))).body).toContain('Sign-up is off')
    expect((await new Visitor(world, school).get('/sign-up')).statusCode).toBe(404)
    const student = await signedIn(world, school, await world.aMember(school))
    const token = hiddenFields((await student.get('/account')).body, '/sign-out')
    const forged = await student.post('/admin/settings/sign-up', { ...token, sign_up: 'on' })
    expect(forged.statusCode).toBe(403)
  })
})

describe('who has an account', () => {
  test('does not show in the answer, the page or the statements of a request', async () => {
    const [school, home] = [await counted.aSchool({ signUp: true }), await counted.aSchool()]
    const costOf = async (email: string) => {
      const visitor = new Visitor(counted, school)
      await visitor.get('/sign-up')
      let sent: Answer | undefined
      const requests = await costs.of(async () => {
        sent = await submit(visitor, '/sign-up', '/sign-up', { name: NAME, email })
      })
      const page = await visitor.follow(sent as Answer)
      await untilSent(counted)
      return [sent?.statusCode, sent?.headers.location, page.body, requests]
    }
    await costOf(newEmail())
    const unknown = await costOf(newEmail())
    expect(unknown[0]).toBe(303)
    expect(await costOf((await counted.aMember(school)).email)).toEqual(unknown)
    expect(await costOf((await counted.aMember(home)).email)).toEqual(unknown)
  })

  test('a person with a role here gets a mail that leads to sign-in, and no link', async () => {
    const school = await openSchool()
    const ada = await world.aMember(school)
    await askToSignUp(school, ada.email)
    const { text } = await mailBox.take(ada.email)
    expect(text).toContain('You already have one')
    expect(text).toContain(`${school.origin}/sign-in`)
    expect(text).toContain(`${school.origin}/forgotten-password`)
    expect(text).not.toContain('link=')
  })

  test('a person of another school signs in and joins with their own account, by a button', async () => {
    const [school, home] = [await openSchool(), await world.aSchool()]
    const ada = await world.aMember(home)
    await askToSignUp(school, ada.email)
    const { text } = await mailBox.take(ada.email)
    expect(text).toContain(`${school.origin}/sign-in?return_to=%2Fsign-up`)
    expect(text).toContain(`${home.origin}/forgotten-password`)
    expect(text).not.toContain('link=')
    const visitor = new Visitor(world, school)
    const page = await visitor.get('/sign-in?return_to=%2Fsign-up')
    const joining = await visitor.follow(await visitor.signIn(page, ada))
    expect(joining.body).toContain('Join as a student')
    expect(await memberAt(school, ada.id)).toBeUndefined()
    expect((await submit(visitor, '/sign-up', '/sign-up/join')).headers.location).toBe('/account')
    expect(await memberAt(school, ada.id)).toMatchObject({ roles: ['student'] })
    expect(await memberAt(home, ada.id)).toMatchObject({ roles: ['student'] })
    // Who has a role is sent on.
    expect((await visitor.get('/sign-up')).headers.location).toBe('/account')
  })

  test('a person without a role whom an app sends joins, and the app goes on', async () => {
    const [school, home] = [await openSchool(), await world.aSchool()]
    const ada = await world.aMember(home)
    const client = await world.aPublicClient(school)
    const visitor = new Visitor(world, school)
    const page = await visitor.follow(
      await ask({ world, school, client, person: ada }, {}, visitor),
    )
    const refused = await visitor.follow(await visitor.signIn(page, ada))
    const way = /href="(\/sign-up\?request=[^"]*)"/.exec(refused.body)?.[1] ?? ''
    const consent = await visitor.follow(await submit(visitor, way, '/sign-up/join'))
    expect((await visitor.decide(consent, 'allow')).headers.location).toContain('code=')
  })

  test('a person whom a school only added chooses the password of that account, and keeps the role', async () => {
    const [school, other] = [await openSchool(), await world.aSchool()]
    const email = newEmail()
    const userId = await add(school, email)
    await add(other, email)
    expect(
      (await finish(new Visitor(world, school), await linkFor(school, email))).statusCode,
    ).toBe(303)
    expect(await accountOf(email)).toMatchObject({ id: userId, name: NAME })
    expect(await memberAt(school, userId)).toMatchObject({ roles: ['lecturer'] })
    expect(await memberAt(other, userId)).toEqual({ roles: ['lecturer'], signed_in_at: null })
    expect(await signsInWith(other, email, CHOSEN)).toBe(303)
  })
})

describe('an attacker', () => {
  const expectUntouched = async (victim: TestPerson, home: TestSchool) => {
    expect(await signsInWith(home, victim.email, PASSWORD)).toBe(303)
    expect(await signsInWith(home, victim.email, CHOSEN)).toBe(401)
    expect(await accountOf(victim.email)).toMatchObject({ id: victim.id, name: victim.name })
  }

  test('who runs a school switches sign-up on to take over a known account: gets no link, and gives no role', async () => {
    const [home, hostile] = [await world.aSchool(), await openSchool()]
    const victim = await world.aMember(home, ['owner'])
    await askToSignUp(hostile, victim.email)
    const { text } = await mailBox.take(victim.email)
    const links = (text.match(/https?:\/\/\S+/g) ?? []).filter((url) =>
      url.startsWith(hostile.origin),
    )
    expect(links).toEqual([`${hostile.origin}/sign-in?return_to=%2Fsign-up`])
    expect(await memberAt(hostile, victim.id)).toBeUndefined()
    await expectUntouched(victim, home)
  })

  test('keeps a link until the address has an account with a password: the account stays untouched', async () => {
    const [home, hostile] = [await world.aSchool(), await openSchool()]
    const email = newEmail()
    const link = await linkFor(hostile, email)
    const userId = await add(home, email)
    const { password_hash } =
      (await accountOf((await world.aMember(home)).email)) ?? ({} as { password_hash: null })
    await world.database.db
      .updateTable('users')
      .set({ password_hash, password_changed_at: new Date(), name: 'Her Name' })
      .where('id', '=', userId)
      .execute()
    const refused = await finish(new Visitor(world, hostile), link)
    expect([refused.statusCode, refused.body.includes('You have an account')]).toEqual([400, true])
    await expectUntouched({ id: userId, email, name: 'Her Name' }, home)
    expect(await memberAt(hostile, userId)).toBeUndefined()
  })

  test('uses a link twice, one after another or at the same moment: it makes one account', async () => {
    const school = await openSchool()
    const email = newEmail()
    const link = await linkFor(school, email)
    const passwords = [CHOSEN, `${CHOSEN} too`]
    const tries = await Promise.all(
      passwords.map((next) => finish(new Visitor(world, school), link, { new_password: next })),
    )
    expect(tries.map(({ statusCode }) => statusCode).sort()).toEqual([303, 400])
    expect((await finish(new Visitor(world, school), link)).statusCode).toBe(400)
    const works = await Promise.all(passwords.map((next) => signsInWith(school, email, next)))
    expect(works.sort()).toEqual([303, 401])
  })

  test('presents the link of another school, a changed one or none: 400', async () => {
    const [school, other] = [await openSchool(), await openSchool()]
    const link = await linkFor(school, newEmail())
    const token = link.split('link=')[1] ?? ''
    const form = hiddenFields((await new Visitor(world, school).get(link)).body, '/sign-up/finish')
    for (const [at, presented] of [
      [other, token],
      [school, `${token.slice(0, -2)}AA`],
      [school, ''],
    ] as const) {
      const visitor = new Visitor(world, at)
      expect((await visitor.get(`/sign-up/finish?link=${presented}`)).statusCode).toBe(400)
      const page = await visitor.get('/sign-up')
      const fields = { ...hiddenFields(page.body, '/sign-up'), link: presented, name: NAME }
      const sent = await visitor.post('/sign-up/finish', { ...fields, new_password: CHOSEN })
      expect(sent.statusCode).toBe(400)
    }
    expect(form.link).toBe(token)
  })

  test('is a mail scanner that opens the link: nothing is made and the link still works', async () => {
    const school = await openSchool()
    const email = newEmail()
    const link = await linkFor(school, email)
    for (let time = 0; time < 3; time++) await new Visitor(world, school).get(link)
    expect(await accountOf(email)).toBeUndefined()
    expect((await finish(new Visitor(world, school), link)).statusCode).toBe(303)
  })

  test('forges the forms from another site: refused', async () => {
    const [school, home] = [await openSchool(), await world.aSchool()]
    const visitor = await signedIn(world, school, await world.aMember(home))
    const fields = hiddenFields((await visitor.get('/sign-up')).body, '/sign-up/join')
    const evil = { origin: 'https://evil.example' }
    expect((await visitor.post('/sign-up/join', fields, evil)).statusCode).toBe(403)
    expect((await visitor.post('/sign-up/join', {})).statusCode).toBe(403)
    const stranger = new Visitor(world, school)
    const email = newEmail()
    expect((await stranger.post('/sign-up', { name: NAME, email })).statusCode).toBe(403)
  })

  test('asks again and again: 429 for known and unknown addresses alike, and one mail', async () => {
    const school = await openSchool()
    const ada = await world.aMember(school)
    for (const email of [ada.email, newEmail()]) {
      for (let tries = 0; tries < 3; tries++) {
        expect((await askToSignUp(school, email)).statusCode).toBe(303)
      }
      const refused = await askToSignUp(school, email)
      expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, expect.anything()])
      await untilSent(world)
      expect(mailBox.waitingFor(email)).toHaveLength(1)
    }
  })

  test('floods sign-up with addresses: its mails end at a limit of their own, and a forgotten password still gets its link', async () => {
    const school = await openSchool()
    const ada = await world.aMember(school)
    const limit = schoolSignUpCounter(world.context.keyring.key('sign-in-throttle'), school.id)
    expect(limit.failures).toBe(500)
    await world.database.pool.query(
      "insert into sign_in_throttles values ($1, $2, now() + interval '1 hour')",
      [limit.bucket, limit.failures],
    )
    const email = newEmail()
    await askToSignUp(school, email)
    await untilSent(world)
    expect(mailBox.waitingFor(email)).toEqual([])
    const fields = { email: ada.email }
    await submit(new Visitor(world, school), '/forgotten-password', '/forgotten-password', fields)
    expect((await mailBox.take(ada.email)).text).toContain('/reset-password?token=')
  })

  test('reads the database while a mail waits: its link is not there', async () => {
    const tried: string[] = []
    const flaky = await aWorld({
      mailer: {
        async send({ text }) {
          tried.push(text)
          throw new Error('the mail server is away')
        },
      },
    })
    const school = await flaky.aSchool({ signUp: true })
    const typed = { name: NAME, email: newEmail() }
    await submit(new Visitor(flaky, school), '/sign-up', '/sign-up', typed)
    await expect.poll(() => tried).toHaveLength(1)
    const link = /link=(\S+)/.exec(tried[0] ?? '')?.[1] ?? 'none'
    const { rows } = await flaky.database.pool.query('select t::text as row from outgoing_mails t')
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(link)
  })
})

test('the home of a school offers it where it is on, and to nobody who is signed in', async () => {
  const [on, off] = [await world.aSchool({ signUp: true }), await world.aSchool()]
  const offers = async (visitor: Visitor) =>
    (await visitor.get('/')).body.includes('href="/sign-up"')
  expect(await offers(new Visitor(world, on))).toBe(true)
  expect(await offers(new Visitor(world, off))).toBe(false)
  expect(await offers(await signedIn(world, on, await world.aMember(on)))).toBe(false)
})
