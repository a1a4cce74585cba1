import { expect, test } from 'vitest'
import { hashPassword } from '../../../src/foundation/crypto/password.ts'
import { smtpMailer } from '../../../src/foundation/mail/mailer.ts'
import { nameAskedFor } from '../../support/admin-browser.ts'
import {
  enterCode,
  enterPassword,
  keyOn,
  recoveryCodesOn,
  switchOn,
  TestAuthenticator,
} from '../../support/authenticator.ts'
import { hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aPair } from '../../support/client-like.ts'
import { aMailBox, untilSent } from '../../support/mail-box.ts'
import { ageProof } from '../../support/old-proof.ts'
import { aBetaSchool, signedIn, submit } from '../../support/operator-like.ts'
import { addPasskey, PasskeyDevice, questionOn, signInWith } from '../../support/passkey-device.ts'
import { aPng } from '../../support/pictures.ts'
import { wholeReads } from '../../support/plans.ts'
import { type AnsweredRequest, aCountedWorld } from '../../support/request-costs.ts'
import { uploadTo } from '../../support/uploading.ts'
import { CALLBACK, PASSWORD } from '../../support/world.ts'
import { testStatements } from './test-statements.ts'

const mailBox = await aMailBox()
const mailer = smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>')
const { world, costs } = await aCountedWorld({ mailer })
const school = await aBetaSchool(world)
const answered: AnsweredRequest[] = []
const END_ALL = '/admin/clients/end-all'
const STOP_ALL = '/admin/clients/stop-all'

/** Counts the statements of `work` and checks that none reads a whole table. */
async function checkPlans(work: () => Promise<void>): Promise<void> {
  const requests = await costs.of(work)
  answered.push(...requests)
  const statements = requests.flatMap((request) => request.statements)
  expect(statements.length).toBeGreaterThan(10)
  expect(await wholeReads(world.database.connection, statements)).toEqual(new Map())
}

test('sign-in, sign-out and password changes read no whole table', async () => {
  const ada = await world.aMember(school)
  const visitor = new Visitor(world, school)
  await checkPlans(async () => {
    await visitor.signIn(await visitor.get('/sign-in'), ada, 'a guess')
    const entered = await visitor.signIn(await visitor.get('/sign-in'), ada)
    expect(entered.statusCode).toBe(303)
    const changed = await submit(visitor, '/account/password', '/account/password', {
      current_password: PASSWORD,
      new_password: 'a much better password',
      end_access: 'yes',
    })
    expect(changed.statusCode).toBe(303)
    await untilSent(world)
    expect((await submit(visitor, '/account', '/sign-out')).statusCode).toBe(303)
    await submit(visitor, '/forgotten-password', '/forgotten-password', { email: ada.email })
    const mail = await mailBox.take(ada.email, 'You asked')
    await untilSent(world)
    const link = /\/reset-password\?token=\S+/.exec(mail.text)?.[0] ?? ''
    const fields = { new_password: PASSWORD }
    expect((await submit(visitor, link, '/reset-password', fields)).statusCode).toBe(303)
    await untilSent(world)
  })
})

test('a form that has to be confirmed, or whose session ended, reads no whole table', async () => {
  const ada = await world.aMember(school, ['owner'])
  const visitor = await signedIn(world, school, ada)
  const publish = '/admin/keys/publish'
  await checkPlans(async () => {
    await ageProof(world, ada)
    await visitor.get('/confirm?return_to=%2Fadmin%2Fkeys')
    const asked = await submit(visitor, '/admin/keys', publish)
    const fields = { ...hiddenFields(asked.body, '/confirm'), password: PASSWORD }
    const kept = await visitor.post('/confirm', fields)
    const form = hiddenFields(kept.body, publish)
    await world.database.pool.query('delete from browser_sessions where user_id = $1', [ada.id])
    const late = await visitor.post(publish, form)
    await visitor.signIn(late, ada)
    expect((await visitor.post(publish, form)).body).toContain('Nothing was lost')
  })
})

test('a sign-in that replaces a short password reads no whole table', async () => {
  const ada = await world.aMember(school)
  await world.database.db
    .updateTable('users')
    .set({ password_hash: await hashPassword('short') })
    .where('id', '=', ada.id)
    .execute()
  const visitor = new Visitor(world, school)
  await checkPlans(async () => {
    const page = await visitor.signIn(await visitor.get('/sign-in'), ada, 'short')
    const hidden = hiddenFields(page.body, '/sign-in/new-password')
    const fields = { ...hidden, new_password: PASSWORD }
    expect((await visitor.post('/sign-in/new-password', fields)).statusCode).toBe(303)
  })
  await untilSent(world)
})

