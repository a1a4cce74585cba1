// Makes everything that the server needs and git does not have: dist, the files of the explorer, the link of the command.
//   node scripts/build.mjs               compiles what changed
//   node scripts/build.mjs --if-needed   only if dist is missing or was built from other sources (npm start)
//   node scripts/build.mjs --clean       from nothing, so that no file of a deleted source is packed (npm pack)
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
/** The digest of the sources that dist was built from. */
const mark = join(root, 'dist/.sources')
const [how] = process.argv.slice(2)

function digestOfSources() {
  const hash = createHash('sha256')
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
    .map((name) => join('src', name))
  for (const name of [
    ...sources,
    'tsconfig.json',
    'tsconfig.build.json',
    'package-lock.json',
  ].sort()) {
    hash.update(`${name}\0`).update(readFileSync(join(root, name)))
  }
  return hash.digest('hex')
}

function findCompiler() {
  try {
    return createRequire(import.meta.url).resolve('typescript/package.json')
  } catch {
    return undefined
  }
}

/** With --omit=dev nothing can be built; a dist that is there is used as it is. */
function withoutCompiler() {
  if (existsSync(join(root, 'dist/main.js'))) {
    console.error(
      'dist was built from other sources, and cannot be built here: it is used as it is.',
    )
    return 0
  }
  console.error(
    'Schoolgate is not built, and the packages that build it are not installed.\n→ run `npm ci && npm run build`; afterwards `npm prune --omit=dev` removes those packages',
  )
  return 1
}

async function build() {
  const digest = digestOfSources()
  const isBuilt = existsSync(mark) && readFileSync(mark, 'utf8') === digest
  if (how === '--if-needed' && isBuilt) return 0
  const compiler = findCompiler()
  if (compiler === undefined) return withoutCompiler()
  if (how === '--clean') rmSync(join(root, 'dist'), { recursive: true, force: true })
  if (how === '--if-needed') console.error('Building Schoolgate …')
  await import('./copy-explorer.mjs')
  const tsc = join(compiler, '../bin/tsc')
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) return status ?? 1
  await import('./link-command.mjs')
  writeFileSync(mark, digest)
  return 0
}

process.exitCode = await build()
