import { beforeAll, describe, expect, test } from 'vitest'
import { queueNotice } from '../../../src/domain/people/notices.ts'
import { smtpMailer } from '../../../src/foundation/mail/mailer.ts'
import { authorizeAs, hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aPair, refresh, userinfo } from '../../support/client-like.ts'
import { aMailBox, untilSent } from '../../support/mail-box.ts'
import { signedIn, submit, submitAtOnce } from '../../support/operator-like.ts'
import { addPasskey, PasskeyDevice } from '../../support/passkey-device.ts'
import { aWorld, PASSWORD, type TestPerson, type TestSchool } from '../../support/world.ts'

const mailBox = await aMailBox()
const world = await aWorld({ mailer: smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>') })
const NEW = 'a much better password'
const NOT_ME = '/not-me'
let home: TestSchool

beforeAll(async () => {
  home = await world.aSchool()
})

const linkIn = (text: string, school: TestSchool) =>
  new RegExp(`${school.origin}(/not-me\\?token=\\S+)`).exec(text)?.[1]

/** Signs in with a new browser, as a thief would, and takes the link in the mail about it. */
async function noticed(person: TestPerson, at = home): Promise<{ thief: Visitor; link: string }> {
  const thief = await signedIn(world, at, person)
  const { text } = await mailBox.take(person.email, 'a browser that is new')
  const link = linkIn(text, home)
  if (link === undefined) throw new Error(`no link in ${text}`)
  return { thief, link }
}

async function mailsTo(person: TestPerson): Promise<readonly string[]> {
  await untilSent(world)
  return mailBox.waitingFor(person.email).map(({ text }) => text)
}

const canSignIn = async (person: TestPerson, password: string, at = home) => {
  const visitor = new Visitor(world, at)
  const answer = await visitor.signIn(await visitor.get('/sign-in'), person, password)
  return answer.statusCode === 303
}

const isSignedIn = async (visitor: Visitor) => (await visitor.get('/account')).statusCode === 200

describe('a mail about a new browser', () => {
  test('comes at a sign-in with a browser that never signed in to the account, and names its kind', async () => {
    const ada = await world.aMember(home)
    const visitor = new Visitor(world, home)
    const hidden = hiddenFields((await visitor.get('/sign-in')).body, '/sign-in')
    const fields = { ...hidden, email: ada.email, password: PASSWORD }
    await visitor.post('/sign-in', fields, { 'user-agent': 'Firefox/140.0 (Windows NT 10.0)' })
    const { text, html } = await mailBox.take(ada.email, 'a browser that is new')
    expect(text).toContain('Firefox on Windows')
    expect(text).toContain(`It was at School ${home.subdomain}.`)
    expect(html).toContain(`href="${home.origin}${NOT_ME}?token=sg_nm_`)
    // The same browser signs in again.
    await submit(visitor, '/account', '/sign-out')
    await visitor.signIn(await visitor.get('/sign-in'), ada)
    expect(await mailsTo(ada)).toEqual([])
    const history = await visitor.get('/account/history')
    expect(history.body).toContain('You signed in with a new browser: Firefox on Windows')
  })

  test('does not come at the first sign-in of all', async () => {
    const ada = await world.aPerson()
    await home.db.insert('school_members', { user_id: ada.id, roles: ['student'] }).execute()
    await signedIn(world, home, ada)
    expect(await mailsTo(ada)).toEqual([])
    await signedIn(world, home, ada)
    expect(await mailsTo(ada)).toHaveLength(1)
  })

  test('comes five times an hour at most', async () => {
    const ada = await world.aMember(home)
    for (let browsers = 0; browsers < 8; browsers++) await signedIn(world, home, ada)
    expect(await mailsTo(ada)).toHaveLength(5)
  })

  test('comes from the school of the person if a thief signs in at another one, also at one of their own', async () => {
    const ada = await world.aMember(home)
    const hostile = await world.aSchool()
    await hostile.db.insert('school_members', { user_id: ada.id, roles: ['owner'] }).execute()
    await signedIn(world, hostile, ada)
    const { text } = await mailBox.take(ada.email)
    expect(linkIn(text, home)).toBeDefined()
    expect(text).toContain(`It was at School ${hostile.subdomain}. This email comes from`)
    expect(text).not.toContain(hostile.origin)
    expect(await mailsTo(ada)).toEqual([])
  })

  test('is sent by no school that only gave the person a role', async () => {
    const eve = await world.aPerson()
    const [first, second] = [await world.aSchool(), await world.aSchool()]
    for (const { db } of [first, second]) {
      await db.insert('school_members', { user_id: eve.id, roles: ['student'] }).execute()
    }
    await queueNotice(first.db, 'passkey_added', eve)
    await signedIn(world, await world.aSchool(), eve)
    expect(await mailsTo(eve)).toEqual([])
  })

  test('a hostile school gets no link to its own host by asking for a notice about a person who never signed in there', async () => {
    const ada = await world.aMember(home)
    const hostile = await world.aSchool()
    await hostile.db.insert('school_members', { user_id: ada.id, roles: ['student'] }).execute()
    await world.database.db
      .insertInto('outgoing_mails')
      .values({
        id: crypto.randomUUID(),
        school_id: hostile.id,
        kind: 'account_notice',
        email: ada.email,
        facts: JSON.stringify({ what: 'new_browser', device: '', isHere: true }),
      })
      .execute()
    await submit(new Visitor(world, home), '/forgotten-password', '/forgotten-password', {
      email: 'nobody@people.test',
    })
    expect(await mailsTo(ada)).toEqual([])
  })
})

describe('a mail about a passkey', () => {
  const path = '/account/passkeys'

  test('comes when one is added and when one is removed, from the school of the person, and its link ends everything', async () => {
    const ada = await world.aMember(home)
    const other = await world.aSchool()
    const thief = await signedIn(world, other, ada)
    await mailBox.take(ada.email, 'a browser that is new')
    await addPasskey(thief, new PasskeyDevice(other.origin))
    const { text, html } = await mailBox.take(ada.email, 'A passkey was added')
    expect(text).toContain(`It was at School ${other.subdomain}. This email comes from`)
    expect(html).toContain(`href="${home.origin}${NOT_ME}?token=sg_nm_`)
    const remove = /action="([^"]*\/remove)"/.exec((await thief.get(path)).body)?.[1] ?? ''
    expect((await submit(thief, path, remove)).headers.location).toBe(`${path}?done=removed`)
    const removed = await mailBox.take(ada.email, 'passkey of your account was removed')
    expect(await mailsTo(ada)).toEqual([])
    const link = linkIn(removed.text, home) ?? ''
    expect((await submit(new Visitor(world, home), link, NOT_ME)).statusCode).toBe(303)
    expect(await isSignedIn(thief)).toBe(false)
  })

  test('does not come when none was added or removed', async () => {
    const ada = await world.aMember(home)
    const visitor = await signedIn(world, home, ada)
    await mailBox.take(ada.email, 'a browser that is new')
    const device = new PasskeyDevice(home.origin)
    await addPasskey(visitor, device)
    await mailBox.take(ada.email, 'A passkey was added')
    const remove = /action="([^"]*\/remove)"/.exec((await visitor.get(path)).body)?.[1] ?? ''
    const form = hiddenFields((await visitor.get(path)).body, remove)
    const unknown = remove.replace(/[0-9a-f-]{36}/, crypto.randomUUID())
    expect((await visitor.post(unknown, form)).headers.location).toBe(`${path}?done=unknown`)
    expect(await mailsTo(ada)).toEqual([])
  })
})

