import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Place } from '../machine/place.ts'
import { type Data, makeWorld, runCommand, startServer } from '../machine/servers.ts'
import { LOGIN, runPostgresProgram, SinglePostgres } from '../machine/single-postgres.ts'
import type { Run, Scenario } from '../scenario.ts'
import { Caller } from '../traffic/caller.ts'
import { checkLedger, type Moment } from '../traffic/check.ts'
import { Traffic } from '../traffic/traffic.ts'
import { purgeOf } from './stages.ts'

const CALM_MS = 6000

export const backupRestored: Scenario = {
  name: 'backup-restored',
  faults:
    'schoolgate backup under traffic, restored into a new database; every token is tried there as it was at that moment',
  needs: ['postgresql'],
  async run(place, seed) {
    const postgres = await SinglePostgres.create(place)
    const { traffic, worldPort } = await begin(place, seed, { DATABASE_URL: postgres.url })
    const file = join(place.folder, 'backup.gz')
    const from = Date.now()
    await command(place, { DATABASE_URL: postgres.url }, ['backup', '--output', file])
    const moment = { from, to: Date.now() }
    await sleep(CALM_MS)
    await traffic.stop()
    await query(postgres.connection, 'create database restored')
    const restored = { DATABASE_URL: postgres.url.replace(/[^/]*$/, 'restored') }
    await command(place, restored, ['migrate'])
    await command(place, restored, ['backup', 'restore', file])
    return await compare(place, traffic, worldPort, restored, moment)
  },
}

export const pointInTime: Scenario = {
  name: 'point-in-time',
  faults:
    'point-in-time recovery: base backup and archived WAL up to a restore point; every token is tried there as it was then',
  needs: ['postgresql'],
  async run(place, seed) {
    const archive = await place.folderFor('archive')
    const postgres = await SinglePostgres.create(place, {
      archive_mode: 'on',
      archive_command: `cp %p ${archive}/%f`,
    })
    const { traffic, worldPort } = await begin(place, seed, { DATABASE_URL: postgres.url })
    const base = await place.folderFor('base')
    await runPostgresProgram('pg_basebackup', [
      ...['-D', base, '-h', '127.0.0.1', '-p', String(postgres.port), '-U', LOGIN.user],
      ...['-c', 'fast', '-X', 'stream'],
    ])
    await sleep(CALM_MS)
    const from = Date.now()
    await query(postgres.connection, "select pg_create_restore_point('hold')")
    const moment = { from, to: Date.now() }
    await sleep(CALM_MS)
    await traffic.stop()
    await postgres.stop()
    await writeFile(join(base, 'recovery.signal'), '')
    const restored = await SinglePostgres.on(place, base, {
      archive_mode: 'off',
      restore_command: `cp ${archive}/%f %p`,
      recovery_target_name: 'hold',
      recovery_target_action: 'promote',
    })
    return await compare(place, traffic, worldPort, { DATABASE_URL: restored.url }, moment)
  },
}

async function begin(place: Place, seed: number, data: Data) {
  const worldPort = await makeWorld(place, data)
  const { port } = await startServer(place, data)
  const traffic = await Traffic.start({
    ports: [port],
    host: `localhost:${worldPort}`,
    seed,
    purge: purgeOf(place, data),
  })
  await sleep(CALM_MS)
  return { traffic, worldPort }
}

/** Asks a server on the restored database about all that was confirmed up to the moment. */
async function compare(
  place: Place,
  traffic: Traffic,
  worldPort: number,
  restored: Data,
  moment: Moment,
): Promise<Run> {
  const { port } = await startServer(place, restored)
  const caller = new Caller([port], `localhost:${worldPort}`, traffic.figures)
  const { ledger } = traffic
  await checkLedger(ledger, caller, moment)
  caller.close()
  const [dead, alive] = [ledger.dead(moment.from), ledger.alive(moment.from, moment.to)]
  const courses = ledger.coursesBefore(moment.from)
  return {
    traffic,
    notes: [
      `tried there: ${dead.length} dead and ${alive.length} living pairs, ${courses.length} courses`,
    ],
  }
}

async function command(place: Place, data: Data, args: readonly string[]): Promise<void> {
  const { code, output } = await runCommand(place, data, args)
  if (code !== 0) throw new Error(`schoolgate ${args.join(' ')} ended with ${code}: ${output}`)
}

async function query(connection: pg.ClientConfig, sql: string): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(sql)
  await client.end()
}
