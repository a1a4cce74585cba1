import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { identify, isThere } from './embedded-postgres.ts'

async function aCluster(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'schoolgate-identity-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const cluster = join(folder, 'pg18')
  await fill(cluster)
  return cluster
}

async function fill(cluster: string): Promise<void> {
  await mkdir(join(cluster, 'global'), { recursive: true })
  await writeFile(join(cluster, 'PG_VERSION'), '18')
  await writeFile(join(cluster, 'global', 'pg_control'), '')
}

/** A link to itself: to look at it fails, and that proves nothing. */
async function makeUnreadable(path: string): Promise<void> {
  await rename(path, `${path}-elsewhere`)
  await symlink(path, path)
}

test('a file that cannot be looked at is not taken for a deleted one', async () => {
  const cluster = await aCluster()
  const first = await identify(cluster)
  expect(await isThere(cluster, first)).toBe(true)
  await makeUnreadable(join(cluster, 'PG_VERSION'))
  expect(await isThere(cluster, first)).toBe(true)
  await makeUnreadable(cluster)
  expect(await isThere(cluster, first)).toBe(true)
})

test.each([
  ['deleted', (cluster: string) => rm(cluster, { recursive: true })],
  ['without its control file', (cluster: string) => rm(join(cluster, 'global', 'pg_control'))],
  [
    'below a file',
    async (cluster: string) => {
      await rm(join(cluster, 'global'), { recursive: true })
      await writeFile(join(cluster, 'global'), '')
    },
  ],
  [
    'another one',
    async (cluster: string) => {
      await rename(cluster, `${cluster}-elsewhere`)
      await fill(cluster)
    },
  ],
])('a database that is %s is gone', async (_how, take) => {
  const cluster = await aCluster()
  const first = await identify(cluster)
  await take(cluster)
  expect(await isThere(cluster, first)).toBe(false)
})
