#!/usr/bin/env node
// The command `schoolgate`. An installed package has been built; a checkout is built when it is
// first needed.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const OLDEST = [20, 19]
const program = new URL('../dist/main.js', import.meta.url)
const builder = fileURLToPath(new URL('../scripts/build.mjs', import.meta.url))

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  console.error(
    `Schoolgate needs Node ${OLDEST.join('.')} or newer, and this is ${process.versions.node}.\n→ install Node 24`,
  )
  process.exit(1)
}
if (!existsSync(program)) {
  if (!existsSync(builder)) {
    console.error('The folder dist of this package is missing.\n→ install the package again')
    process.exit(1)
  }
  // On standard error, because the answer of a command belongs on standard output.
  const { status } = spawnSync(process.execPath, [builder], { stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(status ?? 1)
}
await import(program.href)
