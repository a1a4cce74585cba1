import { mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { readBackupAge } from '../../src/domain/setup/backup-lease.ts'
import { keepSecretCheck } from '../../src/domain/setup/installation-secret.ts'
import { Keyring } from '../../src/foundation/crypto/seal.ts'
import { migrate } from '../../src/foundation/db/migration/migrate.ts'
import { createLogger } from '../../src/foundation/http/logging.ts'
import { readBackup } from '../../src/start/backup/read-backup.ts'
import { restoreBackup } from '../../src/start/backup/restore-backup.ts'
import { backUpIfDue, backupPlanOf } from '../../src/start/backup/scheduled-backups.ts'
import { environmentOf, run, SECRET } from '../cli/support/run.ts'
import { emptyDatabase, testDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { connect } from '../support/postgres.ts'

const parent = await mkdtemp(join(tmpdir(), 'schoolgate-scheduled-'))
afterAll(() => rm(parent, { recursive: true, force: true }))

async function anInstallation(everySeconds = 3600, keep = 2) {
  const database = await testDatabase()
  await keepSecretCheck(database.db, new Keyring(SECRET))
  const folder = join(await mkdtemp(join(parent, 'one-')), 'backups')
  const lines: Record<string, unknown>[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const log = createLogger({ level: 'info', destination })
  const place = { db: database.db, connection: database.connection, log }
  const plan = { everySeconds, keep, folder }
  const letPass = (what: string) =>
    database.pool.query(
      `update installations set backed_up_at = backed_up_at - $1::interval,
         backup_lease_until = backup_lease_until - $1::interval`,
      [what],
    )
  const backUp = () => backUpIfDue(plan, place)
  return { database, folder, lines, letPass, place, plan, backUp }
}

test('is made when it is due, once, whole and readable by its owner alone', async () => {
  const { database, folder, lines, letPass, backUp } = await anInstallation()
  expect(await readBackupAge(database.db)).toMatchObject({ isNone: true })
  const file = (await backUp()) ?? ''
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  expect((await readBackup(file)).rows).toBeGreaterThan(0)
  expect(await readBackupAge(database.db)).toMatchObject({ isNone: false })
  expect(lines).toMatchObject([{ msg: 'the database was backed up', rows: expect.any(Number) }])
  expect(await backUp()).toBeUndefined()
  await letPass('2 hours')
  expect(await backUp()).toBeDefined()
})

test('is made by one of many processes', async () => {
  const { folder, backUp } = await anInstallation()
  const files = await Promise.all(Array.from({ length: 6 }, backUp))
  expect(files.filter((file) => file !== undefined)).toHaveLength(1)
  expect(await readdir(folder)).toHaveLength(1)
})

test('removes the oldest ones and what a killed process left, and nothing else', async () => {
  const { folder, letPass, backUp } = await anInstallation()
  const first = (await backUp()) ?? ''
  const others = [
    'notes.txt',
    // As `schoolgate backup` names a file, while it writes it, and as another installation does.
    'schoolgate-2026-11-01T00-00-00-000Z.backup.gz',
    'schoolgate-2026-11-01T00-00-00-000Z.backup.gz.0a1b2c3d.part',
    'schoolgate-every-00000000-2026-11-01T00-00-00-000Z.backup.gz',
  ]
  for (const name of others) await writeFile(join(folder, name), 'mine')
  await writeFile(`${first}.0a1b2c3d.part`, 'half')
  for (let i = 0; i < 2; i += 1) {
    await letPass('2 hours')
    await backUp()
  }
  const names = await readdir(folder)
  expect(names).toHaveLength(2 + others.length)
  expect(names).toEqual(expect.arrayContaining(others))
  expect(names.some((name) => first.endsWith(name))).toBe(false)
})

test('keeps the newest one, also if older ones have later names', async () => {
  const { folder, letPass, backUp } = await anInstallation(3600, 1)
  const first = (await backUp()) ?? ''
  await rename(first, first.replace(/-20\d\d-/, '-2999-'))
  await letPass('2 hours')
  const second = (await backUp()) ?? ''
  expect((await readdir(folder)).map((name) => join(folder, name))).toEqual([second])
})

test('a stop ends one that waits, leaves nothing, and lets another process begin', async () => {
  const { database, folder, place, plan } = await anInstallation()
  const holder = await connect(database.connection)
  await holder.query('begin; lock table users in access exclusive mode')
  const stopping = new AbortController()
  const writing = backUpIfDue(plan, { ...place, signal: stopping.signal })
  await expect.poll(() => readdir(folder).catch(() => []), eventually).toHaveLength(1)
  stopping.abort()
  expect(await writing).toBeUndefined()
  expect(await readdir(folder)).toEqual([])
  await holder.end()
  expect(await backUpIfDue(plan, place)).toBeDefined()
})

test('one that fails is told, leaves nothing, and is tried again ten minutes later', async () => {
  const { database, folder, lines, letPass, backUp } = await anInstallation()
  await writeFile(folder, 'a file in its place')
  expect(await backUp()).toBeUndefined()
  expect(lines).toMatchObject([{ level: 'error', msg: expect.stringContaining('10 minutes') }])
  expect(await readBackupAge(database.db)).toMatchObject({ isNone: true })
  await rm(folder)
  expect(await backUp()).toBeUndefined()
  await letPass('11 minutes')
  expect(await backUp()).toBeDefined()
})

test('the work of a process that died is taken over when its lease ends', async () => {
  const { database, letPass, backUp } = await anInstallation()
  await database.pool.query(
    "update installations set backup_lease_until = now() + interval '4 minutes'",
  )
  expect(await backUp()).toBeUndefined()
  await letPass('5 minutes')
  expect(await backUp()).toBeDefined()
})

test('the settings say how often, where and how many, and need each other', () => {
  const wanted = { BACKUP_EVERY: '6h', BACKUP_DIR: '/backups', BACKUP_KEEP: '28' }
  expect(backupPlanOf(readConfig(wanted))).toEqual({
    everySeconds: 21_600,
    keep: 28,
    folder: '/backups',
  })
  expect(backupPlanOf(readConfig({}))).toBeUndefined()
  expect(() => readConfig({ BACKUP_EVERY: '6h' })).toThrow('BACKUP_DIR is missing')
  expect(() => readConfig({ BACKUP_EVERY: 'often', BACKUP_DIR: '/b' })).toThrow('such as 30m, 6h')
})

test('one that is restored elsewhere lets that place make its own at once', async () => {
  const { backUp } = await anInstallation()
  const file = (await backUp()) ?? ''
  const other = await emptyDatabase()
  await migrate(other)
  await restoreBackup(other, file)
  const client = await connect(other)
  const { rows } = await client.query('select backup_lease_until, backed_up_at from installations')
  await client.end()
  expect(rows).toEqual([{ backup_lease_until: null, backed_up_at: null }])
})

test('doctor says how old the last one is, and whether the folder can be written', async () => {
  const { database, folder, letPass, backUp } = await anInstallation()
  const env = { ...environmentOf(database.connection), BACKUP_EVERY: '1h', BACKUP_DIR: folder }
  const told = async (more: Record<string, string> = {}) => {
    const { json } = await run(['doctor', '--json'], { ...env, ...more })
    return json.findings.filter(({ check }: { check: string }) => check === 'backups')
  }
  expect(await told()).toMatchObject([{ status: 'note' }])
  const file = (await backUp()) ?? ''
  expect(await told()).toMatchObject([{ status: 'ok' }])
  await letPass('3 hours')
  expect(await told()).toMatchObject([
    { status: 'broken', message: expect.stringContaining('3 hours old') },
  ])
  expect(await told({ BACKUP_DIR: join(file, 'below a file') })).toMatchObject([
    { status: 'broken', message: expect.stringContaining('cannot write') },
    {},
  ])
})