describe('the link “it was not me”', () => {
  test('changes nothing when it is opened, by a person or by a program that checks mails', async () => {
    const ada = await world.aMember(home)
    const { thief, link } = await noticed(ada)
    for (let times = 0; times < 3; times++) {
      const page = await new Visitor(world, home).get(link)
      expect(page.statusCode).toBe(200)
      expect(page.body).toContain('Was it not you?')
    }
    expect(await isSignedIn(thief)).toBe(true)
    expect(await canSignIn(ada, PASSWORD)).toBe(true)
  })

  test('ends sessions, apps and the password at every school, once, and mails a link for a new password', async () => {
    const ada = await world.aMember(home)
    const elsewhere = await world.aSchool()
    await world.aMember(elsewhere, ['student'], ada)
    const client = await world.aPublicClient(elsewhere)
    const pair = await aPair(world, elsewhere, client, ada)
    const other = await noticed(ada)
    const { thief, link } = await noticed(ada)
    const far = await signedIn(world, elsewhere, ada)
    const own = new Visitor(world, home)
    const done = await submit(own, link, NOT_ME)
    expect((await own.follow(done)).body).toContain('Everything has ended')
    expect([await isSignedIn(thief), await isSignedIn(far)]).toEqual([false, false])
    expect((await userinfo(world, elsewhere, pair.access_token)).statusCode).toBe(401)
    expect((await refresh(world, elsewhere, client, pair.refresh_token)).statusCode).toBe(400)
    expect(await canSignIn(ada, PASSWORD)).toBe(false)
    for (const used of [link, other.link]) {
      expect((await own.get(used)).statusCode).toBe(400)
    }
    const { text } = await mailBox.take(ada.email, 'no longer works')
    const reset = new RegExp(`${home.origin}(/reset-password\\?token=\\S+)`).exec(text)?.[1] ?? ''
    const chosen = await submit(own, reset, '/reset-password', { new_password: NEW })
    expect(chosen.statusCode).toBe(303)
    expect(await canSignIn(ada, NEW)).toBe(true)
    const { body } = await (await signedIn(world, home, { ...ada, password: NEW })).get(
      '/account/history',
    )
    expect(body).toContain('You said that it was not you, and everything ended')
  })

  test('stops a change of the email address that a thief has asked for', async () => {
    const ada = await world.aMember(home)
    const { thief, link } = await noticed(ada)
    const asked = { new_email: 'thief@people.test' }
    expect((await submit(thief, '/account/email', '/account/email', asked)).statusCode).toBe(303)
    const open = () =>
      world.database.db
        .selectFrom('email_changes')
        .select('new_email')
        .where('user_id', '=', ada.id)
        .where('ended_at', 'is', null)
        .execute()
    expect(await open()).toEqual([{ new_email: 'thief@people.test' }])
    await submit(new Visitor(world, home), link, NOT_ME)
    expect(await open()).toEqual([])
  })

  test('cancels a deletion of the account that a thief has asked for', async () => {
    const ada = await world.aMember(home)
    const { thief, link } = await noticed(ada)
    const asked = { part: 'account', confirm_name: ada.email }
    expect((await submit(thief, '/account/delete', '/account/delete', asked)).statusCode).toBe(303)
    const waiting = () =>
      world.database.db
        .selectFrom('deletion_requests')
        .select('user_id')
        .where('user_id', '=', ada.id)
        .execute()
    expect(await waiting()).toHaveLength(1)
    await submit(new Visitor(world, home), link, NOT_ME)
    expect(await waiting()).toEqual([])
  })

  test('leaves an account that counts as one with a password, so that no school can send a link by giving a role', async () => {
    const ada = await world.aMember(home)
    const { link } = await noticed(ada)
    const own = new Visitor(world, home)
    expect((await submit(own, link, NOT_ME)).statusCode).toBe(303)
    const hostile = await world.aSchool()
    await hostile.db.insert('school_members', { user_id: ada.id, roles: ['owner'] }).execute()
    await submit(new Visitor(world, hostile), '/forgotten-password', '/forgotten-password', {
      email: ada.email,
    })
    const texts = await mailsTo(ada)
    expect(texts.filter((text) => text.includes(`${hostile.origin}/reset-password`))).toEqual([])
  })

  test('is refused when two requests use it at once', async () => {
    const ada = await world.aMember(home)
    const { link } = await noticed(ada)
    const visits = [1, 2].map(() => [new Visitor(world, home), link] as const)
    const answers = await submitAtOnce(visits, NOT_ME)
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([303, 400])
  })

  test.each([
    ['of another school', (token: string) => token, 'elsewhere'],
    ['with a letter changed', (token: string) => `${token.slice(0, -1)}x`, 'home'],
    ['of another kind', (token: string) => token.replace('sg_nm_', 'sg_pr_'), 'home'],
    ['that is empty', () => '', 'home'],
  ] as const)('is refused if it is one %s', async (_, alter, place) => {
    const ada = await world.aMember(home)
    const { link, thief } = await noticed(ada)
    const elsewhere = await world.aSchool()
    await world.aMember(elsewhere, ['student'], ada)
    const visitor = new Visitor(world, place === 'home' ? home : elsewhere)
    const token = alter(new URL(link, home.origin).searchParams.get('token') ?? '')
    expect((await visitor.get(`${NOT_ME}?token=${token}`)).statusCode).toBe(400)
    const fields = hiddenFields((await visitor.get('/sign-in')).body, '/sign-in')
    expect((await visitor.post(NOT_ME, { ...fields, token })).statusCode).toBe(400)
    expect(await isSignedIn(thief)).toBe(true)
  })

  test('is refused after a week', async () => {
    const ada = await world.aMember(home)
    const { link } = await noticed(ada)
    await world.database.pool.query(
      "update notice_links set expires_at = now() - interval '1 minute' where user_id = $1",
      [ada.id],
    )
    expect((await new Visitor(world, home).get(link)).body).toContain('This link has expired')
  })

  test('cannot be sent by another site, which would need the form of this browser', async () => {
    const ada = await world.aMember(home)
    const { link, thief } = await noticed(ada)
    const own = new Visitor(world, home)
    const fields = hiddenFields((await own.get(link)).body, NOT_ME)
    const { form_token: _, ...bare } = fields
    const forged = [
      await own.post(NOT_ME, bare),
      await own.post(NOT_ME, fields, { origin: 'https://evil.example' }),
      await new Visitor(world, home).post(NOT_ME, fields),
    ]
    for (const answer of forged) expect(answer.statusCode).toBe(403)
    expect(await isSignedIn(thief)).toBe(true)
  })

  test('is stored as a hash, and no other mail repeats it', async () => {
    const ada = await world.aMember(home)
    const { link } = await noticed(ada)
    const token = new URL(link, home.origin).searchParams.get('token') ?? '-'
    const { rows } = await world.database.pool.query(
      'select to_jsonb(n)::text as row from notice_links n union all select to_jsonb(m)::text from outgoing_mails m',
    )
    for (const { row } of rows) expect(row).not.toContain(token.slice(6, 60))
  })
})

