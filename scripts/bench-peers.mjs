import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Installs the packages that the bench compares us with, if the list changed since the last time.
const bench = new URL('../bench/', import.meta.url)

function changedAt(path) {
  return statSync(new URL(path, bench), { throwIfNoEntry: false })?.mtimeMs ?? 0
}

if (changedAt('node_modules/.package-lock.json') < changedAt('package-lock.json')) {
  const { status } = spawnSync('npm', ['ci'], { cwd: fileURLToPath(bench), stdio: 'inherit' })
  process.exitCode = status ?? 1
}