test('making, using, renaming and removing a passkey reads no whole table', async () => {
  const ada = await world.aMember(school)
  const visitor = await signedIn(world, school, ada)
  const device = new PasskeyDevice(school.origin)
  const path = '/account/passkeys'
  await checkPlans(async () => {
    expect((await addPasskey(visitor, device)).headers.location).toBe(`${path}?done=added`)
    expect((await signInWith(new Visitor(world, school), device)).statusCode).toBe(303)
    const wrong = { origin: 'https://evil.example' }
    expect((await signInWith(new Visitor(world, school), device, wrong)).statusCode).toBe(401)
    await ageProof(world, ada)
    const asks = await visitor.get('/confirm')
    const passkey = device.prove(questionOn(asks))
    const fields = { ...hiddenFields(asks.body, '/confirm'), passkey }
    expect((await visitor.post('/confirm/passkey', fields)).statusCode).toBe(303)
    const [, id] = /passkeys\/([0-9a-f-]{36})\/remove/.exec((await visitor.get(path)).body) ?? []
    for (const act of ['rename', 'remove']) {
      const { location } = (await submit(visitor, path, `${path}/${id}/${act}`, { name: 'Key' }))
        .headers
      expect(location).toBe(`${path}?done=${act}d`)
    }
  })
})

test('the second factor reads no whole table: on, at sign-in, trusted, recovered, off', async () => {
  const ada = await world.aMember(school)
  const page = '/account/second-factor'
  const setup = `${page}/new`
  await checkPlans(async () => {
    const first = await signedIn(world, school, ada)
    expect((await first.get(page)).statusCode).toBe(200)
    const asks = await first.get(setup)
    const app = new TestAuthenticator(keyOn(asks))
    const fields = hiddenFields(asks.body, setup)
    const shown = await first.post(setup, { ...fields, code: app.code() })
    const [code = ''] = recoveryCodesOn(shown)
    const visitor = new Visitor(world, school)
    expect((await visitor.get('/sign-in/code')).statusCode).toBe(303)
    const step = await enterPassword(visitor, ada)
    expect((await enterCode(visitor, step, app.wrongCode())).statusCode).toBe(401)
    const entered = await enterCode(visitor, step, app.code(1), { trust: 'yes' })
    expect(entered.statusCode).toBe(303)
    expect((await enterPassword(visitor, ada)).statusCode).toBe(303)
    const other = new Visitor(world, school)
    const recovered = await enterCode(other, await enterPassword(other, ada), code)
    expect(recovered.statusCode).toBe(303)
    expect((await submit(other, page, `${page}/codes`)).statusCode).toBe(200)
    expect((await submit(other, page, `${page}/off`)).statusCode).toBe(303)
  })
})

test('sending mail after the answer reads no whole table', async () => {
  const [ada, eve] = [await world.aMember(school), await world.aMember(await aBetaSchool(world))]
  await school.db.insert('school_members', { user_id: eve.id, roles: ['student'] }).execute()
  const statements: string[] = []
  world.database.onStatement((text) => statements.push(text))
  for (const { email } of [ada, eve]) {
    await submit(new Visitor(world, school), '/forgotten-password', '/forgotten-password', {
      email,
    })
    await untilSent(world)
  }
  const sending = statements.filter((text) => text !== 'select 1 from outgoing_mails')
  expect(sending.some((text) => text.includes('delete from "outgoing_mails"'))).toBe(true)
  expect(await wholeReads(world.database.connection, sending)).toEqual(new Map())
})

test('sign-out by an app reads no whole table', async () => {
  const ada = await world.aMember(school)
  const after = 'https://app.example/'
  const client = await world.aPublicClient(school, { postLogoutRedirectUris: [after] })
  const visitor = new Visitor(world, school)
  const { id_token = '' } = await aPair(world, school, client, ada, { visitor })
  await checkPlans(async () => {
    const fields = { client_id: client.clientId, post_logout_redirect_uri: after }
    const asks = await visitor.get(`/oauth/logout?${new URLSearchParams(fields)}`)
    const sealed = hiddenFields(asks.body, '/sign-out')
    expect((await visitor.post('/sign-out', sealed)).headers.location).toBe(after)
    const hint = { ...fields, id_token_hint: id_token }
    expect((await visitor.post('/oauth/logout', hint)).statusCode).toBe(303)
    await visitor.signIn(await visitor.get('/sign-in'), ada)
    const done = await visitor.get(`/oauth/logout?${new URLSearchParams(hint)}`)
    expect(done.headers.location).toBe(after)
  })
})

test('ending the access of an app reads no whole table, by its user or by an operator', async () => {
  const ada = await world.aMember(school, ['owner'])
  const client = await world.aPublicClient(school)
  const owner = await signedIn(world, school, ada)
  await aPair(world, school, client, ada)
  await aPair(world, school, client, await world.aMember(school))
  await checkPlans(async () => {
    for (const [page, action] of [
      ['/account/apps', '/account/apps/end'],
      [`/admin/developers/applications/${client.clientId}`, '/admin/clients/end'],
      [`${END_ALL}?id=${client.clientId}`, END_ALL],
    ] as const) {
      const { location } = (await submit(owner, page, action)).headers
      expect(location, action).toMatch(/done=[a-z-]*ended/)
    }
    await aPair(world, school, client, ada)
    const { name } = await world.database.db
      .selectFrom('schools')
      .select('name')
      .where('id', '=', school.id)
      .executeTakeFirstOrThrow()
    const { headers } = await submit(owner, STOP_ALL, STOP_ALL, { confirm_name: name })
    expect(headers.location).toContain('done=all-stopped')
  })
})

