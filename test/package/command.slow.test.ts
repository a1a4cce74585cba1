import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeEach, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'schoolgate-command-'))
afterAll(() => rmSync(folder, { recursive: true }))

beforeEach(() => {
  rmSync(folder, { recursive: true })
  mkdirSync(folder)
  cpSync(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true })
})

function run(
  script: string,
  ...args: string[]
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(folder, script), ...args], (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err })
    })
  })
}

/** A checkout of a few lines, with a bundler that only copies. */
function aCheckout(bundler: boolean): void {
  for (const name of ['build.mjs', 'link-command.mjs']) {
    cpSync(join(ROOT, 'scripts', name), join(folder, 'scripts', name))
  }
  writeFileSync(join(folder, 'scripts/copy-explorer.mjs'), '')
  mkdirSync(join(folder, 'src'))
  writeFileSync(join(folder, 'src/main.ts'), 'console.log("one", ...process.argv.slice(2))')
  for (const name of ['tsconfig.json', 'package-lock.json', 'package.json']) {
    writeFileSync(join(folder, name), '{"type":"module"}')
  }
  if (!bundler) return
  const vite = join(folder, 'node_modules/vite')
  mkdirSync(vite, { recursive: true })
  writeFileSync(join(vite, 'package.json'), '{"type":"module","exports":"./vite.js"}')
  writeFileSync(
    join(vite, 'vite.js'),
    `import { copyFileSync, mkdirSync } from 'node:fs'
     export async function build({ root }) {
       mkdirSync(root + '/dist', { recursive: true })
       copyFileSync(root + '/src/main.ts', root + '/dist/main.js')
       console.error('built')
     }`,
  )
}

test('an installed package without its program says so, and builds nothing', async () => {
  expect(await run('bin/schoolgate.mjs', 'doctor')).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('install the package again'),
  })
})

test('the first command in a checkout builds it, and its answer alone is on standard output', async () => {
  aCheckout(true)
  const first = await run('bin/schoolgate.mjs', 'doctor')
  expect(first).toMatchObject({ code: 0, out: 'one doctor\n' })
  expect(first.err).toContain('built')
  expect(await run('bin/schoolgate.mjs', 'doctor')).toMatchObject({ out: 'one doctor\n', err: '' })
})

test('npm start builds again after a change of the sources, and only then', async () => {
  aCheckout(true)
  const ifNeeded = () => run('scripts/build.mjs', '--if-needed')
  expect((await ifNeeded()).err).toContain('built')
  expect(await ifNeeded()).toMatchObject({ code: 0, err: '' })
  writeFileSync(join(folder, 'src/main.ts'), 'console.log("two")')
  expect((await ifNeeded()).err).toContain('built')
  expect((await run('bin/schoolgate.mjs')).out).toBe('two\n')
})

test('where nothing can be built, npm start says what to install, and uses a dist that is there', async () => {
  aCheckout(false)
  expect(await run('scripts/build.mjs', '--if-needed')).toMatchObject({
    code: 1,
    err: expect.stringContaining('npm ci && npm run build'),
  })
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'dist/main.js'), '')
  expect(await run('scripts/build.mjs', '--if-needed')).toMatchObject({
    code: 0,
    err: expect.stringContaining('as it is'),
  })
})
