import { chown, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runnerImport } from 'vite'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import type { withOwnConnection } from '../../src/foundation/db/connection-pool.ts'
import { type Database, openDatabase } from '../../src/foundation/db/database.ts'
import {
  type DatabaseAddress,
  startEmbeddedPostgres,
} from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { Hosts } from '../../src/foundation/db/hosts.ts'
import { PATIENT } from '../support/database.ts'
import { aDatabaseProxy } from '../support/database-proxy.ts'
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

const TIMELINE = 'select left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline, $1::int'
const [FIRST, PROMOTED] = ['00000001', '00000002']

/** Both accept writes, and the former one does not know what happened since. */
async function bothPrimaries(): Promise<readonly [old: DatabaseAddress, current: DatabaseAddress]> {
  // Of its own: this process remembers the promotion of its cluster, and the other test files use
  // copies of one cluster.
  const former = await folders.make()
  await (await startEmbeddedPostgres({ dataDir: former, durable: false })).stop()
  const promoted = await folders.makeLike(former)
  await promote(promoted)
  // Without hot_standby it accepts connections only when the recovery is over.
  const settings = { restore_command: 'false', hot_standby: 'off' }
  return [await start(former), await start(promoted, settings)]
}

test('a former primary that hung and wakes up is not asked, although it accepts writes', async () => {
  const [old, current] = await bothPrimaries()

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
  const { rows } = await open({ hosts: new Hosts([old, current]) }).pool.query(TIMELINE, [0])
  expect(rows).toMatchObject([{ timeline: PROMOTED }])
})

/** The modules anew, as in a process that has seen no timeline. */
async function aNewProcess() {
  const { module } = await runnerImport<{
    openDatabase: typeof openDatabase
    withOwnConnection: typeof withOwnConnection
  }>('./test/faults/support/ways-to-connect.ts')
  return module
}

test('a process that starts asks all hosts first: the former primary is listed first, accepts writes, and is not used', async () => {
  const [old, current] = await bothPrimaries()
  const connection = () => ({ hosts: new Hosts([old, current]) })
  const ways: readonly ((
    database: Database,
  ) => Promise<{ readonly rows: readonly { readonly timeline: string }[] }>)[] = [
    ({ pool }) => pool.query(TIMELINE, [0]),
    ({ pipelines }) => {
      const ask = () => pipelines.run<{ timeline: string }>(TIMELINE, [0])
      return ask().catch(ask)
    },
  ]
  for (const ask of ways) {
    const process = await aNewProcess()
    const database = process.openDatabase({ ...PATIENT, connection: connection(), poolSize: 4 })
    onTestFinished(() => database.close())
    expect((await ask(database)).rows[0]?.timeline).toBe(PROMOTED)
  }
  const command = await aNewProcess()
  const { rows } = await command.withOwnConnection(connection(), (client) =>
    client.query(TIMELINE, [0]),
  )
  expect(rows[0].timeline).toBe(PROMOTED)
})

test('a process that starts while another host is silent uses the one that answers', async () => {
  const old = await start(await folders.make())
  const silent = await aDatabaseProxy(old)
  silent.vanish()
  const process = await aNewProcess()
  const connection = { hosts: new Hosts([old, silent.connection]) }
  const database = process.openDatabase({ ...PATIENT, connection, poolSize: 4 })
  onTestFinished(() => database.close())
  expect((await database.pool.query(TIMELINE, [0])).rows).toMatchObject([{ timeline: FIRST }])
})
