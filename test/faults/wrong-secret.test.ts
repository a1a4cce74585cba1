import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createLogger } from '../../src/foundation/http/logging.ts'
import { openKeyring } from '../../src/start/installation-secret.ts'
import { openPreparedDatabase } from '../../src/start/prepare.ts'
import { run, urlOf } from '../cli/support/run.ts'
import { emptyDatabase, testDatabase } from '../support/database.ts'

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

const refused = (message: string) => ({
  name: 'StartError',
  message: expect.stringContaining(message),
  remedy: expect.stringContaining('keys accept-secret'),
})

async function aDataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'schoolgate-secret-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('a start with another secret than the first one is refused, and the right one starts again', async () => {
  const connection = await emptyDatabase()
  await start(connection, RIGHT)
  await expect(start(connection, WRONG)).rejects.toMatchObject(
    refused('The secret SCHOOLGATE_SECRET is not the one'),
  )
  await start(connection, RIGHT)
})

test('a database from before there was a check is judged by its signing keys', async () => {
  const connection = await emptyDatabase()
  await start(connection, RIGHT)
  const { db, pool } = await testDatabase(connection)
  await pool.query('delete from installations')
  await expect(start(connection, WRONG)).rejects.toMatchObject(refused('not the one'))
  expect(await db.selectFrom('installations').selectAll().execute()).toEqual([])
  await start(connection, RIGHT)
  expect(await db.selectFrom('installations').selectAll().execute()).toHaveLength(1)
})

test('a lost secret file is named, and no other is written in its place', async () => {
  const connection = await emptyDatabase()
  await start(connection, RIGHT)
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

test('a new database gets a secret file of its own', async () => {
  const { db } = await testDatabase()
  const folder = await aDataFolder()
  const config = readConfig({ SCHOOLGATE_DATA_DIR: folder })
  await openKeyring(config, db)
  expect(await readdir(folder)).toEqual(['secret'])
  await openKeyring(config, db)
})

test('commands that seal keys refuse a wrong secret too, doctor names it, and a lost one can be replaced', async () => {
  const connection = await emptyDatabase()
  await start(connection, RIGHT)
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
