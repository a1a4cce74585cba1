import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { acceptInvitation } from '../../../src/domain/people/accept-invitation.ts'
import {
  findDeletions,
  requestDeletion,
} from '../../../src/domain/people/deletion/deletion-requests.ts'
import { storeEmail } from '../../../src/domain/people/email-change/store-email.ts'
import { addMember } from '../../../src/domain/people/member-roles.ts'
import { findNotMe, mintNotMeLink } from '../../../src/domain/people/not-me-link.ts'
import { mintResetLink } from '../../../src/domain/people/reset-link.ts'
import { sealSignUpLink } from '../../../src/domain/people/sign-up-link.ts'
import { smtpMailer } from '../../../src/foundation/mail/mailer.ts'
import { switchOn } from '../../support/authenticator.ts'
import { type Answer, hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aPair, userinfo } from '../../support/client-like.ts'
import { eventually } from '../../support/eventually.ts'
import { aMailBox, untilSent } from '../../support/mail-box.ts'
import { signedIn, submit, submitAtOnce } from '../../support/operator-like.ts'
import { addPasskey, PasskeyDevice, signInWith } from '../../support/passkey-device.ts'
import { aCountedWorld } from '../../support/request-costs.ts'
import { aWorld, PASSWORD, type TestPerson, type TestSchool } from '../../support/world.ts'

const mailBox = await aMailBox()
const mailer = smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>')
const world = await aWorld({ mailer })
const { world: counted, costs } = await aCountedWorld({ mailer })
const PAGE = '/account/email'
const LINKS = '/email-change'
let made = 0

const newEmail = () => `moved${++made}@people.test`

const ask = (visitor: Visitor, email: string) => submit(visitor, PAGE, PAGE, { new_email: email })

/** The path in the next mail to this address. */
async function linkTo(email: string, words = '/email-change?link='): Promise<string> {
  const { text } = await mailBox.take(email, words)
  const link = /\/email-change\?link=\S+/.exec(text)?.[0]
  if (link === undefined) throw new Error(`no link in ${text}`)
  return link
}

/** Opens a link and presses a button. */
const decide = (school: TestSchool, link: string, decision: string, visitor?: Visitor) =>
  submit(visitor ?? new Visitor(world, school), link, LINKS, { decision })

/** The same for a link whose page may have no form any more: with the token of another one. */
async function send(school: TestSchool, link: string, decision = 'agree'): Promise<Answer> {
  const visitor = new Visitor(world, school)
  const { form_token = '' } = hiddenFields((await visitor.get('/sign-in')).body, '/sign-in')
  const token = link.split('?link=')[1] ?? ''
  return await visitor.post(LINKS, { form_token, link: token, decision })
}

/** Asks, and takes both links. */
async function asked(school: TestSchool, person: TestPerson, next: string, own?: Visitor) {
  const visitor = own ?? (await signedIn(world, school, person))
  expect((await ask(visitor, next)).headers.location).toBe(`${PAGE}?done=asked`)
  return { visitor, old: await linkTo(person.email), fresh: await linkTo(next) }
}

/** The whole change. */
async function changed(school: TestSchool, person: TestPerson, next: string, own?: Visitor) {
  const links = await asked(school, person, next, own)
  await decide(school, links.old, 'agree')
  const done = await decide(school, links.fresh, 'agree')
  expect(done.body).toContain('is changed')
  return { ...links, undo: await linkTo(person.email, 'Undo') }
}

const emailOf = async ({ id }: Pick<TestPerson, 'id'>) =>
  (
    await world.database.db
      .selectFrom('users')
      .select('email')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).email

async function signsInWith(school: TestSchool, email: string, password: string): Promise<number> {
  const fields = { email, password }
  return (await submit(new Visitor(world, school), '/sign-in', '/sign-in', fields)).statusCode
}

const auditOf = async (school: TestSchool) =>
  (
    await school.db
      .from('audit_entries')
      .select(['action', 'detail'])
      .where('action', 'like', 'person.email%')
      .orderBy('id')
      .execute()
  ).map(({ action, detail }) => [action, detail])

