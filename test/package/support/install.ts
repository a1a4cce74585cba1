import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const QUIET = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']

export interface Installed {
  readonly folder: string
  readonly bytes: number
  readonly packages: number
}

export async function npm(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', args, { cwd, maxBuffer: 64 * 1024 ** 2 })
  return stdout
}

/** The path of the archive that `npm pack` makes, from a new build. */
export async function pack(place: string): Promise<string> {
  await npm(ROOT, 'pack', '--pack-destination', place, '--loglevel=error')
  const [name] = readdirSync(place).filter((one) => one.endsWith('.tgz'))
  if (name === undefined) throw new Error('npm pack made no archive')
  return join(place, name)
}

/** Installs an archive into an empty folder. */
export async function installInto(
  place: string,
  name: string,
  archive: string,
  ...flags: string[]
): Promise<Installed> {
  const folder = join(place, name)
  mkdirSync(folder)
  await npm(folder, 'install', archive, ...flags, ...QUIET)
  return measured(folder)
}

/**
 * The files that git has, in a new folder, with the packages of a server without an embedded
 * PostgreSQL.
 */
export async function checkout(place: string): Promise<Installed> {
  const folder = join(place, 'checkout')
  mkdirSync(folder)
  await copyTracked(folder)
  await npm(folder, 'ci', '--omit=dev', '--omit=peer', ...QUIET)
  return measured(folder)
}

/** The files of the working tree that git knows, as they are. */
export async function copyTracked(folder: string): Promise<void> {
  const copy = `git ls-files -z | tar --create --null --files-from=- | tar --extract --directory="$1"`
  await promisify(execFile)('sh', ['-c', copy, 'sh', folder], { cwd: ROOT })
}

export function measured(folder: string): Installed {
  const modules = join(folder, 'node_modules')
  const packages = readdirSync(modules, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .flatMap(({ name }) => (name.startsWith('@') ? readdirSync(join(modules, name)) : [name]))
  return { folder, bytes: sizeOf(modules), packages: packages.length }
}

export function sizeOf(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
