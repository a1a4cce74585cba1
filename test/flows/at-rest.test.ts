import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createApplication } from '../../src/domain/clients/application-operations.ts'
import { smtpMailer } from '../../src/foundation/mail/mailer.ts'
import { enterCode, enterPassword, switchOn } from '../support/authenticator.ts'
import { aPkce, authorizeAs, hiddenFields, Visitor } from '../support/browser-like.ts'
import { exchange, type Pair } from '../support/client-like.ts'
import { aMailBox } from '../support/mail-box.ts'
import { submit } from '../support/operator-like.ts'
import { outputOf, performByCommandLine } from '../support/performing.ts'
import { aWorld, CALLBACK, PASSWORD } from '../support/world.ts'

const mailBox = await aMailBox()
const world = await aWorld({ mailer: smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>') })
const school = await world.aSchool()
const ada = await world.aMember(school)

/** Every row of every table as text; bytes are shown in hexadecimal. */
async function wholeDatabase(): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select quote_ident(table_name) as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(world.database.db)
  const tables = await Promise.all(
    rows.map(({ name }) =>
      sql<{ row: string }>`select t::text as row from ${sql.raw(name)} t`.execute(
        world.database.db,
      ),
    ),
  )
  return tables.flatMap((table) => table.rows.map(({ row }) => row)).join('\n')
}

/**
 * The secret as text, the bytes of its text, and its last bytes if it is written in base64. Base64
 * itself has the `_` that ends a prefix, so what follows each of them is read.
 */
function formsOf(secret: string): readonly string[] {
  const ends = [-1, ...[...secret].keys()].filter((n) => n === -1 || secret[n] === '_')
  const bytes = ends.map((end) => Buffer.from(secret.slice(end + 1), 'base64url').subarray(-24))
  const long = bytes.filter(({ length }) => length === 24)
  return [secret, Buffer.from(secret).toString('hex'), ...long.map((one) => one.toString('hex'))]
}

test('a reader of the database finds no secret that opens anything', async () => {
  const application = { name: 'An app', redirect_uris: [CALLBACK], confidential: true }
  const { client_id: clientId, client_secret } = outputOf(
    await performByCommandLine(school, createApplication, {
      ...application,
      scopes: ['openid', 'account:read'],
    }),
  )
  const secret = String(client_secret)
  const client = { clientId, secret, redirectUri: CALLBACK }
  const visitor = new Visitor(world, school)
  const pkce = aPkce()
  const scope = 'openid account:read'
  const callback = await authorizeAs(world, school, client, ada, { visitor, pkce, scope })
  const code = String(callback.get('code'))
  const pair: Pair = (await exchange(world, school, client, code, pkce.verifier)).json()
  const page = await visitor.get('/forgotten-password')
  const fields = hiddenFields(page.body, '/forgotten-password')
  await visitor.post('/forgotten-password', { ...fields, email: ada.email })
  const mail = await mailBox.take(ada.email)
  const factor = await switchOn(visitor)
  await submit(visitor, '/account', '/sign-out')
  const step = await enterPassword(visitor, ada)
  await enterCode(visitor, step, factor.app.code(1), { trust: 'yes' })
  const link = /[?&]token=([^\s&]+)/.exec(mail.text)?.[1]

  const secrets = {
    password: PASSWORD,
    secret,
    code,
    verifier: pkce.verifier,
    access: pair.access_token,
    refresh: pair.refresh_token,
    idToken: pair.id_token,
    link,
    authenticatorKey: factor.key,
    recoveryCode: factor.recoveryCodes[0],
    digitsOfRecoveryCode: factor.recoveryCodes[1]?.replaceAll('-', ''),
    ...visitor.cookies(),
  }
  const database = await wholeDatabase()
  expect(database).toContain(ada.email)
  expect(database).toContain(clientId)
  for (const [what, value] of Object.entries(secrets)) {
    expect(value, what).toMatch(/^.{15,}$/)
    const found = formsOf(String(value)).filter((form) => database.includes(form))
    expect(found, what).toEqual([])
  }
  const keys = await school.db.from('signing_keys').select('sealed_private_key').execute()
  expect(keys.length).toBeGreaterThan(0)
  expect(Object.keys(visitor.cookies())).toContain('schoolgate-trust-80')
  expect(database).not.toContain(factor.app.secretHex())
  expect(database).not.toContain('PRIVATE KEY')
  expect(database).not.toMatch(/"d": ?"/)
})
