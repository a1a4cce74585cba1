import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort, RunningServer } from '../../faults/support/running-server.ts'
import type { Place } from './place.ts'

const ROOT = new URL('../../../', import.meta.url).pathname

/** One secret for all servers of a run; higher limits, because all clients have one address. */
const ENVIRONMENT = {
  SCHOOLGATE_SECRET: 'a secret for this run that is long enough',
  NODE_ENV: 'production',
  PURGE_INTERVAL_SECONDS: '10',
  TOKEN_RATE_PER_SECOND: '100000',
  API_CALL_RATE_PER_MINUTE: '1000000',
}

/**
 * Where the data is: `{ DATABASE_URL }`, or `{ SCHOOLGATE_DATA_DIR }` for the embedded database.
 */
export type Data = Readonly<Record<string, string>>

/** Makes the demo world, and returns the port that its origins have. */
export async function makeWorld(place: Place, data: Data, root = ROOT): Promise<number> {
  const port = await freePort()
  const env = { ...ENVIRONMENT, ...data, NODE_ENV: 'development', SCHOOLGATE_DEMO: 'on' }
  const server = new RunningServer(port, env, root)
  place.processes.own(server.process)
  await server.ready()
  await server.stop()
  return port
}

/** Starts a server as an operator would, and returns when it is ready. */
export async function startServer(
  place: Place,
  data: Data,
  options: { readonly port?: number; readonly root?: string } = {},
): Promise<RunningServer> {
  const port = options.port ?? (await freePort())
  const server = new RunningServer(port, { ...ENVIRONMENT, ...data }, options.root ?? ROOT)
  place.processes.own(server.process)
  await server.ready()
  return server
}

/** Runs a command of the command line to its end; returns its exit code. */
export async function runCommand(
  place: Place,
  data: Data,
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, ['dist/main.js', ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...ENVIRONMENT, ...data },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  place.processes.own(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  await once(child, 'close')
  return { code: child.exitCode, output }
}
