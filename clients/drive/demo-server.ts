import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const PROGRAM = new URL('../../dist/main.js', import.meta.url).pathname

/** The server has an address of its own, so that ours can stand before it at the same port. */
export const SERVER_ADDRESS = '127.0.0.2'

/** The demo world on a free port, with a folder that goes away with it. */
export class DemoServer {
  readonly port: number
  readonly #folder: string
  readonly #process: ChildProcess

  private constructor(port: number, folder: string, child: ChildProcess) {
    this.port = port
    this.#folder = folder
    this.#process = child
  }

  static async start(): Promise<DemoServer> {
    const port = await freePort()
    const folder = await mkdtemp(join(tmpdir(), 'schoolgate-clients-'))
    const child = spawn(process.execPath, [PROGRAM, 'start'], {
      env: environment(folder, port),
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const server = new DemoServer(port, folder, child)
    for (let tries = 0; tries < 300 && child.exitCode === null; tries++) {
      const answer = await fetch(`http://${SERVER_ADDRESS}:${port}/readyz`).catch(() => undefined)
      if (answer?.ok) return server
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    await server.stop()
    throw new Error('The demo server did not become ready: run npm start to see why.')
  }

  /** Runs a command of the product against this server's database. */
  async command(...words: readonly string[]): Promise<Record<string, unknown>> {
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...words, '--json'], {
      env: environment(this.#folder, this.port),
    })
    return JSON.parse(stdout)
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null) {
      this.#process.kill('SIGTERM')
      await once(this.#process, 'exit')
    }
    await rm(this.#folder, { recursive: true, force: true })
  }
}

function environment(folder: string, port: number): NodeJS.ProcessEnv {
  const { DATABASE_URL: _database, NODE_ENV: _environment, ...inherited } = process.env
  return {
    ...inherited,
    HOST: SERVER_ADDRESS,
    PORT: String(port),
    SCHOOLGATE_DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'error',
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
