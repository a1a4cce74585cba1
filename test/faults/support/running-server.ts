import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlink, writeFile } from 'node:fs/promises'
import { type IncomingHttpHeaders, request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = new URL('../../../', import.meta.url).pathname

/** Builds dist, which `npm start` runs, from the current sources. */
export async function build(): Promise<void> {
  await promisify(execFile)(process.execPath, ['scripts/build.mjs', '--if-needed'], { cwd: ROOT })
}

/** Copies the build into `folder` and adds a migration. */
export async function copyBuildWith(
  folder: string,
  migration: { readonly name: string; readonly sql: string },
): Promise<void> {
  const parts = ['dist', 'migrations', 'assets', 'package.json'].map((part) => join(ROOT, part))
  // Node's own copy, file by file, takes several times as long.
  await promisify(execFile)('cp', ['-R', ...parts, folder])
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'migrations', migration.name), migration.sql)
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A server in another process, started as an operator would. */
export class RunningServer {
  readonly port: number
  readonly process: ChildProcess
  output = ''

  /** `root` is the folder of another build. */
  constructor(port: number, env: Record<string, string>, root = ROOT) {
    this.port = port
    this.process = spawn(process.execPath, ['dist/main.js', 'start'], {
      cwd: root,
      env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', PORT: String(port), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    // A run that is interrupted leaves no server behind.
    const end = () => this.process.kill('SIGKILL')
    process.once('exit', end)
    this.process.once('exit', () => process.off('exit', end))
    this.process.stdout?.on('data', (text) => {
      this.output += text
    })
    this.process.stderr?.on('data', (text) => {
      this.output += text
    })
  }

  /**
   * Returns when the server is ready, or says that it is not with 503, and throws if it ends
   * before.
   */
  async ready(status = 200): Promise<void> {
    while (this.process.exitCode === null && this.process.signalCode === null) {
      const answer = await this.ask('/readyz').catch(() => undefined)
      if (answer?.status === status) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`the server ended: ${this.output}`)
  }

  async ended(): Promise<number | null> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      await once(this.process, 'exit')
    }
    return this.process.exitCode
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.process.kill(signal)
    return await this.ended()
  }

  ask(
    path: string,
    options: {
      host?: string
      form?: Record<string, string>
      headers?: Record<string, string>
    } = {},
  ): Promise<HttpAnswer> {
    const body =
      options.form === undefined ? undefined : new URLSearchParams(options.form).toString()
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: this.port,
          path,
          method: body === undefined ? 'GET' : 'POST',
          headers: {
            host: options.host ?? `localhost:${this.port}`,
            ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
            ...options.headers,
          },
        },
        (answer) => {
          let text = ''
          answer.on('data', (chunk) => {
            text += chunk
          })
          answer.on('end', () => {
            const { statusCode: status = 0, headers } = answer
            resolve({ status, headers, body: text })
          })
          answer.on('error', reject)
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  }
}
