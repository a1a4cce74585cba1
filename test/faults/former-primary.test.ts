import { chown, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { type Database, openDatabase } from '../../src/foundation/db/database.ts'
import {
  type DatabaseAddress,
  startEmbeddedPostgres,
} from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { Hosts } from '../../src/foundation/db/hosts.ts'
import { PATIENT } from '../support/database.ts'
import { clusterOf, DataFolders } from './support/data-folders.ts'

const folders = new DataFolders()
afterAll(() => folders[Symbol.asyncDispose]())

function open(connection: DatabaseAddress | { hosts: Hosts }): Database {
  const database = openDatabase({ ...PATIENT, connection, poolSize: 4 })
  onTestFinished(() => database.close())
  return database
}

async function start(dataDir: string, settings?: Record<string, string>): Promise<DatabaseAddress> {
  const postgres = await startEmbeddedPostgres({
    dataDir,
    durable: false,
    ...(settings && { settings }),
  })
  onTestFinished(() => postgres.stop())
  return postgres.address
}

/** As after a failover: the copy goes on where the original stood, on a new timeline. */
async function promote(folder: string): Promise<void> {
  const cluster = await clusterOf(folder)
  const signal = join(cluster, 'recovery.signal')
  const { uid, gid } = await stat(cluster)
  await writeFile(signal, '')
  await chown(signal, uid, gid)
}

test('a former primary that hung and wakes up is not asked, although it accepts writes', async () => {
  // Of its own: this process remembers the promotion of its cluster, and the other test files use copies of one cluster.
  const former = await folders.make()
  await (await startEmbeddedPostgres({ dataDir: former, durable: false })).stop()
  const promoted = await folders.makeLike(former)
  await promote(promoted)
  // Without hot_standby it accepts connections only when the recovery is over.
  const settings = { restore_command: 'false', hot_standby: 'off' }
  const [old, current] = [await start(former), await start(promoted, settings)]

  const before = open(old)
  expect((await before.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  expect((await open(current).pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])

  const misled = open(old)
  const asked = [
    ...Object.values(misled.pools).map((pool) => pool.query('create table things (id int)')),
    misled.pipelines.run('select $1::int', [1]),
  ]
  for (const one of await Promise.allSettled(asked)) {
    const reason = { code: '25006', message: expect.stringContaining('former primary') }
    expect(one).toMatchObject({ status: 'rejected', reason })
  }
  const { rows } = await open({ hosts: new Hosts([old, current]) }).pool.query<{ port: string }>(
    'show port',
  )
  expect(rows).toEqual([{ port: String(current.port) }])
})
