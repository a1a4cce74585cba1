import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import {
  addAuthenticator,
  readAuthenticator,
} from '../../src/domain/people/factors/authenticators.ts'
import {
  normalCode,
  renewRecoveryCodes,
  useRecoveryCode,
} from '../../src/domain/people/factors/recovery-codes.ts'
import { checkSealedKeys } from '../../src/domain/schools/signing.ts'
import {
  countSealed,
  judgeSecret,
  SEALED_COLUMNS,
  sealAgain,
} from '../../src/domain/setup/installation-secret.ts'
import { Keyring } from '../../src/foundation/crypto/seal.ts'
import { openKeyring } from '../../src/start/installation-secret.ts'
import { copyDatabase, emptyDatabase, testDatabase } from '../support/database.ts'
import { connect } from '../support/postgres.ts'
import { run, urlOf } from './support/run.ts'

const OLD = 'the secret that this database was made with'
const NEW = 'a new secret, which is just as long as that'
const both = new Keyring(NEW, OLD)

const original = await emptyDatabase()
await run(['demo'], { DATABASE_URL: urlOf(original), SCHOOLGATE_SECRET: OLD })

async function aDatabase() {
  return await testDatabase(await copyDatabase(String(original.database)))
}

const environment = (connection: pg.ClientConfig, more: Record<string, string> = {}) => ({
  DATABASE_URL: urlOf(connection),
  SCHOOLGATE_SECRET: NEW,
  ...more,
})
const withOld = { SCHOOLGATE_OLD_SECRET: OLD }

async function secretFindings(env: Record<string, string>) {
  const { json } = await run(['doctor', '--json'], env)
  return json.findings.filter(({ check }: { check: string }) => /secret/.test(check))
}

describe('a rotation of the secret', () => {
  test('seals everything with the new one, after which the old one opens nothing', async () => {
    const { db, connection } = await aDatabase()
    const env = environment(connection, withOld)
    const before = await checkSealedKeys(db, new Keyring(OLD))
    expect(before).toMatchObject({ unreadable: [] })
    expect(before.sealedKeys).toBeGreaterThan(1)
    expect(await secretFindings(env)).toMatchObject([
      { status: 'ok' },
      { status: 'note', remedy: expect.stringContaining('secrets rotate') },
    ])

    const { code, json } = await run(['secrets', 'rotate', '--json'], env)
    expect([code, json.unreadable]).toEqual([0, 0])
    expect(json.old).toBe(json.found)
    expect(await checkSealedKeys(db, new Keyring(NEW))).toEqual(before)
    expect((await checkSealedKeys(db, new Keyring(OLD))).unreadable).toHaveLength(before.sealedKeys)
    expect(await judgeSecret(db, new Keyring(NEW))).toBe('right')
    expect(await judgeSecret(db, new Keyring(OLD))).toBe('wrong')
    expect(await secretFindings(env)).toMatchObject([
      { status: 'ok' },
      { status: 'note', remedy: expect.stringContaining('remove SCHOOLGATE_OLD_SECRET') },
    ])
    expect(await secretFindings(environment(connection))).toMatchObject([{ status: 'ok' }])
  })

  test('leaves authenticators and recovery codes usable, without the old secret', async () => {
    const { db } = await aDatabase()
    const { id: userId } = await db.selectFrom('users').select('id').executeTakeFirstOrThrow()
    const secret = Buffer.alloc(20, 7)
    await addAuthenticator(db, new Keyring(OLD), { userId, secret, step: 1 })
    const [first = '', second = ''] = await renewRecoveryCodes(db, new Keyring(OLD), userId)
    expect(await useRecoveryCode(db, both, userId, normalCode(first))).toBe(true)
    await sealAgain(db, both)
    expect(await readAuthenticator(db, new Keyring(NEW), userId)).toEqual(secret)
    await expect(readAuthenticator(db, new Keyring(OLD), userId)).rejects.toThrow()
    expect(await useRecoveryCode(db, new Keyring(NEW), userId, normalCode(first))).toBe(false)
    expect(await useRecoveryCode(db, new Keyring(NEW), userId, normalCode(second))).toBe(true)
  })

  test('can be repeated without harm', async () => {
    const { db, connection } = await aDatabase()
    const env = environment(connection, withOld)
    await run(['secrets', 'rotate'], env)
    const rows = () => db.selectFrom('signing_keys').select('sealed_private_key').execute()
    const sealed = await rows()
    const again = await run(['secrets', 'rotate'], env)
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('already') })
    expect(await rows()).toEqual(sealed)
  })

  test('that was killed half-way leaves every value readable with both secrets, and is finished by the next', async () => {
    const { db, connection } = await aDatabase()
    const killed = sealAgain(db, both, {
      pageSize: 1,
      onPage: () => {
        throw new Error('killed')
      },
    })
    await expect(killed).rejects.toThrow('killed')
    const half = await countSealed(db, both)
    expect(half).toMatchObject({ old: half.found - 1, unreadable: 0 })
    expect((await checkSealedKeys(db, both)).unreadable).toEqual([])
    // A server without the old secret would not open the rest, so it does not start.
    const alone = openKeyring(readConfig(environment(connection)), db)
    await expect(alone).rejects.toThrow('is not the one that this database was made with')
    await openKeyring(readConfig(environment(connection, withOld)), db)
    expect(await sealAgain(db, both, { pageSize: 1 })).toMatchObject({ old: half.old })
    expect(await countSealed(db, new Keyring(NEW))).toEqual({ ...half, old: 0 })
  })

  test('does not overwrite a value that was written after it was read', async () => {
    const { db, connection } = await aDatabase()
    const client = await connect(connection)
    onTestFinished(() => client.end())
    await client.query('begin')
    await client.query(`update signing_keys set sealed_private_key = 'written meanwhile'`)
    const rotation = sealAgain(db, both)
    await expect.poll(() => waiting(connection)).toBe(1)
    await client.query('commit')
    await expect(rotation).resolves.toMatchObject({ unreadable: expect.any(Number) })
    const { rows } = await client.query(
      `select distinct convert_from(sealed_private_key, 'utf8') as value from signing_keys`,
    )
    expect(rows).toEqual([{ value: 'written meanwhile' }])
  })

  test('counts what neither secret opens, and leaves it as it is', async () => {
    const { db } = await aDatabase()
    await db
      .updateTable('signing_keys')
      .set({ sealed_private_key: Buffer.from('no') })
      .execute()
    const counted = await countSealed(db, both)
    expect(counted).toMatchObject({ old: 0, unreadable: counted.found })
    expect(await sealAgain(db, both)).toEqual(counted)
  })

  test('is refused without an old secret, and with one that is not the right one', async () => {
    const { connection } = await aDatabase()
    const none = await run(['secrets', 'rotate', '--json'], environment(connection))
    expect([none.code, none.json.remedy]).toEqual([1, expect.stringContaining('OLD_SECRET')])
    const wrong = environment(connection, { SCHOOLGATE_OLD_SECRET: 'w'.repeat(40) })
    const refused = await run(['secrets', 'rotate', '--json'], wrong)
    expect([refused.code, refused.json.error]).toEqual([1, expect.stringContaining('not the one')])
  })

  test('knows every column that it names', async () => {
    const { pool } = await aDatabase()
    for (const { table, column, key } of SEALED_COLUMNS) {
      await pool.query(`select ${Object.keys(key)}, ${column} from ${table} limit 1`)
    }
  })
})