const sendBack = (ago: string) =>
  world.database.pool.query(
    `update email_changes set created_at = created_at - $1::interval, changed_at = changed_at - $1::interval`,
    [ago],
  )

/** A person with a passkey from before the time in which links by mail remove one. */
async function aHolder(at?: TestSchool) {
  const school = at ?? (await world.aSchool())
  const ada = await world.aMember(school)
  const own = new PasskeyDevice(school.origin)
  await addPasskey(await signedIn(world, school, ada), own)
  await world.database.pool.query(
    "update passkeys set created_at = created_at - interval '9 days' where user_id = $1",
    [ada.id],
  )
  return { school, ada, own }
}

describe('a new email address', () => {
  test('counts when the old and the new mailbox have agreed, in either order', async () => {
    const school = await world.aSchool()
    for (const order of [
      ['old', 'fresh'],
      ['fresh', 'old'],
    ] as const) {
      const ada = await world.aMember(school)
      const next = newEmail()
      const links = await asked(school, ada, next)
      expect((await decide(school, links[order[0]], 'agree')).body).toContain('One mailbox to go')
      expect(await emailOf(ada)).toBe(ada.email)
      const done = await decide(school, links[order[1]], 'agree')
      expect(done.body).toContain(next)
      expect(await emailOf(ada)).toBe(next)
      expect(await signsInWith(school, ada.email, PASSWORD)).toBe(401)
      expect(await signsInWith(school, next, PASSWORD)).toBe(303)
      await mailBox.take(ada.email, 'Undo')
    }
    expect(await auditOf(school)).toEqual([
      ['person.email_changed', { by: 'links' }],
      ['person.email_changed', { by: 'links' }],
    ])
  })

  test('ends the sessions of all other browsers, at every school, and links for a forgotten password; apps stay', async () => {
    const [school, elsewhere] = [await world.aSchool(), await world.aSchool()]
    const ada = await world.aMember(school)
    await world.aMember(elsewhere, ['student'], ada)
    const client = await world.aPublicClient(school)
    const pair = await aPair(world, school, client, ada)
    const other = await signedIn(world, elsewhere, ada)
    const forgotten = { email: ada.email }
    const path = '/forgotten-password'
    await submit(new Visitor(world, school), path, path, forgotten)
    const reset =
      /\/reset-password\?token=\S+/.exec(
        (await mailBox.take(ada.email, '/reset-password')).text,
      )?.[0] ?? ''
    const { visitor, old, fresh } = await asked(school, ada, newEmail())
    await decide(school, old, 'agree')
    await decide(school, fresh, 'agree', visitor)
    expect((await visitor.get('/account')).statusCode).toBe(200)
    expect((await other.get('/account')).statusCode).toBe(303)
    expect((await new Visitor(world, school).get(reset)).statusCode).toBe(400)
    expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
  })

  test('is shown as waiting, with what each mailbox said, and can be cancelled', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const next = newEmail()
    const { visitor, old, fresh } = await asked(school, ada, next)
    await decide(school, old, 'agree')
    const page = await visitor.get(PAGE)
    expect(page.body).toContain(next)
    expect([page.body.match(/Agreed/g)?.length, page.body.match(/Waiting/g)?.length]).toEqual([
      1, 1,
    ])
    const cancelled = await submit(visitor, PAGE, `${PAGE}/cancel`)
    expect((await visitor.follow(cancelled)).body).toContain('was canceled')
    expect((await send(school, fresh)).statusCode).toBe(400)
    expect(await emailOf(ada)).toBe(ada.email)
  })

  test('a newer request replaces an older one, whose links end', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const first = await asked(school, ada, newEmail())
    const next = newEmail()
    expect((await ask(first.visitor, next)).statusCode).toBe(303)
    const second = { old: await linkTo(ada.email), fresh: await linkTo(next) }
    expect((await send(school, first.old)).statusCode).toBe(400)
    expect((await send(school, first.fresh)).statusCode).toBe(400)
    await decide(school, second.old, 'agree')
    await decide(school, second.fresh, 'agree')
    expect(await emailOf(ada)).toBe(next)
  })

  test.each([
    ['no address', 'nobody'],
    ['two addresses', 'a@people.test,b@people.test'],
    ['the same address in capitals', 'SAME'],
  ])('%s is refused on the form', async (_what, typed) => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    const email = typed === 'SAME' ? ada.email.toUpperCase() : typed
    const refused = await ask(visitor, email)
    expect([refused.statusCode, refused.body.includes('new_email-error')]).toEqual([400, true])
  })

  test('a person whom no school may mail is told who can help', async () => {
    const school = await world.aSchool()
    const visitor = await signedIn(world, school, await world.aPerson())
    const refused = await ask(visitor, newEmail())
    expect([refused.statusCode, refused.body.includes('Ask the administrator')]).toEqual([
      400,
      true,
    ])
    const bare = await aWorld()
    const place = await bare.aSchool()
    const other = await signedIn(bare, place, await bare.aMember(place))
    expect((await other.get(PAGE)).body).toContain('does not send email')
  })

  test('links work for a day, and to undo for three', async () => {
    const school = await world.aSchool()
    const [ada, eve] = [await world.aMember(school), await world.aMember(school)]
    const late = await asked(school, ada, newEmail())
    const done = await changed(school, eve, newEmail())
    await sendBack('25 hours')
    expect((await send(school, late.old)).statusCode).toBe(400)
    expect((await send(school, late.fresh)).statusCode).toBe(400)
    expect((await new Visitor(world, school).get(done.undo)).statusCode).toBe(200)
    await sendBack('48 hours')
    expect((await send(school, done.undo)).statusCode).toBe(400)
  })
})

