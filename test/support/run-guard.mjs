// Waits for the end of a test run, however it ends, and removes what it left: node run-guard.mjs
// FOLDER Its standard input is a pipe to the run, and closes even if the run is killed.
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

const [folder] = process.argv.slice(2)

/** PostgreSQL's processes on the folder. Those that serve a connection end with the first one. */
function findServers() {
  const lines = execFileSync('ps', ['-axo', 'pid=,args='], { encoding: 'utf8' }).split('\n')
  return lines
    .filter((line) => line.includes(`postgres -D ${folder}/`))
    .map((line) => Number.parseInt(line, 10))
}

function end(pid, signal) {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

// An interrupt from the keyboard reaches every process of the terminal, and this one is needed
// after it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)
for await (const _ of process.stdin);
// To PostgreSQL this means: end at once, without writing anything.
for (const pid of findServers()) end(pid, 'SIGQUIT')
for (let tries = 0; tries < 100 && findServers().length > 0; tries++) await setTimeout(100)
rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
