// Makes everything that the server needs and git does not have: dist, the files of the explorer,
// the link of the command. dist has the program in a few large files: to load a thousand small ones
// takes half of a start.
//   node scripts/build.mjs               always
//   node scripts/build.mjs --if-needed   only if dist is missing or was built from other sources
//                                        (npm start)
//   node scripts/build.mjs --clean       without the parts of older builds, which a running server
//                                        may still load (npm pack)
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
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
  for (const name of [...sources, 'tsconfig.json', 'package-lock.json'].sort()) {
    hash.update(`${name}\0`).update(readFileSync(join(root, name)))
  }
  return hash.digest('hex')
}

async function findBundler() {
  try {
    return await import('vite')
  } catch (error) {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}

/**
 * Packages stay outside. Every file is directly in dist, where sources that name files beside them
 * expect those.
 */
async function bundle(bundler) {
  await bundler.build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      ssr: true,
      target: 'node20',
      minify: false,
      sourcemap: true,
      outDir: 'dist',
      emptyOutDir: how === '--clean',
      copyPublicDir: false,
      rolldownOptions: {
        input: {
          main: join(root, 'src/main.ts'),
          'markdown-thread': join(root, 'src/foundation/markdown/markdown-thread.ts'),
        },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  })
}

/** With --omit=dev nothing can be built; a dist that is there is used as it is. */
function withoutBundler() {
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
  const bundler = await findBundler()
  if (bundler === undefined) return withoutBundler()
  if (how === '--if-needed') console.error('Building Schoolgate …')
  await import('./copy-explorer.mjs')
  await bundle(bundler)
  await import('./link-command.mjs')
  writeFileSync(mark, digest)
  return 0
}

process.exitCode = await build()
