// Runs the tests on another Node, which npm brings: npm run test:node -- 24 [test file ...]
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

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

function testOnNode() {
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
  run(program, ['--version'])
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  return run(program, [vitest, 'run', ...files], { cwd: root, env }).status ?? 1
}

process.exitCode = testOnNode()