test('no form for developers and no settings form reads a whole table', async () => {
  const owner = await signedIn(world, school, await world.aMember(school, ['owner']))
  const [apps, clients] = ['/admin/developers/applications', '/admin/clients']
  const [keys, tools] = ['/admin/keys', '/admin/developers/tools']
  const assistants = '/admin/developers/assistants/claude'
  const document = 'https://tool.example/client.json'
  await school.db
    .insert('clients', {
      client_id: document,
      kind: 'document',
      audience: 'operator',
      name: 'Course Tool',
      redirect_uris: ['https://tool.example/callback'],
      scopes: ['openid', 'courses:read'],
    })
    .execute()
  const tool = `${clients}/view?id=${encodeURIComponent(document)}`
  const form: [string, string][] = [
    ['name', 'Study Planner'],
    ['redirect_uris', CALLBACK],
    ['scopes', 'openid'],
    ['confidential', 'on'],
  ]
  const toolForm: [string, string][] = [
    ['slug', 'reports'],
    ['name', 'Reports'],
    ['redirect_uris', CALLBACK],
    ['scopes', 'courses:read'],
  ]
  // A form that changes nothing writes nothing.
  const renamed = (typed: [string, string][]) =>
    typed.map(([name, value]): [string, string] => [name, name === 'name' ? 'Another' : value])
  const done = async (page: string, action: string, fields?: [string, string][]) => {
    const answer = await submit(owner, page, action, fields)
    expect(answer.statusCode, `${action}: ${answer.body.slice(0, 2000)}`).toBe(303)
    return String(answer.headers.location)
  }
  await checkPlans(async () => {
    const made = await done(`${apps}/new`, apps, form)
    expect((await owner.get(made)).statusCode).toBe(200)
    const [app = ''] = made.split(/\/secret|\?/)
    await done(app, app, renamed(form))
    expect((await owner.get(`${app}/logo`)).statusCode).toBe(200)
    const logo = { field: 'picture', bytes: aPng(32) }
    expect((await uploadTo(owner, `${app}/logo`, logo)).statusCode).toBe(303)
    const shown = /\/app-logos\/[0-9a-f-]+/.exec((await owner.get(app)).body)?.[0] ?? ''
    expect((await owner.get(shown)).statusCode).toBe(200)
    await done(`${app}/renew`, `${app}/secret`)
    await done(`${app}/old-secret`, `${app}/old-secret`)
    const id = app.split('/').at(-1)
    await done(`${clients}/standing?id=${id}`, `${clients}/standing`)
    await done(`${app}/delete`, `${app}/delete`, [['confirm_name', 'Another']])
    await done(assistants, assistants, form.slice(0, 3))
    for (const path of ['/admin/developers/assistants', '/account/assistants']) {
      expect((await owner.get(path)).statusCode).toBe(200)
    }
    await done(tool, `${clients}/review`)
    await done(tool, `${clients}/withdraw-review`)
    await done(clients, `${clients}/documents`, [['document_hosts', 'tool.example']])
    await done(keys, `${keys}/publish`)
    await school.db
      .update('signing_keys')
      .set({ published_at: new Date(0) })
      .execute()
    expect(await done(keys, `${keys}/activate`)).toContain('done=activated')
    await done(keys, `${keys}/publish`)
    const listed = (await owner.get(keys)).body
    const retire = /href="(\/admin\/keys\/retire\?kid=[^"]+)"/.exec(listed)?.[1] ?? ''
    const name = Object.entries(nameAskedFor((await owner.get(retire)).body))
    expect(await done(retire, `${keys}/retire`, name)).toContain('done=retired')
    await done('/admin/settings', '/admin/settings/security')
    const hosts: [string, string][] = [['video_hosts', 'player.vimeo.com']]
    await done('/admin/settings', '/admin/settings/videos', hosts)
    const quiet: [string, string][] = [['quiet_causes', 'order_canceled']]
    await done('/admin/settings', '/admin/settings/notifications', quiet)
    await switchOn(owner)
    await done('/admin/settings', '/admin/settings/factor', [['grace_days', '30']])
    await done('/admin/settings', '/admin/settings/factor')
    await done('/admin/settings', '/admin/settings/beta', [['mcp_connections', 'on']])
    const reports = `${tools}/reports`
    await done(`${tools}/new`, tools, toolForm)
    await done(reports, reports, renamed(toolForm))
    await done(`${reports}/delete`, `${reports}/delete`, [['confirm_name', 'Another']])
  })
})

testStatements('Pages about access', () => answered)
