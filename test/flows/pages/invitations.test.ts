import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { addMember } from '../../../src/domain/people/member-roles.ts'
import { memberKind, studentKind } from '../../../src/domain/people/people-bulk.ts'
import { schoolInvitationCounter } from '../../../src/domain/people/sign-in-counters.ts'
import { smtpMailer } from '../../../src/foundation/mail/mailer.ts'
import { anOperator } from '../../support/admin-api.ts'
import { AdminBrowser } from '../../support/admin-browser.ts'
import { alter } from '../../support/alter.ts'
import { hiddenFields, Visitor } from '../../support/browser-like.ts'
import { exportFrom, importInto } from '../../support/bulk.ts'
import { finishJobs } from '../../support/jobs.ts'
import { aMailBox, untilSent } from '../../support/mail-box.ts'
import { anOwner, signedIn, submit } from '../../support/operator-like.ts'
import { aWorld, PASSWORD, type TestSchool } from '../../support/world.ts'

const mailBox = await aMailBox()
const world = await aWorld({ mailer: smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>') })
const CHOSEN = 'nine lanterns and a crow'
let made = 0

const newEmail = () => `invited${++made}@people.test`
const aSchool = () => world.aSchool({ invitesPeople: true })

async function add(school: TestSchool, email: string, name = 'As Typed'): Promise<string> {
  const by = { via: 'admin_area' } as const
  const fresh = { email, name, roles: ['student'] as const }
  const id = await school.db.transaction((tx) => addMember(tx, fresh, by))
  await untilSent(world)
  return id
}

const linkIn = (text: string) => /\/invitation\?link=\S+/.exec(text)?.[0] ?? 'no link'

async function invitedTo(school: TestSchool, email: string): Promise<string> {
  await add(school, email)
  return linkIn((await mailBox.take(email, school.origin)).text)
}

const accept = (visitor: Visitor, link: string, fields: Record<string, string> = {}) =>
  submit(visitor, link, '/invitation', { new_password: CHOSEN, ...fields })

const memberAt = (school: TestSchool, userId: string) =>
  school.db
    .from('school_members')
    .select(['roles', 'signed_in_at', 'invited_at', 'invitation_opened_at'])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()

const accountOf = (email: string) =>
  world.database.db
    .selectFrom('users')
    .selectAll()
    .where('email', '=', email)
    .executeTakeFirstOrThrow()

/** As if the last invitation had been asked for earlier. */
const letAnHourPass = (school: TestSchool, userId: string) =>
  world.database.pool.query(
    "update school_members set invited_at = invited_at - interval '61 minutes' where school_id = $1 and user_id = $2",
    [school.id, userId],
  )

async function signsIn(school: TestSchool, email: string, password: string): Promise<number> {
  const fields = { email, password }
  return (await submit(new Visitor(world, school), '/sign-in', '/sign-in', fields)).statusCode
}

describe('an invitation', () => {
  test('comes to a person whom an owner adds in the admin area, who chooses name and password and is signed in', async () => {
    const school = await aSchool()
    const admin = new AdminBrowser(await anOwner(world, school))
    const email = newEmail()
    await admin.send('/admin/students/new', { email, name: 'As Typed' })
    const { text, html } = await mailBox.take(email)
    expect(text).not.toContain('As Typed')
    expect(html).toMatch(/<title>School \w+ invites you<\/title>/)
    expect(html).toContain('Choose a password')
    const link = linkIn(text)
    const { id } = await accountOf(email)
    expect(await memberAt(school, id)).toMatchObject({
      invited_at: expect.any(Date),
      invitation_opened_at: null,
    })
    const visitor = new Visitor(world, school)
    const page = await visitor.get(link)
    expect(page.body).toContain('value="As Typed"')
    expect(await memberAt(school, id)).toMatchObject({
      invitation_opened_at: expect.any(Date),
      signed_in_at: null,
    })
    expect((await accept(visitor, link, { name: '' })).body).toContain('Enter your name.')
    const short = await accept(visitor, link, { name: 'Grace', new_password: 'short' })
    expect(short.body).toContain('Use at least 15')
    const done = await accept(visitor, link, { name: 'Grace Murray' })
    expect(done.headers.location).toBe('/account')
    expect((await visitor.get('/account')).body).toContain('Grace Murray')
    expect(await accountOf(email)).toMatchObject({ name: 'Grace Murray' })
    expect((await memberAt(school, id)).signed_in_at).toBeInstanceOf(Date)
    await untilSent(world)
    const [ready, ...more] = mailBox.waitingFor(email)
    expect(ready?.text).toContain('You chose a password for your account')
    expect(more).toEqual([])
    expect(await signsIn(school, email, CHOSEN)).toBe(303)
    const audited = await school.db
      .from('audit_entries')
      .select(['action', 'subject', 'actor_user_id', 'detail'])
      .where('action', 'in', ['member.invited', 'person.password_changed'])
      .orderBy('id')
      .execute()
    expect(audited).toEqual([
      expect.objectContaining({
        action: 'member.invited',
        subject: id,
        detail: { via: 'admin_area' },
      }),
      expect.objectContaining({ action: 'person.password_changed', detail: { by: 'invitation' } }),
    ])
    expect(audited[1]?.actor_user_id).toBe(id)
  })

  test('comes after an addition by the REST API too', async () => {
    const school = await aSchool()
    const operator = await anOperator(world, school)
    const email = newEmail()
    await operator.post('/members', { email, name: 'As Typed', roles: ['lecturer'] })
    await untilSent(world)
    expect(linkIn((await mailBox.take(email)).text)).toContain('/invitation')
  })

  test('does not come from a school that did not switch it on', async () => {
    const school = await world.aSchool()
    const email = newEmail()
    const id = await add(school, email)
    expect(mailBox.waitingFor(email)).toEqual([])
    expect(await memberAt(school, id)).toMatchObject({ invited_at: null })
  })

  test('an owner switches it on and off in the settings', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const save = (fields: Record<string, string>) =>
      submit(owner, '/admin/settings', '/admin/settings/invitations', fields)
    const page = await owner.follow(await save({ invites_people: 'on' }))
    expect(page.body).toContain('get an invitation by mail')
    const email = newEmail()
    await add(school, email)
    await mailBox.take(email)
    await save({})
    const other = newEmail()
    await add(school, other)
    expect(mailBox.waitingFor(other)).toEqual([])
  })

  test('a mail scanner that opens the link changes nothing about the account', async () => {
    const school = await aSchool()
    const email = newEmail()
    const link = await invitedTo(school, email)
    await new Visitor(world, school).get(link)
    expect(await accountOf(email)).toMatchObject({ password_hash: null })
    expect((await accept(new Visitor(world, school), link, { name: 'Grace' })).statusCode).toBe(303)
  })
})

describe('the page of a person', () => {
  const states = async (admin: AdminBrowser, id: string) => {
    const page = await admin.page(`/admin/members/${id}`)
    return ['>Invited<', '>Invitation opened<', '>First signed in<', '/invite"'].map((words) =>
      page.includes(words),
    )
  }

  test('shows invited, opened and signed in, and sends the invitation again once an hour', async () => {
    const school = await world.aSchool()
    const admin = new AdminBrowser(await anOwner(world, school))
    const email = newEmail()
    const id = await add(school, email)
    expect(await states(admin, id)).toEqual([false, false, false, true])
    expect(await admin.page(`/admin/members/${id}`)).toContain('They got no email')
    const path = `/admin/members/${id}/invite`
    expect(await admin.page(path)).not.toContain('Send invitation again')
    const { body } = await admin.done(path)
    expect(body).toContain('on its way')
    expect(body).not.toContain('They got no email')
    const first = linkIn((await mailBox.take(email)).text)
    expect(await states(admin, id)).toEqual([true, false, false, true])
    for (const page of [path, `/admin/members/${id}`]) {
      expect(await admin.page(page)).toContain('Send invitation again')
    }
    expect((await admin.send(path, {})).statusCode).toBe(409)
    await untilSent(world)
    expect(mailBox.waitingFor(email)).toEqual([])
    const visitor = new Visitor(world, school)
    await visitor.get(first)
    expect(await states(admin, id)).toEqual([true, true, false, true])
    await letAnHourPass(school, id)
    await admin.done(`/admin/students/${id}/invite`)
    const second = linkIn((await mailBox.take(email)).text)
    expect(await states(admin, id)).toEqual([true, false, false, true])
    await accept(visitor, second, { name: 'Grace' })
    expect(await states(admin, id)).toEqual([true, true, true, false])
    expect(await admin.page(path)).toContain('not possible as things are now')
  })

  test('says the same of a known and an unknown person, in the REST API and in exports too', async () => {
    const [home, school] = [await world.aSchool(), await aSchool()]
    const operator = await anOperator(world, school)
    const ada = await world.aMember(home)
    await signedIn(world, home, ada)
    const seen = []
    for (const email of [ada.email, newEmail()]) {
      const id = await add(school, email)
      await new Visitor(world, school).get(linkIn((await mailBox.take(email, '/invitation')).text))
      const { invited_at, invitation_opened_at, first_signed_in_at } = (
        await operator.get(`/members/${id}`)
      ).json()
      seen.push([typeof invited_at, typeof invitation_opened_at, first_signed_in_at])
    }
    expect(seen).toEqual([
      ['string', 'string', null],
      ['string', 'string', null],
    ])
    expect(await exportFrom(school, memberKind, 'csv')).toContain('invited_at,invitation_opened_at')
  })

  test('an owner of another school cannot invite its people', async () => {
    const [school, other] = [await aSchool(), await aSchool()]
    const email = newEmail()
    const id = await add(school, email)
    await mailBox.take(email)
    await letAnHourPass(school, id)
    const owner = await anOwner(world, other)
    const mine = `/admin/members/${await add(other, newEmail())}/invite`
    const form = hiddenFields((await owner.get(mine)).body, mine)
    const tried = await owner.post(`/admin/members/${id}/invite`, form)
    expect(tried.statusCode).toBe(404)
    await untilSent(world)
    expect(mailBox.waitingFor(email)).toEqual([])
  })

  test('without a mail server nothing is promised', async () => {
    const silent = await aWorld()
    const school = await silent.aSchool()
    const admin = new AdminBrowser(await anOwner(silent, school))
    const { id } = await silent.aMember(school)
    await school.db
      .update('school_members')
      .set({ signed_in_at: null })
      .where('user_id', '=', id)
      .execute()
    const refused = await admin.send(`/admin/members/${id}/invite`, {})
    expect([refused.statusCode, refused.body.includes('does not send email')]).toEqual([409, true])
  })
})

describe('a person who has an account', () => {
  test('is led to sign-in, and the school learns only that the link was opened', async () => {
    const [home, school] = [await world.aSchool(), await aSchool()]
    const ada = await world.aMember(home)
    const link = await invitedTo(school, ada.email)
    const visitor = new Visitor(world, school)
    const page = await visitor.get(link)
    expect(page.body).toContain('You already have an account')
    expect(page.body).not.toContain('new_password')
    expect(page.body).not.toContain(ada.name)
    expect(await signsIn(school, ada.email, PASSWORD)).toBe(303)
    const mine = await signedIn(world, school, ada)
    expect((await mine.get(link)).headers.location).toBe('/account')
  })

  test('a hostile school that reads the link cannot set the password of a known account', async () => {
    const [home, hostile] = [await world.aSchool(), await aSchool()]
    const ada = await world.aMember(home)
    const own = await invitedTo(hostile, newEmail())
    const link = await invitedTo(hostile, ada.email)
    const visitor = new Visitor(world, hostile)
    const form = hiddenFields((await visitor.get(own)).body, '/invitation')
    const sealed = new URLSearchParams(link.split('?')[1]).get('link') ?? ''
    const fields = { ...form, link: sealed, name: 'X', new_password: CHOSEN }
    const forged = await visitor.post('/invitation', Object.entries(fields))
    expect(forged.body).toContain('You already have an account')
    expect(await signsIn(home, ada.email, CHOSEN)).not.toBe(303)
    expect(await signsIn(home, ada.email, PASSWORD)).toBe(303)
  })

  test('one who has signed in at the school is not invited when they are added again', async () => {
    const school = await aSchool()
    const ada = await world.aMember(school)
    await signedIn(world, school, ada)
    await add(school, ada.email)
    expect(
      mailBox.waitingFor(ada.email).filter(({ text }) => text.includes('/invitation')),
    ).toEqual([])
  })
})

describe('the link of an invitation', () => {
  test('works once: the second browser is led to sign-in', async () => {
    const school = await aSchool()
    const link = await invitedTo(school, newEmail())
    const [first, second] = [new Visitor(world, school), new Visitor(world, school)]
    await second.get(link)
    expect((await accept(first, link, { name: 'Grace' })).statusCode).toBe(303)
    const again = await second.get(link)
    expect(again.body).toContain('You already have an account')
  })

  test('used twice at the same moment, it sets one password', async () => {
    const school = await aSchool()
    const email = newEmail()
    const link = await invitedTo(school, email)
    const open = async (next: string) => {
      const visitor = new Visitor(world, school)
      const hidden = hiddenFields((await visitor.get(link)).body, '/invitation')
      return { visitor, fields: { ...hidden, name: 'Grace', new_password: next } }
    }
    const opened = [await open('nine lanterns and a crow'), await open('eleven lanterns, no crow')]
    const both = await Promise.all(
      opened.map(({ visitor, fields }) => visitor.post('/invitation', fields)),
    )
    expect(both.filter(({ statusCode }) => statusCode === 303)).toHaveLength(1)
  })

  test('of one school does not open at another, and a forged one does not open', async () => {
    const [school, other] = [await aSchool(), await aSchool()]
    const link = await invitedTo(school, newEmail())
    const altered = alter(link, link.length - 30)
    for (const path of [link, '/invitation', '/invitation?link=forged', altered]) {
      const visitor = new Visitor(world, path === link ? other : school)
      expect((await visitor.get(path)).statusCode, path).toBe(400)
    }
  })

  test('ends when a password is set elsewhere, with the role, and with the address', async () => {
    const [school, other] = [await aSchool(), await aSchool()]
    const email = newEmail()
    const link = await invitedTo(school, email)
    const elsewhere = await invitedTo(other, email)
    const fields = { name: 'Grace' }
    expect((await accept(new Visitor(world, other), elsewhere, fields)).statusCode).toBe(303)
    const page = await new Visitor(world, school).get(link)
    expect(page.body).toContain('You already have an account')

    const gone = newEmail()
    const lost = await invitedTo(school, gone)
    const { id } = await accountOf(gone)
    await school.db.update('school_members').set({ roles: [] }).where('user_id', '=', id).execute()
    expect((await new Visitor(world, school).get(lost)).statusCode).toBe(400)

    const moved = newEmail()
    const old = await invitedTo(school, moved)
    await world.database.pool.query('update users set email = $2 where email = $1', [
      moved,
      newEmail(),
    ])
    expect((await new Visitor(world, school).get(old)).statusCode).toBe(400)
  })
})

describe('mails without end', () => {
  test('a school that adds a person again and again sends one in an hour', async () => {
    const school = await aSchool()
    const email = newEmail()
    const id = await add(school, email)
    await add(school, email)
    await add(school, email)
    expect(mailBox.waitingFor(email)).toHaveLength(1)
    await letAnHourPass(school, id)
    await add(school, email)
    expect(mailBox.waitingFor(email)).toHaveLength(2)
  })

  test('many schools that add the same person send five in an hour', async () => {
    const email = newEmail()
    for (let schools = 0; schools < 7; schools++) await add(await aSchool(), email)
    expect(mailBox.waitingFor(email)).toHaveLength(5)
  })

  test('above its share of an hour the invitations of a school wait, and links for passwords do not', async () => {
    const school = await aSchool()
    const key = world.context.keyring.key('sign-in-throttle')
    const { bucket, failures } = schoolInvitationCounter(key, school.id)
    expect(failures).toBe(1000)
    await world.database.pool.query(
      "insert into sign_in_throttles values ($1, $2, now() + interval '40 minutes')",
      [bucket, failures],
    )
    const [first, second] = [newEmail(), newEmail()]
    const by = { via: 'admin_area' } as const
    for (const email of [first, second]) {
      const fresh = { email, name: 'As Typed', roles: ['student'] as const }
      await school.db.transaction((tx) => addMember(tx, fresh, by))
    }
    const path = '/forgotten-password'
    await submit(new Visitor(world, school), path, path, { email: first })
    expect((await mailBox.take(first)).text).toContain('/reset-password')
    const waiting = async () =>
      await school.db
        .from('outgoing_mails')
        .select(['attempts', sql<boolean>`next_try_at > now() + interval '39 minutes'`.as('waits')])
        .execute()
    const later = { attempts: 0, waits: true }
    await expect.poll(waiting).toEqual([later, later])
    await world.database.pool.query('delete from sign_in_throttles where bucket = $1', [bucket])
    await school.db
      .update('outgoing_mails')
      .set({ next_try_at: new Date(0) })
      .execute()
    await untilSent(world)
    for (const email of [first, second]) await mailBox.take(email, '/invitation')
  })
})

describe('an import', () => {
  const people = (many: number) =>
    Array.from({ length: many }, () => ({ email: newEmail(), name: 'As Typed' }))
  const jobsOf = (school: TestSchool) =>
    school.db.from('jobs').select(['kind', 'state', 'result', 'title']).orderBy('id').execute()

  test('invites the people whom it adds in a job, and people who were there already are left alone', async () => {
    const [school, home] = [await aSchool(), await world.aSchool()]
    const known = await world.aMember(home)
    const there = await world.aMember(school)
    const rows = [...people(2), { email: known.email, name: 'Ada' }, { email: there.email }]
    const summary = await importInto(school, studentKind, rows)
    expect(summary).toMatchObject({ created: 3, failed: 0 })
    await untilSent(world)
    const [{ email = '' } = {}] = rows
    expect(mailBox.waitingFor(email)).toEqual([])
    await finishJobs(world)
    expect(await jobsOf(school)).toEqual([
      {
        kind: 'people.invite_imported',
        state: 'done',
        result: { invited_count: 3 },
        title: 'Invite imported people',
      },
    ])
    await untilSent(world)
    for (const { email: to } of rows.slice(0, 3)) await mailBox.take(to, '/invitation')
    expect(mailBox.waitingFor(there.email)).toEqual([])
    // The same file again adds no person, so no job is started.
    await importInto(school, studentKind, rows)
    expect(await jobsOf(school)).toHaveLength(1)
    const audited = await school.db
      .from('audit_entries')
      .select('detail')
      .where('action', '=', 'member.invited')
      .execute()
    expect(audited).toEqual([{ detail: { subjects: expect.any(Array), via: expect.any(String) } }])
  })

  test('of a dry run, or at a school that does not invite, starts no job', async () => {
    const [school, silent] = [await aSchool(), await world.aSchool()]
    await importInto(school, studentKind, people(1), { dryRun: true })
    await importInto(silent, studentKind, people(1))
    expect([await jobsOf(school), await jobsOf(silent)]).toEqual([[], []])
  })

  test('several files wait for one job; a school that stops inviting meanwhile invites none', async () => {
    const school = await aSchool()
    await importInto(school, studentKind, people(1))
    await importInto(school, memberKind, [{ ...people(1)[0], roles: ['lecturer'] }])
    expect(await jobsOf(school)).toHaveLength(1)
    await world.database.pool.query('update schools set invites_people = false where id = $1', [
      school.id,
    ])
    await finishJobs(world)
    expect(await jobsOf(school)).toMatchObject([{ state: 'done', result: { invited_count: 0 } }])
    expect(await school.db.from('outgoing_mails').select('id').execute()).toEqual([])
  })
})
