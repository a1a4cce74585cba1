// Runs the conformance suite of the Model Context Protocol against its own demo server, for every
// revision that the tool endpoint speaks, and writes docs/mcp-conformance.md.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeConformance } from './describe-conformance.mjs'

const REVISIONS = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']

const root = new URL('../', import.meta.url).pathname
const suiteFolder = join(root, 'conformance')
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))
const { dependencies } = readJson(join(suiteFolder, 'package.json'))
const suiteVersion = dependencies['@modelcontextprotocol/conformance']
const expected = readJson(join(suiteFolder, 'expected-failures.json'))

function installSuite() {
  const installed = join(suiteFolder, 'node_modules/@modelcontextprotocol/conformance/package.json')
  if (existsSync(installed) && readJson(installed).version === suiteVersion) return
  execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: suiteFolder, stdio: 'inherit' })
}

/**
 * The suite needs Node 22. The product runs on 20, so the suite installs its own Node if needed.
 */
function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath
  const { platform, arch } = process
  const found = [`node-${platform}-${arch}`, `node-bin-${platform}-${arch}`]
    .map((name) => join(suiteFolder, 'node_modules', name, 'bin/node'))
    .find((path) => existsSync(path))
  if (found !== undefined) return found
  throw new Error(
    `No Node 22 is packaged for ${platform} on ${arch}: run this with Node 22 or newer.`,
  )
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

async function startDemo(folder) {
  const port = await freePort()
  const { DATABASE_URL: _database, ...inherited } = process.env
  const server = spawn(process.execPath, [join(root, 'dist/main.js'), 'start'], {
    env: { ...inherited, PORT: `${port}`, SCHOOLGATE_DATA_DIR: join(folder, 'data') },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const origin = `http://localhost:${port}`
  for (let tries = 0; tries < 300 && server.exitCode === null; tries++) {
    if (
      await fetch(`${origin}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      )
    ) {
      return { origin, stop: () => stop(server) }
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  await stop(server)
  throw new Error('The demo server did not become ready: run npm start to see why.')
}

async function stop(server) {
  if (server.exitCode !== null) return
  server.kill('SIGTERM')
  await once(server, 'exit')
}

/** The checks of every scenario by name, from the files that the suite wrote. */
function readResults(folder) {
  if (!existsSync(folder)) return {}
  const results = readdirSync(folder).toSorted()
  return Object.fromEntries(
    results.map((name) => [
      name.replace(/^(?:authorization-)?server-(.*)-\d{4}-\d\d-\d\dT.*$/, '$1'),
      readJson(join(folder, name, 'checks.json')),
    ]),
  )
}

function runSuite(node, args, output) {
  const program = join(suiteFolder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
  const run = spawnSync(node, [program, ...args, '--output-dir', output], { encoding: 'utf8' })
  return {
    passed: run.status === 0,
    text: `${run.stdout}${run.stderr}`,
    checks: readResults(output),
  }
}

installSuite()
execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
const node = findNode()
const folder = mkdtempSync(join(tmpdir(), 'schoolgate-conformance-'))
const baseline = join(folder, 'expected-failures.yaml')
// JSON is valid YAML; the reasons are left out because the suite does not accept them.
writeFileSync(baseline, JSON.stringify({ server: expected.flatMap(({ checks }) => checks) }))
const demo = await startDemo(folder)
const runs = []
try {
  for (const revision of REVISIONS) {
    const version = ['--spec-version', revision]
    const server = ['server', '--url', `${demo.origin}/mcp`, '--suite', 'all', ...version]
    const metadata = ['authorization', '--url', demo.origin, ...version]
    runs.push({
      revision,
      tools: runSuite(
        node,
        [...server, '--expected-failures', baseline],
        join(folder, revision, 'server'),
      ),
      metadata: runSuite(
        node,
        [...metadata, '--scenario', 'authorization-server-metadata-endpoint'],
        join(folder, revision, 'authorization'),
      ),
    })
  }
} finally {
  await demo.stop()
  rmSync(folder, { recursive: true, force: true })
}

const { markdown, problems } = describeConformance({ suiteVersion, expected, runs })
for (const { tools, metadata } of runs) {
  for (const run of [tools, metadata]) if (!run.passed) console.error(run.text)
}
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exit(1)
}
writeFileSync(join(root, 'docs/mcp-conformance.md'), markdown)
console.log('As expected, in every revision: see docs/mcp-conformance.md.')
