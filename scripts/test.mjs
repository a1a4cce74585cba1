// Runs the checks beside the tests, which now and then wait for PostgreSQL: npm test, npm run
// test:all.
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** The exit code. What the checks print comes at once, after they are done. */
async function runAll(options) {
  const tests = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...options], {
    stdio: 'inherit',
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => tests.kill(signal))
  const checks = spawn('npm', ['run', '-s', 'check'], { stdio: ['ignore', 'pipe', 'pipe'] })
  const printed = []
  for (const stream of [checks.stdout, checks.stderr]) {
    stream.on('data', (part) => printed.push(part))
  }
  const checked = once(checks, 'close').then(([code]) => {
    process.stdout.write(Buffer.concat(printed))
    if (code !== 0) tests.kill('SIGINT')
    return code === 0
  })
  const [passed] = await once(tests, 'close')
  return (await checked) && passed === 0 ? 0 : 1
}

process.exitCode = await runAll(process.argv.slice(2))
