import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { run } from '../cli/support/run.ts'
import { clusterOf, DataFolders } from './support/data-folders.ts'

const folders = new DataFolders()
afterAll(() => folders[Symbol.asyncDispose]())

test('a data folder that has lost its database gets a backup back, whole or not at all', async () => {
  const dataDir = await folders.makeWithDatabase()
  await rm(await clusterOf(dataDir), { recursive: true })
  const env = { SCHOOLGATE_DATA_DIR: dataDir }
  const half = join(dataDir, 'half.gz')
  await writeFile(half, 'no backup')
  expect(await run(['backup', 'restore', half], env)).toMatchObject({ code: 1 })
  expect(await clusterOf(dataDir)).toBe(dataDir)
  const file = join(dataDir, 'whole.gz')
  const source = { SCHOOLGATE_DATA_DIR: await folders.makeWithDatabase() }
  const north = ['--subdomain', 'north', '--origin', 'https://north.example', '--name', 'North']
  expect(await run(['school', 'create', ...north], source)).toMatchObject({ code: 0, stderr: '' })
  expect(await run(['backup', '--output', file], source)).toMatchObject({ code: 0, stderr: '' })
  expect(await run(['backup', 'restore', file], env)).toMatchObject({ code: 0, stderr: '' })
  expect((await run(['school', 'list'], env)).stdout).toContain('https://north.example')
})
