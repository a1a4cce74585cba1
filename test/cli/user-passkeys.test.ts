import { expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { environmentOf, run } from './support/run.ts'

const database = await testDatabase()
const env = environmentOf(database.connection)
const schoolgate = (...argv: string[]) => run([...argv, '--json'], env)
const EMAIL = 'ada@north.example'

await schoolgate(
  ...['school', 'create', '--subdomain', 'north', '--origin', 'https://north.example'],
  ...['--name', 'North'],
)
await schoolgate(
  ...['user', 'create', '--school', 'north', '--email', EMAIL, '--name', 'Ada', '--roles', 'owner'],
)

async function aPasskey(name: string): Promise<string> {
  const { rows } = await database.pool.query<{ id: string }>(
    `with who as (
       select s.id as school_id, u.id as user_id from schools s, users u where u.email = $1),
     handle as (
       insert into passkey_handles (school_id, user_id, handle, last_challenge_at)
       select school_id, user_id, sha256('x'), now() from who on conflict do nothing)
     insert into passkeys (school_id, id, user_id, credential_id, public_key, counter, transports, backup_eligible,
       backed_up, user_verified, name, last_challenge_at)
     select school_id, gen_random_uuid(), user_id, $2::text::bytea, '\\x02', 0, '{}', true, true, true, $2, now() from who
     returning id`,
    [EMAIL, name],
  )
  return rows[0]?.id ?? ''
}

test('user passkeys lists them at all schools, and removes one with a reason', async () => {
  expect((await run(['user', 'passkeys', EMAIL], env)).stdout).toBe(`${EMAIL} has no passkey.\n`)
  const [phone, key] = [await aPasskey('Phone'), await aPasskey('Key')]
  const listed = await schoolgate('user', 'passkeys', EMAIL)
  expect(listed.json.passkeys).toMatchObject([
    { id: phone, school: 'north', name: 'Phone', isSynced: true, lastUsedAt: null },
    { id: key, school: 'north', name: 'Key' },
  ])
  const without = await schoolgate('user', 'passkeys', EMAIL, '--remove', phone)
  expect(without).toMatchObject({ code: 2, json: { error: 'No reason was given.' } })
  const reason = ['--reason', 'lost phone']
  const removed = await schoolgate('user', 'passkeys', EMAIL, '--remove', phone, ...reason)
  expect(removed.json).toMatchObject({ removed: phone })
  const again = await schoolgate('user', 'passkeys', EMAIL, '--remove', phone, ...reason)
  expect(again).toMatchObject({ code: 1, json: { error: `${EMAIL} has no passkey ${phone}.` } })
  const last = await schoolgate('user', 'passkeys', EMAIL, '--remove', key, ...reason)
  expect(last.code).toBe(0)
  const { rows } = await database.pool.query(
    "select subject, detail from audit_entries where action = 'passkey.removed' order by id",
  )
  expect(rows).toMatchObject([
    { subject: phone, detail: { reason: 'lost phone', via: 'command_line' } },
    { subject: key },
  ])
})

test.each([
  ['nobody@north.example', [], 'No person has the email nobody@north.example.'],
  [EMAIL, ['--remove', 'x', '--reason', 'y'], `${EMAIL} has no passkey x.`],
])('user passkeys %s %j fails: %s', async (email, options, error) => {
  expect((await schoolgate('user', 'passkeys', email, ...options)).json).toMatchObject({ error })
})
