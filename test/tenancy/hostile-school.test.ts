import { beforeAll, beforeEach, describe, expect } from 'vitest'
import { memberKind, studentKind } from '../../src/domain/people/people-bulk.ts'
import { addPerson, setPersonRoles } from '../../src/domain/people/person-operations.ts'
import { hashPassword } from '../../src/foundation/crypto/password.ts'
import { smtpMailer } from '../../src/foundation/mail/mailer.ts'
import { post, request } from '../flows/mcp/tool-endpoint.ts'
import { verifies } from '../spec/verifies.ts'
import { anOperator, type OperatorClient } from '../support/admin-api.ts'
import {
  enterCode,
  enterPassword,
  keyOn,
  switchOn,
  TestAuthenticator,
  withSecondFactor,
} from '../support/authenticator.ts'
import { hiddenFields, Visitor } from '../support/browser-like.ts'
import { importInto } from '../support/bulk.ts'
import { aMailBox, untilSent } from '../support/mail-box.ts'
import { signedIn, submit } from '../support/operator-like.ts'
import { performByCommandLine } from '../support/performing.ts'
import { aWorld, PASSWORD, type TestPerson, type TestSchool } from '../support/world.ts'

/**
 * A school whose owner controls its host name: they read every request that a browser sends there,
 * with its cookies and links, and send any request to the server. They want the account of another
 * school's owner.
 */

