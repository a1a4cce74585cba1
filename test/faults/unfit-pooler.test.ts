import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createLogger } from '../../src/foundation/http/logging.ts'
import { openPreparedDatabase } from '../../src/start/prepare.ts'
import { environmentOf, run } from '../cli/support/run.ts'
import { emptyDatabase, testDatabase } from '../support/database.ts'
import { aDatabaseProxy } from '../support/database-proxy.ts'
import { connect } from '../support/postgres.ts'

const connection = await emptyDatabase()
const pooler = await aDatabaseProxy(connection, { forgets: 'schoolgate_look' })
const log = createLogger({ level: 'silent' })

test('a pooler that loses prepared statements is refused at the start, and doctor names it', async () => {
  const env = environmentOf(pooler.connection)
  await expect(openPreparedDatabase(readConfig(env), log)).rejects.toMatchObject({
    name: 'StartError',
    message: expect.stringContaining('loses prepared statements'),
    remedy: expect.stringContaining('PgBouncer 1.21'),
  })
  const { code, json } = await run(['doctor', '--json'], env)
  expect(code).toBe(1)
  expect(json.findings).toContainEqual(
    expect.objectContaining({ check: 'pooler', status: 'broken' }),
  )
})

test('a pooler that ignores our settings serves, and doctor names what its role lacks', async () => {
  const { connection: direct } = await testDatabase()
  const ignoring = await aDatabaseProxy(direct, { ignoresOptions: true })
  const env = environmentOf(ignoring.connection)
  const told = async () => {
    const { json } = await run(['doctor', '--json'], env)
    return json.findings.filter(({ check }: { check: string }) => check === 'pooler')
  }
  expect(await told()).toMatchObject([
    { status: 'broken', message: expect.stringContaining('statement_timeout') },
  ])
  const client = await connect(direct)
  await client.query(`alter database ${direct.database} set statement_timeout = '10s'`)
  await client.query(`alter database ${direct.database} set timezone = 'UTC'`)
  const idle = 'idle_in_transaction_session_timeout'
  await client.query(`alter database ${direct.database} set ${idle} = '60s'`)
  await client.end()
  expect(await told()).toEqual([])
  const { server } = await openPreparedDatabase(readConfig(env), log)
  await server.stop()
})

test('a direct connection is not taken for one', async () => {
  const { code, json } = await run(['doctor', '--json'], environmentOf(connection))
  expect(json.findings.map(({ check }: { check: string }) => check)).not.toContain('pooler')
  expect(code).toBe(0)
})
