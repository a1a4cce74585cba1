import { expect, test } from 'vitest'
import { addAuthenticator } from '../../src/domain/people/factors/authenticators.ts'
import { renewRecoveryCodes } from '../../src/domain/people/factors/recovery-codes.ts'
import { Keyring } from '../../src/foundation/crypto/seal.ts'
import { signedIn } from '../support/operator-like.ts'
import { aWorld } from '../support/world.ts'
import { environmentOf, run, SECRET } from './support/run.ts'

const world = await aWorld()
const { db, connection } = world.database
const env = environmentOf(connection)
const school = await world.aSchool()
const keyring = new Keyring(SECRET)

const reset = (email: string, reason: string) =>
  run(['user', 'reset-factors', email, '--json', '--reason', reason], env)

test('reset-factors removes the second factor, codes and trusted browsers, ends sessions and tells the person; no school reads its reason or counts sessions of other schools', async () => {
  const [ada, eve] = [await world.aMember(school), await world.aMember(school)]
  for (const { id } of [ada, eve]) {
    await addAuthenticator(db, keyring, { userId: id, secret: Buffer.alloc(20), step: 1 })
    await renewRecoveryCodes(db, keyring, id)
    await school.db
      .insert('trusted_devices', {
        id,
        secret_hash: Buffer.alloc(32),
        user_id: id,
        expires_at: new Date(Date.now() + 1e9),
      })
      .execute()
  }
  for (const [n, { db: schoolDb }] of [school, await world.aSchool()].entries()) {
    await schoolDb
      .insert('browser_sessions', {
        id: n === 0 ? ada.id : eve.id,
        secret_hash: Buffer.alloc(32),
        user_id: ada.id,
        expires_at: new Date(Date.now() + 1e9),
      })
      .execute()
  }
  const done = await reset(ada.email.toUpperCase(), ' lost phone, known in person ')
  expect(done).toMatchObject({ code: 0, json: { hadSecondFactor: true, sessions: 2 } })
  for (const table of ['authenticators', 'recovery_codes', 'trusted_devices'] as const) {
    const rows = await db.selectFrom(table).select('user_id').distinct().execute()
    expect(rows, table).toEqual([{ user_id: eve.id }])
  }
  const entries = await db
    .selectFrom('audit_entries')
    .select(['school_id', 'subject', 'detail'])
    .where('action', '=', 'factor.removed')
    .orderBy('school_id')
    .execute()
  const [via, reason] = ['command_line', 'lost phone, known in person']
  expect(entries).toEqual([
    { school_id: school.id, subject: ada.id, detail: { via } },
    { school_id: null, subject: ada.id, detail: { via, reason, sessions: 2 } },
  ])
  const mails = await school.db.from('outgoing_mails').select(['email', 'facts']).execute()
  const facts = { what: 'factor_reset', device: '', isHere: true }
  expect(mails).toEqual([{ email: ada.email, facts }])
  const visitor = await signedIn(world, school, ada)
  expect((await visitor.get('/account')).statusCode).toBe(200)
})

test('reset-factors needs a reason and a known person', async () => {
  expect(await reset('nobody@people.test', 'x')).toMatchObject({ code: 1 })
  const ada = await world.aMember(school)
  expect(await reset(ada.email, ' ')).toMatchObject({ code: 2 })
  expect(await run(['user', 'reset-factors', ada.email], env)).toMatchObject({ code: 2 })
  expect(await reset(ada.email, 'none at all')).toMatchObject({
    code: 0,
    json: { hadSecondFactor: false },
  })
})
