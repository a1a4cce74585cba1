import { chmod, lstat, mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import {
  type Account,
  chooseAccount,
  findProcess,
  giveTo,
  runAs,
} from '../../src/foundation/db/embedded/account.ts'
import { prepareBinaries } from '../../src/foundation/db/embedded/binaries.ts'
import {
  findRunningEmbedded,
  startEmbeddedPostgres,
} from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { DataFolders, isRoot, query } from './support/data-folders.ts'
import { buildEmbedded, startServer } from './support/embedded-server.ts'
import { copyWithoutLinks, installWithoutLinks } from './support/package-copy.ts'

// On a disk: programs are copied there too, and a place in memory may not run any.
const folders = new DataFolders(tmpdir())
afterAll(() => folders[Symbol.asyncDispose]())

async function expectItWorks(dataDir: string) {
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false })
  try {
    expect(await query(postgres.address, 'select 1 as one')).toEqual([{ one: 1 }])
    expect(await findRunningEmbedded(dataDir)).toMatchObject({ pid: postgres.pid })
    return postgres.address
  } finally {
    await postgres.stop()
  }
}

describe('unusual paths', () => {
  test('if the path is too long for a socket, the socket is in a private temporary folder', async () => {
    const dataDir = join(await folders.make(), 'long'.repeat(30), 'data')
    const { host } = await expectItWorks(dataDir)
    expect(Buffer.byteLength(`${dataDir}/socket/.s.PGSQL.5432`)).toBeGreaterThan(107)
    expect(host.startsWith(dataDir)).toBe(false)
    await expect(lstat(host)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('a folder name may hold spaces, commas, quotes and any script', async () => {
    const dataDir = join(await folders.make(), `Ada's "data", 学校 $HOME`)
    const { host } = await expectItWorks(dataDir)
    expect(host).toBe(join(await realpath(dataDir), 'socket'))
  })
})

describe('a folder that cannot hold the database is refused with its reason', () => {
  test('not writable', async () => {
    // Root cannot make folders in /sys; an ordinary user already fails at mode 0555.
    const dataDir = isRoot ? '/sys/schoolgate/data' : join(await folders.make(0o555), 'data')
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({
      code: 'folder-not-writable',
      message: expect.stringContaining(dataDir),
      remedy: expect.stringContaining('SCHOOLGATE_DATA_DIR'),
    })
  })

  test('a file with its name', async () => {
    const dataDir = join(await folders.make(), 'data')
    await writeFile(dataDir, '')
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({
      code: 'folder-not-writable',
      message: expect.stringContaining('a file is in its place'),
    })
  })

  test('made by another major version', async () => {
    const dataDir = await folders.make()
    await mkdir(join(dataDir, 'pg15'))
    await writeFile(join(dataDir, 'pg15', 'PG_VERSION'), '15\n')
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({
      code: 'other-major',
      message: expect.stringMatching(/pg15 was made by PostgreSQL 15.*PostgreSQL 18/),
      remedy: expect.stringContaining('docs/embedded-postgresql.md'),
    })
    expect(await readdir(dataDir)).toEqual(['pg15'])
  })

  test('not a whole database', async () => {
    const dataDir = await folders.make()
    const cluster = join(dataDir, 'pg18')
    await mkdir(cluster)
    await writeFile(join(cluster, 'half'), '')
    await giveTo(await chooseAccount(join(dataDir, 'nothing-here')), cluster)
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({ code: 'damaged' })
  })

  test('in a place that no longer exists', async () => {
    const dataDir = await folders.make()
    await writeFile(join(dataDir, 'postgresql-location'), '/var/lib/schoolgate/no-such-place\n')
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({
      code: 'folder-missing',
      message: expect.stringContaining('/var/lib/schoolgate/no-such-place'),
    })
  })
})

describe('a PostgreSQL package whose install script npm skipped', () => {
  const runs = async (native: string, account: Account) =>
    (await runAs(account, join(native, 'bin', 'postgres'), ['--version'])).code === 0

  test('gets its missing links, in node_modules', async () => {
    const home = await folders.make()
    const account = await chooseAccount(join(home, 'pg18'))
    const source = await copyWithoutLinks(home)
    expect(await runs(source.native, account)).toBe(false)
    expect(await prepareBinaries(source, home, account)).toBe(source.native)
    expect(await runs(source.native, account)).toBe(true)
  })

  test('is copied to a folder named by version if node_modules cannot be used', async () => {
    const home = await folders.make()
    const account = await chooseAccount(join(home, 'pg18'))
    const source = await copyWithoutLinks(home)
    // Root may write anywhere, but the user that PostgreSQL runs as must be able to read it.
    await chmod(join(source.native, 'lib'), isRoot ? 0o700 : 0o555)
    const copy = await prepareBinaries(source, home, account)
    expect(copy).toBe(join(home, 'binaries', source.version))
    expect(await runs(copy, account)).toBe(true)
    expect(await prepareBinaries(source, home, account)).toBe(copy)
    await chmod(join(source.native, 'lib'), 0o755)
  })
})

if (isRoot) {
  describe('as root', () => {
    test('PostgreSQL runs as another user', async () => {
      const dataDir = await folders.makeWithDatabase()
      const postgres = await startEmbeddedPostgres({ dataDir, durable: false })
      // The running PostgreSQL makes these two.
      for (const path of ['pg18/postmaster.pid', 'socket/.s.PGSQL.5432']) {
        expect((await lstat(join(dataDir, path))).uid).not.toBe(0)
      }
      await postgres.stop()
    })

    test('a folder that only root may enter keeps its mode and gets a file with the place of the database', async () => {
      const dataDir = await folders.make(0o700)
      const { host } = await expectItWorks(dataDir)
      const place = (await readFile(join(dataDir, 'postgresql-location'), 'utf8')).trim()
      expect(place).toMatch(/^\/var\/lib\/schoolgate\/[0-9a-f]+$/)
      expect(dirname(host)).toBe(place)
      expect((await readdir(dataDir)).sort()).toEqual([
        'postgresql-location',
        'postgresql-password',
      ])
      expect((await lstat(dataDir)).mode & 0o777).toBe(0o700)
      expect((await lstat(join(place, 'pg18'))).mode & 0o777).toBe(0o700)
      await expectItWorks(dataDir)
      expect((await readFile(join(dataDir, 'postgresql-location'), 'utf8')).trim()).toBe(place)
    })

    test('a whole project in such a folder works: its PostgreSQL is copied to a readable place', async () => {
      const project = await folders.make(0o700)
      const built = await buildEmbedded(project)
      await installWithoutLinks(built)
      const server = startServer(built, project)
      const { pid, address } = await server.said('ready')
      const place = dirname(address.host)
      const command = (await findProcess(pid))?.command
      expect(command).toMatch(new RegExp(`^${place}/binaries/[^/]+/bin/postgres -D ${place}/pg18 `))
      expect(await query(address, 'select 1 as one')).toEqual([{ one: 1 }])
      process.kill(server.pid, 'SIGTERM')
      await server.said('stopped')
    })

    test('an unreachable database is never replaced by an empty one', async () => {
      const dataDir = await folders.makeWithDatabase()
      await chmod(dataDir, 0o700)
      await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({
        code: 'folder-unreachable',
        message: expect.stringContaining(dataDir),
      })
      expect(await readdir(dataDir)).not.toContain('postgresql-location')
    })

    test('a database that belongs to root is refused with the command that repairs it', async () => {
      const dataDir = await folders.make()
      await mkdir(join(dataDir, 'pg18'))
      await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({
        code: 'wrong-owner',
        remedy: expect.stringContaining('chown'),
      })
    })
  })
} else {
  describe('as an ordinary user', () => {
    test('all files are in the data folder and belong to that user', async () => {
      const dataDir = await folders.make(0o700)
      await expectItWorks(dataDir)
      expect((await readdir(dataDir)).sort()).toEqual([
        'pg18',
        'postgresql-password',
        'postgresql.log',
        'socket',
      ])
      expect((await lstat(join(dataDir, 'pg18'))).uid).toBe(process.getuid?.())
    })

    test("a command that may not read another user's data folder says so", async () => {
      const dataDir = await folders.makeWithDatabase()
      await chmod(join(dataDir, 'postgresql-password'), 0o000)
      await expect(findRunningEmbedded(dataDir)).rejects.toMatchObject({ code: 'wrong-owner' })
    })
  })
}
