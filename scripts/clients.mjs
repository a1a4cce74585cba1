// Takes clients of other authors through the demo schools and writes docs/clients.md:
//   npm run clients [-- client ...]
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const folder = `${root}clients`
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))

function isInstalled([name, version]) {
  const path = `${folder}/node_modules/${name}/package.json`
  return existsSync(path) && readJson(path).version === version
}

const { dependencies } = readJson(`${folder}/package.json`)
const missing = Object.entries(dependencies).filter((dependency) => !isInstalled(dependency))
if (missing.length > 0) {
  const names = missing.map(([name, version]) => `${name} ${version}`).join(', ')
  console.error(`Not installed: ${names}. Run npm --prefix clients ci, then this again.`)
  process.exit(1)
}
execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
// npm links the Node 22 that only the MCP Inspector needs; npx would run every other client with
// it.
rmSync(`${folder}/node_modules/.bin/node`, { force: true })
// Not by npm, which would look for Node in the same place.
const tsx = `${folder}/node_modules/tsx/dist/cli.mjs`
const { status } = spawnSync(process.execPath, [tsx, 'run.ts', ...process.argv.slice(2)], {
  cwd: folder,
  // Otherwise mcp-use reports its use, and Express prints the errors that a trial causes on
  // purpose.
  env: { ...process.env, MCP_USE_ANONYMIZED_TELEMETRY: 'false', NODE_ENV: 'test' },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
