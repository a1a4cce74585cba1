import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createLogger } from '../../src/foundation/http/logging.ts'
import { openPreparedDatabase } from '../../src/start/prepare.ts'
import { environmentOf, run } from '../cli/support/run.ts'
import { emptyDatabase } from '../support/database.ts'
import { aDatabaseProxy } from '../support/database-proxy.ts'

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

test('a direct connection is not taken for one', async () => {
  const { code, json } = await run(['doctor', '--json'], environmentOf(connection))
  expect(json.findings.map(({ check }: { check: string }) => check)).not.toContain('pooler')
  expect(code).toBe(0)
})