describe('the old mailbox', () => {
  test('stops the change before it counts', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const { old, fresh } = await asked(school, ada, newEmail())
    await decide(school, fresh, 'agree')
    expect((await decide(school, old, 'stop')).body).toContain('The change is stopped')
    expect((await send(school, old)).statusCode).toBe(400)
    expect(await emailOf(ada)).toBe(ada.email)
  })

  test('undoes it: the address is back, everything ends at every school, and a link for a new password comes', async () => {
    const [school, elsewhere] = [await world.aSchool(), await world.aSchool()]
    const ada = await world.aMember(school)
    await world.aMember(elsewhere, ['student'], ada)
    const next = newEmail()
    const { undo } = await changed(school, ada, next)
    const thief = await signedIn(world, elsewhere, { ...ada, email: next })
    const client = await world.aPublicClient(elsewhere)
    const pair = await aPair(world, elsewhere, client, { ...ada, email: next })
    expect((await decide(school, undo, 'undo')).body).toContain('The change is undone')
    expect(await emailOf(ada)).toBe(ada.email)
    expect((await thief.get('/account')).statusCode).toBe(303)
    expect((await userinfo(world, elsewhere, pair.access_token)).statusCode).toBe(401)
    for (const email of [ada.email, next]) {
      expect(await signsInWith(school, email, PASSWORD)).toBe(401)
    }
    const { text } = await mailBox.take(ada.email, '/reset-password?token=')
    const reset = /\/reset-password\?token=\S+/.exec(text)?.[0] ?? ''
    const fields = { new_password: 'a kettle for nine otters' }
    const visitor = new Visitor(world, school)
    expect((await submit(visitor, reset, '/reset-password', fields)).statusCode).toBe(303)
    expect(await signsInWith(school, ada.email, fields.new_password)).toBe(303)
    expect((await send(school, undo, 'undo')).statusCode).toBe(400)
    expect(await auditOf(school)).toEqual([
      ['person.email_changed', { by: 'links' }],
      ['person.email_change_undone', {}],
    ])
  })

  test('the link of the first mail undoes it too', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const { old } = await changed(school, ada, newEmail())
    expect((await decide(school, old, 'undo')).body).toContain('The change is undone')
    expect(await emailOf(ada)).toBe(ada.email)
    await untilSent(world)
  })

  test('its address belongs to another person by now: the page says so, and nothing changes', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const next = newEmail()
    const { undo } = await changed(school, ada, next)
    const other = await world.aPerson()
    await world.database.pool.query('update users set email = $1 where id = $2', [
      ada.email,
      other.id,
    ])
    expect((await decide(school, undo, 'undo')).statusCode).toBe(409)
    expect([await emailOf(ada), await emailOf(other)]).toEqual([next, ada.email])
  })
})

