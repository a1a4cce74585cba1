import { access, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import {
  findRunningEmbedded,
  startEmbeddedPostgres,
} from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { DataFolders } from '../faults/support/data-folders.ts'
import { run } from './support/run.ts'

const folders = new DataFolders()
afterAll(() => folders[Symbol.asyncDispose]())

const school = (subdomain: string) => [
  ...['school', 'create', '--json', '--subdomain', subdomain],
  ...['--origin', `https://${subdomain}.example`, '--name', subdomain],
]

describe('without a server', () => {
  test('a command starts the database, stops it afterwards, and its changes are kept', async () => {
    const dataDir = await folders.makeWithDatabase()
    const env = { SCHOOLGATE_DATA_DIR: dataDir }
    const made = await run(school('north'), env)
    expect(made.code, made.stderr).toBe(0)
    expect(await findRunningEmbedded(dataDir)).toBeUndefined()
    const published = await run(['keys', 'publish', '--json', '--school', 'north'], env)
    expect(published.code, published.stderr).toBe(0)
    expect((await stat(join(dataDir, 'secret'))).mode & 0o777).toBe(0o600)
    const activated = await run(
      ['keys', 'activate', '--json', '--school', 'north', published.json.kid, '--force'],
      env,
    )
    expect(activated.code, activated.stderr).toBe(0)
    const examined = await run(['doctor', '--json'], { ...env, PORT: '1023' })
    const statuses = examined.json.findings.map(
      ({ check, status }: { check: string; status: string }) => [check, status],
    )
    expect(statuses).toContainEqual(['secret', 'ok'])
    expect(statuses).toContainEqual(['data folder', 'ok'])
    expect(statuses).toContainEqual(['memory', 'ok'])
    expect(await findRunningEmbedded(dataDir)).toBeUndefined()
  })

  test('three commands at once share one database, and all succeed', async () => {
    const dataDir = await folders.makeWithDatabase()
    const env = { SCHOOLGATE_DATA_DIR: dataDir }
    await run(['migrate'], env)
    const made = await Promise.all(['one', 'two', 'three'].map((name) => run(school(name), env)))
    expect(made.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
      [0, ''],
    ])
    expect((await run(['school', 'list', '--json'], env)).json.schools).toHaveLength(3)
    expect(await findRunningEmbedded(dataDir)).toBeUndefined()
  })

  test('a command that fails stops the database that it started', async () => {
    const dataDir = await folders.makeWithDatabase()
    const failed = await run(['keys', 'list', '--json', '--school', 'x'], {
      SCHOOLGATE_DATA_DIR: dataDir,
    })
    expect(failed).toMatchObject({ code: 1, json: { error: 'There is no school "x".' } })
    expect(await findRunningEmbedded(dataDir)).toBeUndefined()
    await expect(access(join(dataDir, 'secret'))).rejects.toThrow(/ENOENT/)
  })
})

describe('next to a running server', () => {
  test('a command uses the database of the server and leaves it running', async () => {
    const dataDir = await folders.makeWithDatabase()
    const server = await startEmbeddedPostgres({ dataDir, durable: false })
    try {
      const made = await run(school('beside'), { SCHOOLGATE_DATA_DIR: dataDir })
      expect(made.code, made.stderr).toBe(0)
      expect((await findRunningEmbedded(dataDir))?.pid).toBe(server.pid)
      const { json } = await run(['doctor', '--json'], { SCHOOLGATE_DATA_DIR: dataDir })
      expect(JSON.stringify(json)).toContain('(running server)')
    } finally {
      await server.stop()
    }
  })
})
