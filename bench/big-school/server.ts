import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { DatabaseAddress } from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { freePort } from '../contenders/free-port.ts'
import { stop, untilReady } from '../contenders/start.ts'
import { SECRET } from '../world/signing.ts'
import { stopAtExit } from '../world/stop-at-exit.ts'
import { urlOf } from '../world/world.ts'

export interface Loop {
  /**
   * The longest time for which the event loop stood still, without that for which the machine gave
   * a thread without work no turn.
   */
  readonly stallMs: number
  readonly rss: number
}

export interface Server {
  readonly port: number
  readonly pid: number
  /** Since the last question. */
  askLoop(): Promise<Loop>
  stop(): Promise<void>
}

const BENCH = fileURLToPath(new URL('..', import.meta.url))

/** So high that no row of the report is a refusal by a rate limit. */
const UNLIMITED = {
  TOOL_CALL_RATE_PER_MINUTE: '100000',
  API_CALL_RATE_PER_MINUTE: '1000000',
  MEMBER_API_COST_PER_MINUTE: '999999999',
}

/** The product as it is deployed, without purges, which come at times of their own. */
export const SERVER_ENV = {
  NODE_ENV: 'production',
  SCHOOLGATE_SECRET: SECRET,
  PURGE_INTERVAL_SECONDS: '86400',
  LOG_LEVEL: 'error',
  ...UNLIMITED,
}

export async function startServer(address: DatabaseAddress): Promise<Server> {
  const port = await freePort()
  const child = spawn(
    process.execPath,
    ['--import', `${BENCH}measure/watch-loop.mjs`, `${BENCH}../dist/main.js`, 'start'],
    {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      cwd: BENCH,
      env: {
        ...process.env,
        ...SERVER_ENV,
        PORT: String(port),
        DATABASE_URL: urlOf(address, address.database),
      },
    },
  )
  stopAtExit({ stop: () => stop(child) })
  await untilReady(port, child)
  const idle = new Worker(`${BENCH}measure/idle-thread.mjs`)
  idle.unref()
  return {
    port,
    pid: child.pid ?? 0,
    askLoop: () => askLoop(child, idle),
    async stop() {
      await idle.terminate()
      await stop(child)
    },
  }
}

async function askLoop(child: ChildProcess, idle: Worker): Promise<Loop> {
  const answers = [once(child, 'message'), once(idle, 'message')] as const
  child.send('loop?')
  idle.postMessage('late?')
  const [[loop], [late]] = (await Promise.all(answers)) as unknown as [[Loop], [number]]
  return { ...loop, stallMs: Math.max(0, loop.stallMs - late) }
}