test('the browser that asks at another school than its links are of stays signed in; both schools are named and remember it', async () => {
  const [home, other] = [await world.aSchool(), await world.aSchool()]
  const ada = await world.aMember(home)
  await world.aMember(other, ['student'], ada)
  await signedIn(world, home, ada)
  const visitor = await signedIn(world, other, ada)
  const left = await signedIn(world, other, ada)
  const next = newEmail()
  await ask(visitor, next)
  for (const email of [ada.email, next]) {
    const { text } = await mailBox.take(email, '/email-change?link=')
    expect(text).toContain(`School ${other.subdomain}`)
    expect(text).toContain(`School ${home.subdomain}`)
    await decide(home, /\/email-change\?link=\S+/.exec(text)?.[0] ?? '', 'agree')
  }
  expect(await emailOf(ada)).toBe(next)
  expect((await visitor.get('/account')).statusCode).toBe(200)
  expect((await left.get('/account')).statusCode).toBe(303)
  for (const school of [home, other]) {
    expect(await auditOf(school)).toEqual([['person.email_changed', { by: 'links' }]])
  }
  await untilSent(world)
})

describe('whether an address is taken', () => {
  test('does not show in the answer, the page or the statements; only its owner gets a mail, without a link', async () => {
    const school = await counted.aSchool()
    const owner = await counted.aMember(await counted.aSchool())
    const costOf = async (email: string) => {
      const ada = await counted.aMember(school)
      const visitor = await signedIn(counted, school, ada)
      let sent: Answer | undefined
      const requests = await costs.of(async () => {
        sent = await ask(visitor, email)
      })
      const page = await visitor.follow(sent as Answer)
      await untilSent(counted)
      await mailBox.take(ada.email, 'Agree')
      const shown = page.body
        .replaceAll(email, 'NEW')
        .replaceAll(ada.email, 'OLD')
        .replace(/value="[^"]*"/g, '')
      return { sent: [sent?.statusCode, sent?.headers.location], shown, requests }
    }
    const free = newEmail()
    await costOf(newEmail())
    const first = await costOf(free)
    expect(await costOf(owner.email)).toEqual(first)
    expect((await mailBox.take(free)).text).toContain('link=')
    const told = await mailBox.take(owner.email)
    expect(told.text).toContain('There is an account with this address already')
    expect(told.text).not.toContain('http')
    const links = [...told.html.matchAll(/href="([^"]*)"/g)].map(([, url]) => url)
    expect(links).toEqual([school.origin])
  })

  test('an account that was made meanwhile keeps the address, and the change ends', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const next = newEmail()
    const { old, fresh } = await asked(school, ada, next)
    await decide(school, old, 'agree')
    const other = await world.aPerson()
    await world.database.pool.query('update users set email = $1 where id = $2', [next, other.id])
    const refused = await decide(school, fresh, 'agree')
    expect([refused.statusCode, refused.body.includes('cannot be used')]).toEqual([409, true])
    expect(await emailOf(ada)).toBe(ada.email)
  })
})