describe('a mail about an app', () => {
  test('comes when a person allows it for the first time: a stolen session connects no app in silence', async () => {
    const ada = await world.aMember(home)
    const thief = await signedIn(world, home, ada)
    await mailsTo(ada)
    const client = await world.aPublicClient(home, { name: 'Night reader' })
    const pair = await aPair(world, home, client, ada, { visitor: thief })
    const { text } = await mailBox.take(ada.email, 'The app: “Night reader”.')
    expect(text).toContain(`It was at School ${home.subdomain}.`)
    const link = linkIn(text, home) ?? ''
    await submit(new Visitor(world, home), link, NOT_ME)
    expect((await userinfo(world, home, pair.access_token)).statusCode).toBe(401)
    await untilSent(world)
  })

  test('comes once for an app, also if its code was never used, and again for another one', async () => {
    const ada = await world.aMember(home)
    const visitor = await signedIn(world, home, ada)
    const [client, other] = [await world.aPublicClient(home), await world.aPublicClient(home)]
    const sent = async () =>
      (await mailsTo(ada)).filter((text) => text.includes('for the first time')).length
    for (const [one, mails] of [
      [client, 1],
      [client, 1],
      [other, 2],
    ] as const) {
      await authorizeAs(world, home, one, ada, { visitor })
      expect(await sent()).toBe(mails)
    }
  })

  test('does not come when the person refuses', async () => {
    const ada = await world.aMember(home)
    const visitor = await signedIn(world, home, ada)
    await mailsTo(ada)
    const client = await world.aPublicClient(home)
    const before = (await mailsTo(ada)).length
    await authorizeAs(world, home, client, ada, { visitor, decision: 'deny' })
    expect(await mailsTo(ada)).toHaveLength(before)
  })

  test('gives the app no room for a message of its own, and comes from the home of the person', async () => {
    const ada = await world.aMember(home)
    await signedIn(world, home, ada)
    const hostile = await world.aSchool()
    await world.aMember(hostile, ['student'], ada)
    const visitor = await signedIn(world, hostile, ada)
    const name = `\u202eApp\n${'pay at once at thief.example '.repeat(6)}`
    const client = await world.aPublicClient(hostile, { name })
    await authorizeAs(world, hostile, client, ada, { visitor })
    const { text } = await mailBox.take(ada.email, 'for the first time')
    expect(/The app: “(.*?)”/u.exec(text)?.[1]?.length).toBeLessThanOrEqual(61)
    expect(text).not.toContain('\u202e')
    expect(linkIn(text, home)).toBeDefined()
    expect(linkIn(text, hostile)).toBeUndefined()
    await untilSent(world)
  })
})

test('a notice that the version before queued at another school names no wrong one', async () => {
  const ada = await world.aMember(home)
  await signedIn(world, home, ada)
  await mailsTo(ada)
  const facts = { what: 'passkey_added', device: '', isHere: false }
  await world.database.pool.query(
    `insert into outgoing_mails (id, school_id, kind, email, facts)
     values (gen_random_uuid(), $1, 'account_notice', $2, $3)`,
    [home.id, ada.email, JSON.stringify(facts)],
  )
  await untilSent(world)
  const { text } = await mailBox.take(ada.email, 'A passkey was added')
  expect(text).toContain('It was at another school on this server.')
})