async function waiting(connection: pg.ClientConfig): Promise<number> {
  const client = await connect(connection)
  const { rowCount } = await client.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  await client.end()
  return rowCount ?? 0
}

describe('the secret', () => {
  const given = async (env: Record<string, string>) => {
    const { db } = await aDatabase()
    return await openKeyring(readConfig(env), db)
  }

  async function aFile(text: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'schoolgate-secret-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await chmod(folder, 0o700)
    const path = join(folder, 'secret')
    await writeFile(path, text)
    return path
  }

  test('comes from a file, with or without an end of line', async () => {
    for (const text of [OLD, `${OLD}\n`]) {
      await given({ SCHOOLGATE_SECRET_FILE: await aFile(text) })
    }
  })

  test('comes from a command', async () => {
    await given({ SCHOOLGATE_SECRET_COMMAND: `printf '%s\\n' '${OLD}'` })
    await given({
      SCHOOLGATE_SECRET: NEW,
      SCHOOLGATE_OLD_SECRET_COMMAND: `printf '%s\\n' '${OLD}'`,
    })
  })

  test('that is too short, or a file or command that fails, is refused without showing what it gave', async () => {
    const short = await aFile('hunter2')
    for (const [env, message] of [
      [{ SCHOOLGATE_SECRET_FILE: short }, 'SCHOOLGATE_SECRET_FILE gives 7 characters'],
      [{ SCHOOLGATE_SECRET_FILE: `${short}-gone` }, 'cannot be read: ENOENT'],
      [{ SCHOOLGATE_SECRET_COMMAND: 'echo hunter2' }, 'SCHOOLGATE_SECRET_COMMAND gives 7'],
      [
        { SCHOOLGATE_SECRET_COMMAND: 'echo hunter2; echo "no network" >&2; exit 7' },
        'ended with 7. no network',
      ],
    ] as const) {
      const error = await given(env).catch((thrown: Error) => thrown)
      expect(error).toMatchObject({ name: 'StartError', message: expect.stringContaining(message) })
      expect(JSON.stringify(error)).not.toContain('hunter2')
    }
  })

  test('that is wrong is named by where it comes from', async () => {
    const path = await aFile(NEW)
    await expect(given({ SCHOOLGATE_SECRET_FILE: path })).rejects.toThrow(`The secret in ${path}`)
    const command = { SCHOOLGATE_SECRET_COMMAND: `printf %s '${NEW}'` }
    await expect(given(command)).rejects.toThrow('The secret of SCHOOLGATE_SECRET_COMMAND')
  })
})