describe('a thief', () => {
  test('with a session and a mailbox of their own cannot move the account: the old mailbox does not agree', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const { fresh, visitor } = await asked(school, ada, newEmail())
    await decide(school, fresh, 'agree', visitor)
    expect((await send(school, fresh)).body).toContain('One mailbox to go')
    for (const decision of ['stop', 'undo']) {
      expect((await send(school, fresh, decision)).statusCode, decision).toBe(400)
    }
    expect(await emailOf(ada)).toBe(ada.email)
  })

  test('whose session is older than ten minutes is asked for the password first', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    const form = hiddenFields((await visitor.get(PAGE)).body, PAGE)
    await world.database.pool.query(
      "update browser_sessions set authenticated_at = now() - interval '11 minutes' where user_id = $1",
      [ada.id],
    )
    expect((await visitor.get(PAGE)).headers.location).toContain('/confirm')
    const sent = await visitor.post(PAGE, { ...form, new_email: newEmail() })
    expect(sent.headers.location ?? sent.body).toContain('confirm')
    const { rows } = await world.database.pool.query(
      'select 1 from email_changes where user_id = $1',
      [ada.id],
    )
    expect(rows).toEqual([])
  })

  test('changes the address twice: undoing the first change undoes both, and the thief cannot undo that', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const [second, third] = [newEmail(), newEmail()]
    const first = await changed(school, ada, second)
    const again = await changed(school, { ...ada, email: second }, third)
    expect(await emailOf(ada)).toBe(third)
    expect((await decide(school, first.undo, 'undo')).body).toContain('The change is undone')
    expect(await emailOf(ada)).toBe(ada.email)
    for (const link of [again.undo, again.old]) {
      expect((await send(school, link, 'undo')).statusCode).toBe(400)
    }
    expect(await emailOf(ada)).toBe(ada.email)
    await untilSent(world)
  })

  test('asks for the deletion of the account: the undo cancels it, and links in both mailboxes end', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const before = await mintNotMeLink(school.db, ada.id)
    const { undo } = await changed(school, ada, newEmail())
    expect(await findNotMe(school.db, before ?? '')).toBeUndefined()
    const after = await mintNotMeLink(school.db, ada.id)
    for (const part of ['account', 'school'] as const) {
      await school.db.transaction((tx) =>
        requestDeletion(tx, { userId: ada.id, part, requestId: 'r' }),
      )
    }
    expect(await findDeletions(school.db, ada.id)).toHaveLength(2)
    await decide(school, undo, 'undo')
    expect(await findDeletions(school.db, ada.id)).toEqual([])
    expect(await findNotMe(school.db, after ?? '')).toBeUndefined()
    const cancelled = await world.database.db
      .selectFrom('audit_entries')
      .select(['school_id', 'detail'])
      .where('actor_user_id', '=', ada.id)
      .where('action', '=', 'person.deletion_cancelled')
      .orderBy('school_id')
      .execute()
    const detail = { by: 'email_undone' }
    expect(cancelled).toEqual([
      { school_id: school.id, detail },
      { school_id: null, detail },
    ])
  })

  test('who reads the old mailbox undoes a change that a new passkey proved: older ones stay, new ones go', async () => {
    const { school, ada, own } = await aHolder()
    const late = new PasskeyDevice(school.origin)
    const visitor = new Visitor(world, school)
    await signInWith(visitor, own)
    await addPasskey(visitor, late)
    await signInWith(visitor, late)
    const { undo } = await changed(school, ada, newEmail(), visitor)
    expect((await decide(school, undo, 'undo')).body).toContain('The change is undone')
    expect((await signInWith(new Visitor(world, school), own)).statusCode).toBe(303)
    expect((await signInWith(new Visitor(world, school), late)).statusCode).toBe(401)
  })

  test('who reads the old mailbox undoes nothing that an old passkey proved: only that passkey does', async () => {
    const { school, ada, own } = await aHolder()
    const visitor = new Visitor(world, school)
    await signInWith(visitor, own)
    const next = newEmail()
    const { undo } = await changed(school, ada, next, visitor)
    const page = await new Visitor(world, school).get(undo)
    expect(page.body).not.toContain('value="undo"')
    expect((await send(school, undo, 'undo')).statusCode).toBe(403)
    expect(await emailOf(ada)).toBe(next)
    const thief = await signedIn(world, school, { ...ada, email: next })
    const { form_token = '' } = hiddenFields((await thief.get('/account')).body, '/sign-out')
    const shown = (await visitor.get(PAGE)).body
    const { change = '' } = hiddenFields(shown, `${PAGE}/undo`)
    const forced = await thief.post(`${PAGE}/undo`, { form_token, change })
    expect(forced.headers.location).toMatch(/^\/confirm\?by_factor=yes/)
    expect(await emailOf(ada)).toBe(next)
    const undone = await submit(visitor, PAGE, `${PAGE}/undo`)
    expect(undone.body).toContain('The change is undone')
    expect(await emailOf(ada)).toBe(ada.email)
    expect((await visitor.get('/account')).statusCode).toBe(303)
    await untilSent(world)
  })

  test('of the password reports the passkey as lost: the old mailbox stops that too, though it undoes nothing', async () => {
    const { school, ada, own } = await aHolder()
    const visitor = new Visitor(world, school)
    await signInWith(visitor, own)
    const next = newEmail()
    const { undo } = await changed(school, ada, next, visitor)
    expect((await new Visitor(world, school).get(undo)).body).not.toContain('keep them')
    const thief = await signedIn(world, school, { ...ada, email: next })
    const lost = '/account/lost-factor'
    await submit(thief, lost, lost, { password: PASSWORD })
    expect((await new Visitor(world, school).get(undo)).body).toContain('keep them')
    const kept = await decide(school, undo, 'keep_factors')
    expect(kept.body).toContain('The passkeys and the authenticator app stay')
    expect((await send(school, undo, 'keep_factors')).statusCode).toBe(400)
    const { rows } = await world.database.pool.query(
      'select from lost_factors where user_id = $1',
      [ada.id],
    )
    expect(rows).toHaveLength(0)
    expect(await emailOf(ada)).toBe(next)
    await untilSent(world)
  })

  test('whose passkey is younger than the change cannot undo it with that', async () => {
    const { school, ada, own } = await aHolder()
    const visitor = new Visitor(world, school)
    await signInWith(visitor, own)
    const next = newEmail()
    await changed(school, ada, next, visitor)
    const late = new PasskeyDevice(school.origin)
    await addPasskey(visitor, late)
    const thief = new Visitor(world, school)
    await signInWith(thief, late)
    const refused = await submit(thief, PAGE, `${PAGE}/undo`)
    expect([refused.statusCode, await emailOf(ada)]).toEqual([403, next])
    await untilSent(world)
  })

  test('nobody undoes the change of another person on the page of their own account', async () => {
    const { school, ada, own } = await aHolder()
    const visitor = new Visitor(world, school)
    await signInWith(visitor, own)
    const next = newEmail()
    await changed(school, ada, next, visitor)
    const { change = '' } = hiddenFields((await visitor.get(PAGE)).body, `${PAGE}/undo`)
    const eve = await aHolder(school)
    const other = new Visitor(world, school)
    await signInWith(other, eve.own)
    const { form_token = '' } = hiddenFields((await other.get('/account')).body, '/sign-out')
    expect((await other.post(`${PAGE}/undo`, { form_token, change })).statusCode).toBe(400)
    expect(await emailOf(ada)).toBe(next)
    await untilSent(world)
  })

  test('who reads the old mailbox makes no account with it while it can be undone, by no way', async () => {
    const school = await world.aSchool()
    const hostile = await world.aSchool({ signUp: true })
    const ada = await world.aMember(school)
    const { undo } = await changed(school, ada, newEmail())
    const thief = new Visitor(world, hostile)
    await submit(thief, '/sign-up', '/sign-up', { name: 'Eve', email: ada.email })
    expect((await mailBox.take(ada.email, 'can take it back')).text).not.toContain(
      '/sign-up/finish',
    )
    const link = sealSignUpLink(world.context.keyring, hostile.id, {
      ...{ name: 'Eve', browser: '', email: ada.email },
    })
    const fields = { name: 'Eve', new_password: 'a kettle for nine otters' }
    const finish = '/sign-up/finish'
    const made = await submit(thief, `${finish}?link=${encodeURIComponent(link)}`, finish, fields)
    expect(made.statusCode).toBe(400)
    const typed = { email: ada.email, name: 'Eve', roles: ['student'] as const }
    const id = await hostile.db.transaction((tx) => addMember(tx, typed, { via: 'admin_area' }))
    expect(await mintResetLink(hostile.db, id)).toBeUndefined()
    const invited = { userId: id, email: ada.email, name: 'Eve', hasCredential: false }
    const accepted = await acceptInvitation(hostile.db, invited, {
      ...{ name: 'Eve', next: fields.new_password, requestId: 'r' },
      school: { name: 'Hostile', origin: hostile.origin },
    })
    expect(accepted.kind).toBe('ended')
    const mallory = await world.aMember(hostile)
    await world.database.pool.query(
      "update users set email = 'gone-' || id || '@people.test' where id = $1",
      [id],
    )
    const moved = await asked(hostile, mallory, ada.email)
    await decide(hostile, moved.old, 'agree')
    expect((await decide(hostile, moved.fresh, 'agree')).statusCode).toBe(409)
    expect((await decide(school, undo, 'undo')).body).toContain('The change is undone')
    expect(await emailOf(ada)).toBe(ada.email)
    await untilSent(world)
  })

  test('who makes an account with the old address in the moment of the change waits for it, and gets none', async () => {
    const school = await world.aSchool({ signUp: true })
    const ada = await world.aMember(school)
    const links = await asked(school, ada, newEmail())
    await decide(school, links.old, 'agree')
    const link = sealSignUpLink(world.context.keyring, school.id, {
      ...{ name: 'Eve', browser: '', email: ada.email },
    })
    const [eve, finish] = [new Visitor(world, school), '/sign-up/finish']
    const fields = { name: 'Eve', new_password: 'a kettle for nine otters' }
    const isWaiting = async () => {
      const { rows } = await world.database.pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'",
      )
      expect(rows.length).toBeGreaterThan(0)
    }
    const made = await world.database.db.transaction().execute(async (tx) => {
      await storeEmail(tx, { userId: ada.id, email: newEmail() })
      await sql`update email_changes set changed_at = now() where user_id = ${ada.id}`.execute(tx)
      const making = submit(eve, `${finish}?link=${encodeURIComponent(link)}`, finish, fields)
      await vi.waitFor(isWaiting, eventually)
      return { making }
    })
    expect((await made.making).statusCode).toBe(400)
    const { rows } = await world.database.pool.query('select from users where email = $1', [
      ada.email,
    ])
    expect(rows).toHaveLength(0)
    await untilSent(world)
  })

  test('of the new mailbox hides nothing: the old one hears of each change of the account, with the link that undoes', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const next = newEmail()
    await changed(school, ada, next)
    const thief = await signedIn(world, school, { ...ada, email: next })
    await addPasskey(thief, new PasskeyDevice(school.origin))
    expect((await mailBox.take(ada.email, 'A passkey was added')).text).toContain('Undo')
    await switchOn(thief)
    expect((await mailBox.take(ada.email, 'An authenticator app was added')).text).toContain('Undo')
    const { form_token = '' } = hiddenFields((await thief.get('/account')).body, '/sign-out')
    const asked = { form_token, part: 'account', confirm_name: next }
    const gone = await thief.post('/account/delete', asked)
    expect(gone.headers.location).toBe('/account/settings?done=deletion')
    const { text } = await mailBox.take(ada.email, 'asked to delete it')
    const undo = /\/email-change\?link=\S+/.exec(text)?.[0] ?? ''
    expect((await decide(school, undo, 'undo')).body).toContain('The change is undone')
    expect(await emailOf(ada)).toBe(ada.email)
    await untilSent(world)
  })

  test('switches a second factor on: the undo removes it, and keeps one that the person had before', async () => {
    const school = await world.aSchool()
    const [ada, eve] = [await world.aMember(school), await world.aMember(school)]
    const factorOf = (userId: string, made: string) =>
      world.database.pool.query(
        "insert into authenticators (user_id, sealed_secret, last_step, created_at) values ($1, 'x', 0, now() + $2::interval)",
        [userId, made],
      )
    for (const [person, made] of [
      [ada, '0'],
      [eve, '-1 hour'],
    ] as const) {
      const { undo } = await changed(school, person, newEmail())
      await factorOf(person.id, made)
      await decide(school, undo, 'undo')
    }
    const { rows } = await world.database.pool.query(
      'select user_id from authenticators where user_id = any ($1)',
      [[ada.id, eve.id]],
    )
    expect(rows).toEqual([{ user_id: eve.id }])
    await untilSent(world)
  })

  test('who runs a school adds the old address there, so that it is taken: the undo takes it back', async () => {
    const [school, hostile] = [await world.aSchool(), await world.aSchool()]
    const ada = await world.aMember(school)
    const { undo } = await changed(school, ada, newEmail())
    const squatter = await hostile.db.transaction((tx) =>
      addMember(
        tx,
        { email: ada.email, name: 'Mallory', roles: ['student'] },
        { via: 'admin_area' },
      ),
    )
    expect(squatter).not.toBe(ada.id)
    expect((await decide(school, undo, 'undo')).body).toContain('The change is undone')
    expect(await emailOf(ada)).toBe(ada.email)
    expect(await emailOf({ id: squatter })).toMatch(/@schoolgate\.invalid$/)
    await untilSent(world)
  })

  test('asks at a school of their own, whose host they read: the links are of the school where the person signed in first', async () => {
    const [home, hostile] = [await world.aSchool(), await world.aSchool()]
    const ada = await world.aMember(home)
    await world.aMember(hostile, ['student'], ada)
    const visitor = await signedIn(world, hostile, ada)
    const next = newEmail()
    expect((await ask(visitor, next)).statusCode).toBe(303)
    for (const email of [ada.email, next]) {
      const { text, html } = await mailBox.take(email, '/email-change?link=')
      expect(text).toContain(`${home.origin}/email-change?link=`)
      expect(text + html).not.toContain(hostile.origin)
      const link = /\/email-change\?link=\S+/.exec(text)?.[0] ?? ''
      expect((await send(hostile, link)).statusCode).toBe(400)
      expect((await new Visitor(world, home).get(link)).statusCode).toBe(200)
    }
  })

  test('sends more requests than a person needs: 429, and the owner of an address gets three mails at most', async () => {
    const school = await world.aSchool()
    const next = newEmail()
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    for (let tries = 0; tries < 5; tries++) {
      expect((await ask(visitor, next)).statusCode).toBe(303)
      await untilSent(world)
    }
    const refused = await ask(visitor, next)
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, expect.anything()])
    expect(mailBox.waitingFor(next)).toHaveLength(3)
    const asked = mailBox
      .waitingFor(ada.email)
      .filter(({ text }) => text.includes('/email-change?'))
    expect(asked).toHaveLength(5)
  })

  test('uses the second link twice at the same moment: the address changes once', async () => {
    const school = await world.aSchool()
    const ada = await world.aMember(school)
    const next = newEmail()
    const { old, fresh } = await asked(school, ada, next)
    const visits = [old, fresh, fresh, old].map(
      (link) => [new Visitor(world, school), link] as const,
    )
    const tries = await submitAtOnce(visits, LINKS, { decision: 'agree' })
    const ended = tries.map(({ statusCode }) => statusCode)
    expect(ended.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2)
    expect(await emailOf(ada)).toBe(next)
    await untilSent(world)
    const told = mailBox.waitingFor(ada.email).filter(({ text }) => text.includes('Undo'))
    expect(told).toHaveLength(1)
  })
})

