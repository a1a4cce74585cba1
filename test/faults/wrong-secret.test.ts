import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { checkContents } from '../../src/cli/doctor/check-contents.ts'
import { readConfig } from '../../src/config.ts'
import { createLogger } from '../../src/foundation/http/logging.ts'
import { openKeyring } from '../../src/start/installation-secret.ts'
import { joinPreparedDatabase, openPreparedDatabase } from '../../src/start/prepare.ts'
import type { StartError } from '../../src/start/start-error.ts'
import { run, urlOf } from '../cli/support/run.ts'
import { copyDatabase, emptyDatabase, testDatabase } from '../support/database.ts'

const log = createLogger({ level: 'silent' })
const RIGHT = 'the secret that this database was made with'
const WRONG = 'another secret, which is just as long as that'

const environment = (connection: pg.ClientConfig, secret: string) => ({
  DATABASE_URL: urlOf(connection),
  SCHOOLGATE_SECRET: secret,
  SCHOOLGATE_DEMO: 'on',
})
const start = (connection: pg.ClientConfig, secret: string) =>
  openPreparedDatabase(readConfig(environment(connection, secret)), log)

const original = await emptyDatabase()
await start(original, RIGHT)

/** A database of its own after the first start with the right secret, which made the demo world. */
const aStartedDatabase = () => copyDatabase(String(original.database))

const refused = (message: string) => ({
  name: 'StartError',
  message: expect.stringContaining(message),
  remedy: expect.stringMatching(/set SCHOOLGATE_OLD_SECRET .*secrets rotate.*keys accept-secret/),
})

async function aDataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'schoolgate-secret-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('a start with another secret than the first one is refused, and the right one starts again', async () => {
  const connection = await aStartedDatabase()
  await expect(start(connection, WRONG)).rejects.toMatchObject(
    refused('The secret SCHOOLGATE_SECRET is not the one'),
  )
  await start(connection, RIGHT)
})

test('a database from before there was a check is judged by its signing keys', async () => {
  const connection = await aStartedDatabase()
  const { db, pool } = await testDatabase(connection)
  await pool.query('delete from installations')
  await expect(start(connection, WRONG)).rejects.toMatchObject(refused('not the one'))
  expect(await db.selectFrom('installations').selectAll().execute()).toEqual([])
  await start(connection, RIGHT)
  expect(await db.selectFrom('installations').selectAll().execute()).toHaveLength(1)
})

test('a lost secret file is named, and no other is written in its place', async () => {
  const connection = await aStartedDatabase()
  const { db } = await testDatabase(connection)
  const folder = await aDataFolder()
  const config = readConfig({ SCHOOLGATE_DATA_DIR: folder })
  await expect(openKeyring(config, db)).rejects.toMatchObject(
    refused(`The file ${join(folder, 'secret')} is missing`),
  )
  expect(await readdir(folder)).toEqual([])
  await writeFile(join(folder, 'secret'), WRONG)
  await expect(openKeyring(config, db)).rejects.toMatchObject(
    refused(`The secret in ${join(folder, 'secret')} is not the one`),
  )
  await writeFile(join(folder, 'secret'), RIGHT)
  await openKeyring(config, db)
})

test('a worker that is started again makes no new secret and accepts no other one', async () => {
  const connection = await aStartedDatabase()
  const folder = await aDataFolder()
  const given = readConfig({ ...environment(connection, RIGHT), SCHOOLGATE_DATA_DIR: folder })
  await joinPreparedDatabase(given)
  const fromFile = { ...given, SCHOOLGATE_SECRET: undefined }
  await expect(joinPreparedDatabase(fromFile)).rejects.toMatchObject(refused('is missing'))
  expect(await readdir(folder)).toEqual([])
  await writeFile(join(folder, 'secret'), WRONG)
  await expect(joinPreparedDatabase(fromFile)).rejects.toMatchObject(refused('not the one'))
})

test('doctor says of a lost secret file what a start says, also without signing keys', async () => {
  const connection = await aStartedDatabase()
  const { db, pool } = await testDatabase(connection)
  await pool.query('delete from signing_keys')
  const config = readConfig({ SCHOOLGATE_DATA_DIR: await aDataFolder() })
  const judged = async () =>
    (await checkContents(db, config)).find(({ check }) => check === 'secret')
  const problem = await openKeyring(config, db).catch((error: StartError) => error)
  expect(problem).toMatchObject(refused('is missing'))
  expect(await judged()).toMatchObject({
    status: 'broken',
    message: expect.stringContaining((problem as StartError).message),
    remedy: (problem as StartError).remedy,
  })
  await pool.query('delete from installations')
  expect(await judged()).toMatchObject({ status: 'note' })
  await openKeyring(config, db)
  expect(await judged()).toMatchObject({ status: 'ok' })
})

test('doctor calls keys that an older secret sealed broken, although the server starts', async () => {
  const connection = await aStartedDatabase()
  const env = environment(connection, WRONG)
  expect((await run(['keys', 'accept-secret', '--json'], env)).code).toBe(0)
  const { json } = await run(['doctor', '--json'], env)
  const finding = json.findings.find(({ check }: { check: string }) => check === 'secret')
  expect(finding).toMatchObject({ status: 'broken', remedy: expect.stringContaining('new keys') })
  expect(finding.message).not.toContain('does not start')
})

test('a new database gets a secret file of its own', async () => {
  const { db } = await testDatabase()
  const folder = await aDataFolder()
  const config = readConfig({ SCHOOLGATE_DATA_DIR: folder })
  await openKeyring(config, db)
  expect(await readdir(folder)).toEqual(['secret'])
  await openKeyring(config, db)
})

test('commands that seal keys refuse a wrong secret too, doctor names it, and a lost one can be replaced', async () => {
  const connection = await aStartedDatabase()
  const env = environment(connection, WRONG)
  const publish = ['keys', 'publish', '--school', 'demo', '--json']
  expect(await run(publish, env)).toMatchObject({
    code: 1,
    json: { error: expect.stringContaining('not the one') },
  })
  const doctor = await run(['doctor', '--json'], env)
  expect(doctor.json.findings).toContainEqual(
    expect.objectContaining({ check: 'secret', status: 'broken' }),
  )
  const accepted = await run(['keys', 'accept-secret', '--json'], env)
  expect(accepted).toMatchObject({ code: 0, json: { unreadable: expect.any(Array) } })
  expect((await run(publish, env)).code).toBe(0)
  await start(connection, WRONG)
  await expect(start(connection, RIGHT)).rejects.toMatchObject(refused('not the one'))
})
