import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/foundation/db/database.ts'
import { loadMigrations } from '../../src/foundation/db/migration/migrations.ts'
import { openKeyring } from '../../src/start/installation-secret.ts'
import { readinessChecks } from '../../src/start/readiness.ts'
import { emptyDatabase, PATIENT } from '../support/database.ts'
import { connect } from '../support/postgres.ts'

async function aDatabase() {
  const connection = await emptyDatabase()
  const statements: string[] = []
  const database = openDatabase({
    ...PATIENT,
    connection,
    // One connection for signed-in callers, so that each statement sees the settings of the one
    // before.
    poolSize: 2,
    observe: (text) => statements.push(text),
  })
  onTestFinished(() => database.close())
  await openKeyring(readConfig({ SCHOOLGATE_SECRET: 'x'.repeat(40) }), database.db)
  return { connection, database, statements }
}

async function readiness(
  database: Awaited<ReturnType<typeof aDatabase>>['database'],
  provenForMs: number,
) {
  const checks = readinessChecks(database, await loadMigrations(), () => false, provenForMs)
  return async () => await checks.find(({ name }) => name === 'database')?.findProblem()
}

const writes = (statements: readonly string[]) =>
  statements.filter((text) => /update installations/.test(text)).length

describe('readiness', () => {
  test('proves a write, and not again as long as the proof counts', async () => {
    const { database, statements } = await aDatabase()
    const often = await readiness(database, Number.POSITIVE_INFINITY)
    for (let n = 0; n < 5; n++) expect(await often()).toBeUndefined()
    expect(writes(statements)).toBe(1)
    const always = await readiness(database, 0)
    for (let n = 0; n < 5; n++) expect(await always()).toBeUndefined()
    expect(writes(statements)).toBe(6)
  })

  test('fails while the database only reads, also if a write was proven before', async () => {
    const { database } = await aDatabase()
    const check = await readiness(database, 0)
    expect(await check()).toBeUndefined()
    await database.pool.query('set default_transaction_read_only = on')
    expect(await check()).toMatch(/accepts no writes/)
    // Its connection was given up, and the next one can write.
    expect(await check()).toBeUndefined()
  })

  test('does not wait for another process that proves the same', async () => {
    const { connection, database } = await aDatabase()
    const other = await connect(connection)
    await other.query('begin')
    await other.query('update installations set written_at = now()')
    expect(await (await readiness(database, 0))()).toBeUndefined()
    await other.query('rollback')
    await other.end()
  })

  test('fails after a request met a full disk, until tables can grow again', async () => {
    const { database } = await aDatabase()
    const check = await readiness(database, Number.POSITIVE_INFINITY)
    expect(await check()).toBeUndefined()
    // What fills the table of the proof fails as PostgreSQL does on a full disk.
    await database.pool.query(`create function md5(text) returns text language plpgsql as
      $f$ begin raise exception 'No space left on device' using errcode = '53100'; end $f$`)
    await database.pool.query('set search_path = public, pg_catalog')
    await expect(sql`select md5('x')`.execute(database.db)).rejects.toMatchObject({ code: '53100' })
    expect(await check()).toBe('The disk of the database is full.')
    expect(await check()).toBe('The disk of the database is full.')
    await database.pool.query('drop function public.md5(text)')
    expect(await check()).toBeUndefined()
  })
})
