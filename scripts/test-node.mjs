// Runs the tests on another Node, which npm brings: npm run test:node -- 24 [test file ...]
// A run of all tests writes its result into docs/guides/install.md.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const root = fileURLToPath(new URL('../', import.meta.url))
const [version = '', ...files] = process.argv.slice(2)
const { platform, arch } = process
const run = (command, args, options) => spawnSync(command, args, { stdio: 'inherit', ...options })

/** The folder of the program, installed outside the dependencies of the project. */
function installNode() {
  const folder = join(root, 'node_modules/.cache/schoolgate', `node-${version}`)
  mkdirSync(folder, { recursive: true })
  // On some platforms the program is in a package of another name.
  for (const name of [`node-${platform}-${arch}`, `node-bin-${platform}-${arch}`]) {
    const program = join(folder, 'node_modules', name, 'bin/node')
    if (existsSync(program)) return program
    run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', `${name}@${version}`])
    if (existsSync(program)) return program
  }
  return undefined
}

async function testOnNode() {
  if (!/^\d+(\.\d+)*$/.test(version)) {
    console.error('Name a version: npm run test:node -- 24')
    return 2
  }
  const program = installNode()
  if (program === undefined) {
    console.error(`npm has no Node ${version} for ${platform} on ${arch}.`)
    return 1
  }
  const env = { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env.PATH}` }
  const full = execFileSync(program, ['--version'], { encoding: 'utf8' }).trim().slice(1)
  console.log(`Node ${full}`)
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const report = join(dirname(program), 'tests.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  rmSync(report, { force: true })
  const { status } = run(program, [vitest, 'run', ...reporters, ...files], { cwd: root, env })
  if (files.length === 0 && existsSync(report)) await record(full, report)
  return status ?? 1
}

async function record(node, report) {
  const { module } = await runnerImport(join(root, 'scripts/release/node-run.ts'))
  const guide = join(root, 'docs/guides/install.md')
  const result = JSON.parse(readFileSync(report, 'utf8'))
  writeFileSync(guide, module.recordRun(readFileSync(guide, 'utf8'), node, new Date(), result))
}

process.exitCode = await testOnNode()
