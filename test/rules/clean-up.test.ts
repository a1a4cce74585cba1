import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access } from 'node:fs/promises'
import { afterAll, expect, inject, test } from 'vitest'
import { startEmbeddedPostgres } from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { DataFolders } from '../faults/support/data-folders.ts'
import { cleanUp, whenFileIsDone } from '../support/clean-up.ts'
import { dropDatabase, testDatabase } from '../support/database.ts'
import { connect } from '../support/postgres.ts'

const folders = new DataFolders()
afterAll(() => folders[Symbol.asyncDispose]())

test('clean-ups run in reverse order, even if one of them fails', async () => {
  const closed: string[] = []
  whenFileIsDone(() => closed.push('opened first'))
  whenFileIsDone(() => Promise.reject(new Error('does not close')))
  whenFileIsDone(() => closed.push('opened last'))
  await expect(cleanUp()).rejects.toThrow('does not close')
  expect(closed).toEqual(['opened last', 'opened first'])
})

test('a test file that leaves a connection open fails, and its database is dropped', async () => {
  const server = inject('postgres')
  const admin = await connect(server)
  await admin.query('create database left_open')
  const left = await connect({ ...server, database: 'left_open' })
  left.on('error', () => undefined)
  const ended = new Promise<void>((resolve) => left.once('end', resolve))
  await left.query("select 'asked last'")
  await expect(dropDatabase(server, 'left_open', { timeout: 10 })).rejects.toThrow(/asked last/)
  await ended
  const { rows } = await admin.query("select from pg_database where datname = 'left_open'")
  expect(rows).toEqual([])
  await admin.end()
})

test('a database that a test opens is closed and dropped when the file is done', async () => {
  const database = await testDatabase()
  await database.pool.query('select 1')
  await cleanUp()
  await expect(connect(database.connection)).rejects.toMatchObject({ code: '3D000' })
})

test('a run that is interrupted and then killed leaves neither its PostgreSQL nor its files', async () => {
  const folder = await folders.makeWithDatabase()
  const postgres = await startEmbeddedPostgres({ dataDir: folder, durable: false })
  const program = new URL('../support/run-guard.mjs', import.meta.url).pathname
  const guard = spawn(process.execPath, [program, folder], { stdio: ['pipe', 'ignore', 'inherit'] })
  await once(guard, 'spawn')
  const ended = once(guard, 'exit')
  guard.stdin.destroy()
  expect(await ended).toEqual([0, null])
  expect(await postgres.onExit).toMatchObject({ pid: postgres.pid })
  await expect(access(folder)).rejects.toThrow('ENOENT')
})
