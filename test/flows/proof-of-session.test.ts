import { expect, test } from 'vitest'
import {
  findSession,
  type ProvenPerson,
  renewProof,
  startSession,
} from '../../src/domain/people/sessions.ts'
import { signIn } from '../../src/domain/people/sign-in.ts'
import { whileRowHeld } from '../support/row-lock.ts'
import { PASSWORD, sharedWorld, type TestPerson } from '../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const { db, pool } = world.database

async function proofOf({ email }: TestPerson): Promise<ProvenPerson> {
  const key = world.context.keyring.key('sign-in-throttle')
  const attempt = { email, password: PASSWORD, address: '192.0.2.1', schoolId: school.id }
  const outcome = await signIn(db, key, attempt)
  if (outcome.kind !== 'signed_in') throw new Error(outcome.kind)
  return outcome
}

/** A session whose last proof was an hour ago. */
async function anOldSession(person: TestPerson) {
  const begun = await startSession(school.db, await proofOf(person), 'a browser')
  if (begun === undefined) throw new Error('no session')
  await pool.query(
    "update browser_sessions set authenticated_at = authenticated_at - interval '1 hour' where id = $1",
    [begun.id],
  )
  return { ...begun, find: () => findSession(school.db, begun.cookie) }
}

const ageOf = (session: { authenticatedAt: Date; readAt: Date } | undefined): number =>
  session === undefined
    ? Number.NaN
    : (session.readAt.getTime() - session.authenticatedAt.getTime()) / 1000

test('a session says what was proved and when; a later proof renews both', async () => {
  const ada = await world.aMember(school)
  const old = await anOldSession(ada)
  const before = await old.find()
  expect(before?.methods).toEqual(['password'])
  expect(ageOf(before)).toBeGreaterThanOrEqual(3600)
  const proven = { ...(await proofOf(ada)), methods: ['password', 'code'] } as const
  const renewed = await renewProof(school.db, old.id, proven)
  const after = await findSession(school.db, renewed?.cookie)
  expect(after?.id).toBe(old.id)
  expect(after?.methods).toEqual(['password', 'code'])
  expect(ageOf(after)).toBeLessThan(3600)
})

test('a stolen copy of the cookie ends when its owner proves again who they are', async () => {
  const ada = await world.aMember(school)
  const old = await anOldSession(ada)
  expect(await renewProof(school.db, old.id, await proofOf(ada))).toBeDefined()
  expect(await old.find()).toBeUndefined()
})

test('the proof of another person renews nothing', async () => {
  const old = await anOldSession(await world.aMember(school))
  const thief = await proofOf(await world.aMember(school))
  expect(await renewProof(school.db, old.id, thief)).toBeUndefined()
  expect(ageOf(await old.find())).toBeGreaterThanOrEqual(3600)
})

test('a password that was changed after its check renews nothing', async () => {
  const ada = await world.aMember(school)
  const old = await anOldSession(ada)
  const proven = await proofOf(ada)
  await pool.query("update users set password_hash = 'another' where id = $1", [ada.id])
  expect(await renewProof(school.db, old.id, proven)).toBeUndefined()
  expect(await startSession(school.db, proven, 'late')).toBeUndefined()
})

test('a thief with the password gets no session by a sign-in that was under way while the second factor was switched on', async () => {
  const ada = await world.aMember(school)
  const old = await anOldSession(ada)
  const proven = await proofOf(ada)
  const begun = await whileRowHeld(
    world.database.connection,
    { lock: 'select from users where id = $1 for no key update', id: ada.id },
    () => startSession(school.db, proven, 'a thief'),
    async (waiting, holder) => {
      await waiting(1)
      await holder.query(
        "insert into authenticators (user_id, sealed_secret, last_step) values ($1, '\\x00', 0)",
        [ada.id],
      )
      await holder.query('commit')
    },
  )
  expect(begun).toBeUndefined()
  expect(await renewProof(school.db, old.id, proven)).toBeUndefined()
  const withCode = { ...proven, methods: ['password', 'code'] } as const
  expect(await startSession(school.db, withCode, 'a browser')).toBeDefined()
})

test('a session of another school is not renewed', async () => {
  const ada = await world.aMember(school)
  const old = await anOldSession(ada)
  const other = await world.aSchool()
  expect(await renewProof(other.db, old.id, await proofOf(ada))).toBeUndefined()
})

test('a passkey that does not exist, or is of another school or person, starts no session', async () => {
  const ada = await world.aMember(school)
  const { person } = await proofOf(ada)
  const eve = await proofOf(await world.aMember(school))
  const passkey = await aPasskeyRow(ada)
  const proven = {
    person,
    credential: { kind: 'passkey', id: passkey },
    methods: ['passkey'],
  } as const
  const other = await world.aSchool()
  expect(await startSession(other.db, proven, 'elsewhere')).toBeUndefined()
  expect(await startSession(school.db, { ...proven, person: eve.person }, 'eve')).toBeUndefined()
  const begun = await startSession(school.db, proven, 'a browser')
  expect((await findSession(school.db, begun?.cookie))?.methods).toEqual(['passkey'])
  await school.db.delete('passkeys').where('id', '=', passkey).execute()
  expect(await startSession(school.db, proven, 'late')).toBeUndefined()
})

async function aPasskeyRow({ id: userId }: TestPerson): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `with handle as (
       insert into passkey_handles (school_id, user_id, handle, last_challenge_at)
       values ($1, $2, sha256($2::uuid::text::bytea), now()))
     insert into passkeys (school_id, id, user_id, credential_id, public_key, counter, transports,
       backup_eligible, backed_up, user_verified, name, last_challenge_at)
     values ($1, gen_random_uuid(), $2, '\\x01', '\\x02', 0, '{}', false, false, true, 'A key', now()) returning id`,
    [school.id, userId],
  )
  return rows[0]?.id ?? ''
}
