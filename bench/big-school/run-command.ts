import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { DatabaseAddress } from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { ofEndedChildren, readClocks, usedBetween } from '../measure/cpu.ts'
import { urlOf } from '../world/world.ts'
import { SERVER_ENV } from './server.ts'

/** What one run of a command took, in seconds. */
export interface Ran {
  readonly seconds: number
  readonly nodeCpu: number
  readonly postgresCpu: number
}

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

export async function runCommand(
  command: readonly string[],
  address: DatabaseAddress,
  postgresPid: number,
): Promise<Ran> {
  const clocks = readClocks(postgresPid)
  const ended = ofEndedChildren(postgresPid)
  const started = performance.now()
  const child = spawn(
    'bash',
    ['-c', '"$@" >/dev/null; times', 'bash', process.execPath, MAIN, ...command],
    {
      env: { ...process.env, ...SERVER_ENV, DATABASE_URL: urlOf(address, address.database) },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let told = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (told += text))
  await once(child, 'close')
  const seconds = (performance.now() - started) / 1000
  const [user = 0, system = 0] = [
    ...(told.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g),
  ].map(([, m, s]) => 60 * Number(m) + Number(s))
  // The connections of the command end with it.
  const used = usedBetween(clocks, readClocks(postgresPid)) + ofEndedChildren(postgresPid) - ended
  const postgresCpu = used / 1e6
  return { seconds, nodeCpu: user + system, postgresCpu }
}

export const saidRun = ({ seconds, nodeCpu, postgresCpu }: Ran): string =>
  `${seconds.toFixed(1)} s, CPU ${nodeCpu.toFixed(1)} s of Node and ${postgresCpu.toFixed(1)} s of PostgreSQL`