const mailBox = await aMailBox()
const world = await aWorld({ mailer: smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>') })
const EVIL = 'chosen by the attacker'
let home: TestSchool
let hostile: TestSchool
let attacker: OperatorClient
let victim: TestPerson

beforeAll(async () => {
  home = await world.aSchool()
  hostile = await world.aSchool()
  attacker = await anOperator(world, hostile)
})

beforeEach(async () => {
  await world.database.pool.query('delete from sign_in_throttles')
  victim = await world.aMember(home, ['owner'])
})

const accountOf = ({ id }: TestPerson) =>
  world.database.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

/** The authenticator of a person and the recovery codes. */
const factorsOf = async ({ id }: TestPerson) => {
  const { db } = world.database
  return [
    await db.selectFrom('authenticators').selectAll().where('user_id', '=', id).execute(),
    await db.selectFrom('recovery_codes').selectAll().where('user_id', '=', id).execute(),
  ] as const
}

/** Nothing of the account changed, the password of its owner works, the attacker's does not. */
async function expectUntouched(before: Awaited<ReturnType<typeof accountOf>>): Promise<void> {
  expect(await accountOf(victim)).toEqual(before)
  for (const school of [home, hostile]) {
    const visitor = new Visitor(world, school)
    const refused = await visitor.signIn(await visitor.get('/sign-in'), victim, EVIL)
    expect(refused.statusCode).toBe(401)
  }
  const own = new Visitor(world, home)
  const entered = await own.signIn(await own.get('/sign-in'), victim, PASSWORD)
  expect(entered.statusCode).toBe(303)
  expect((await own.get('/admin')).statusCode).toBe(200)
}

/**
 * What the attacker reads in the mails that reach the victim, who opens every link on the hostile
 * host.
 */
async function linksToHostileHost(): Promise<string[]> {
  await untilSent(world)
  return mailBox
    .waitingFor(victim.email)
    .flatMap(({ text }) => text.match(/https?:\/\/\S+/g) ?? [])
    .filter((link) => link.startsWith(hostile.origin))
}

const forgetAt = async (school: TestSchool, headers: Record<string, string> = {}) => {
  const visitor = new Visitor(world, school)
  const page = await visitor.get('/forgotten-password')
  const fields = { ...hiddenFields(page.body, '/forgotten-password'), email: victim.email }
  return await visitor.post('/forgotten-password', fields, headers)
}

const giveRole = () =>
  attacker.post('/members', { email: victim.email, name: 'Mallory', roles: ['owner', 'student'] })

describe('a hostile school that owns its host name cannot take over the owner of another', () => {
  verifies('house.people.no-takeover', 'by a forgotten password at its own host', async () => {
    const before = await accountOf(victim)
    await forgetAt(hostile)
    expect(await linksToHostileHost()).toEqual([])
    await giveRole()
    await forgetAt(hostile)
    for (const link of await linksToHostileHost()) expect(link).not.toContain('token=')
    await expectUntouched(before)
  })

  verifies(
    'house.people.no-takeover',
    'by adding, importing, promoting or removing the person, with any name and password',
    async () => {
      const before = await accountOf(victim)
      const { email, id } = victim
      await giveRole()
      await attacker.post('/students', { email: email.toUpperCase(), name: 'Mallory' })
      await importInto(hostile, memberKind, [{ email, name: 'Mallory', roles: ['owner'] }])
      await importInto(hostile, studentKind, [{ id, email: 'mallory@evil.test', name: 'Mallory' }])
      await performByCommandLine(hostile, addPerson, {
        email,
        name: 'Mallory',
        roles: ['owner'],
        password_hash: await hashPassword(EVIL),
      })
      await performByCommandLine(hostile, setPersonRoles, { id, roles: ['admin'] })
      for (const field of ['name', 'email', 'password', 'password_hash', 'picture_url']) {
        const answer = await attacker.patch(`/members/${id}`, { [field]: 'mallory@evil.test' })
        expect(answer.statusCode).toBe(422)
      }
      await attacker.send('DELETE', `/members/${id}`)
      await giveRole()
      await forgetAt(hostile)
      for (const link of await linksToHostileHost()) expect(link).not.toContain('token=')
      await expectUntouched(before)
    },
  )

  verifies(
    'house.people.no-takeover',
    'by asking for a link at the victim’s school with the names of its own host in the headers',
    async () => {
      const before = await accountOf(victim)
      const host = new URL(hostile.origin).host
      await forgetAt(home, { 'x-forwarded-host': host, forwarded: `host=${host}` })
      expect(await linksToHostileHost()).toEqual([])
      const { text } = await mailBox.take(victim.email)
      const link = /\/reset-password\?token=\S+/.exec(text)?.[0] ?? ''
      expect(text).toContain(home.origin + link)
      // A link of another school is worth nothing at the hostile one, with a role there or without.
      await giveRole()
      const visitor = new Visitor(world, hostile)
      expect((await visitor.get(link)).statusCode).toBe(400)
      const form = hiddenFields((await visitor.get('/sign-in')).body, '/sign-in')
      const posted = await visitor.post('/reset-password', {
        form_token: form.form_token ?? '',
        token: link.split('=')[1] ?? '',
        new_password: EVIL,
      })
      expect(posted.statusCode).toBe(400)
      await expectUntouched(before)
    },
  )

  verifies(
    'house.people.no-takeover',
    'by the session of the victim at the hostile school, whose cookie it reads',
    async () => {
      const before = await accountOf(victim)
      await giveRole()
      const atHostile = await signedIn(world, hostile, victim)
      const name = 'schoolgate-80'
      const stolen = atHostile.cookie(name) ?? ''
      expect(stolen).not.toBe('')
      const thief = new Visitor(world, home)
      thief.plant(name, stolen)
      expect((await thief.get('/account')).statusCode).toBe(303)
      expect((await thief.get('/admin')).statusCode).toBe(303)
      const here = new Visitor(world, hostile)
      here.plant(name, stolen)
      const changed = await submit(here, '/account/password', '/account/password', {
        current_password: EVIL,
        new_password: `${EVIL} again`,
      })
      expect(changed.statusCode).toBe(401)
      await expectUntouched(before)
    },
  )

  verifies(
    'house.people.no-takeover',
    'by sealed requests and proofs of its own pages, sent to the victim’s school',
    async () => {
      const before = await accountOf(victim)
      const client = await world.aPublicClient(hostile)
      const visitor = new Visitor(world, hostile)
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: client.clientId,
        redirect_uri: client.redirectUri,
        scope: 'openid',
        resource: hostile.origin,
        code_challenge: 'x'.repeat(43),
        code_challenge_method: 'S256',
      })
      const turned = await visitor.get(`/oauth/authorize?${query}`)
      const sealed = /request=([\w-]+)/.exec(String(turned.headers.location))?.[1] ?? 'none'
      const own = await signedIn(world, home, victim)
      expect((await own.get(`/consent?request=${sealed}`)).statusCode).toBe(400)
      expect((await new Visitor(world, home).get(`/sign-in?request=${sealed}`)).statusCode).toBe(
        400,
      )
      await expectUntouched(before)
    },
  )

  verifies(
    'house.people.no-takeover',
    'by making the victim owner there and ending, deleting or demoting them',
    async () => {
      const before = await accountOf(victim)
      await giveRole()
      const pairAtHome = await anOperator(world, home, { person: victim })
      await attacker.patch(`/members/${victim.id}`, { roles: ['student'] })
      await attacker.send('DELETE', `/members/${victim.id}`)
      expect((await pairAtHome.get('/members')).statusCode).toBe(200)
      await expectUntouched(before)
    },
  )

  verifies(
    'house.people.no-takeover',
    'by enrolling, removing or resetting their authenticator or recovery codes: by a page, a REST call or a tool',
    async () => {
      const { app } = await withSecondFactor(world, home, victim)
      const before = await factorsOf(victim)
      expect(before.map((rows) => rows.length)).toEqual([1, 10])
      const { id, email } = victim
      await giveRole()

      for (const people of ['members', 'students']) {
        for (const field of ['second_factor', 'authenticator', 'recovery_codes', 'totp_secret']) {
          const changed = await attacker.patch(`/${people}/${id}`, { [field]: null })
          expect([404, 405, 422], `${people} ${field}`).toContain(changed.statusCode)
        }
        for (const part of ['second-factor', 'authenticator', 'recovery-codes', 'reset-factors']) {
          for (const method of ['POST', 'PUT', 'DELETE']) {
            const answer = await attacker.send(method, `/${people}/${id}/${part}`, { body: {} })
            expect([404, 405], `${method} ${people} ${part}`).toContain(answer.statusCode)
          }
        }
      }

      const listed = await post(world, hostile, request('tools/list'), {
        token: attacker.accessToken,
      })
      expect(listed.body).not.toMatch(/second.factor|authenticator|recovery.code|totp/i)
      const { tools } = listed.json<{ result: { tools: { name: string }[] } }>().result
      expect(tools.length).toBeGreaterThan(5)
      for (const { name } of tools) {
        const call = { name, arguments: { action: 'reset_factors', input: { id } } }
        await post(world, hostile, request('tools/call', call), { token: attacker.accessToken })
      }

      // The owner's own pages change the owner's own factor, whatever person the form names.
      const owner = await signedIn(world, hostile, attacker.person)
      await switchOn(owner)
      const named = { id, user_id: id, user: id, person: id, email }
      const page = '/account/second-factor'
      const { form_token = '' } = hiddenFields((await owner.get(page)).body, `${page}/off`)
      for (const path of [`${page}/codes`, `${page}/off`, `${page}/new`]) {
        await owner.post(`${path}?${new URLSearchParams(named)}`, { ...named, form_token })
      }
      for (const part of ['second-factor', 'second-factor/off', 'reset-factors']) {
        const path = `/admin/members/${id}/${part}`
        expect([404, 405], path).toContain((await owner.post(path, { form_token })).statusCode)
      }
      // A key that was shown to the owner is not one for the person.
      const setUp = await owner.get(`${page}/new`)
      const own = new TestAuthenticator(keyOn(setUp).replaceAll(' ', ''))
      const { setup = '' } = hiddenFields(setUp.body, `${page}/new`)
      expect(setup).not.toBe('')
      expect(await factorsOf(victim)).toEqual(before)

      const visitor = new Visitor(world, home)
      const step = await enterPassword(visitor, victim)
      expect((await enterCode(visitor, step, own.code())).statusCode).not.toBe(303)
      expect((await enterCode(visitor, step, app.code())).statusCode).toBe(303)
      const planted = { ...hiddenFields((await visitor.get(page)).body, `${page}/off`), setup }
      await visitor.post(`${page}/new`, { ...planted, code: own.code() })
      const [[kept]] = await factorsOf(victim)
      expect(kept).toMatchObject({ created_at: before[0][0]?.created_at })
    },
  )
})