test('a mail scanner that opens every link changes nothing', async () => {
  const school = await world.aSchool()
  const ada = await world.aMember(school)
  const { old, fresh } = await asked(school, ada, newEmail())
  for (const link of [old, fresh, old, fresh]) {
    expect((await new Visitor(world, school).get(link)).statusCode).toBe(200)
  }
  const rows = await school.db
    .from('email_changes')
    .select(['old_confirmed_at', 'new_confirmed_at', 'changed_at', 'ended_at'])
    .execute()
  expect(rows).toEqual([
    { old_confirmed_at: null, new_confirmed_at: null, changed_at: null, ended_at: null },
  ])
})

test('a site that forges the post of a link, or a link itself, gets nothing', async () => {
  const school = await world.aSchool()
  const ada = await world.aMember(school)
  const { old } = await asked(school, ada, newEmail())
  const visitor = new Visitor(world, school)
  const fields = hiddenFields((await visitor.get(old)).body, LINKS)
  const evil = { origin: 'https://evil.example' }
  expect((await visitor.post(LINKS, { ...fields, decision: 'agree' }, evil)).statusCode).toBe(403)
  expect(
    (await visitor.post(LINKS, { link: fields.link ?? '', decision: 'agree' })).statusCode,
  ).toBe(403)
  const changedLink = `${fields.link?.slice(0, -2)}AA`
  const sent = await visitor.post(LINKS, { ...fields, link: changedLink, decision: 'agree' })
  expect(sent.statusCode).toBe(400)
})
