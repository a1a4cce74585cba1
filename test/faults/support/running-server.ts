import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type IncomingHttpHeaders, request } from 'node:http'
import { createServer } from 'node:net'
import { promisify } from 'node:util'

const ROOT = new URL('../../../', import.meta.url).pathname

/** Builds dist, which `npm start` runs, from the current sources. */
export async function build(): Promise<void> {
  await promisify(execFile)('npx', ['--no', 'tsc', '--', '-p', 'tsconfig.build.json'], {
    cwd: ROOT,
  })
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

  constructor(port: number, env: Record<string, string>) {
    this.port = port
    this.process = spawn(process.execPath, ['dist/main.js', 'start'], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', PORT: String(port), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.process.stdout?.on('data', (text) => {
      this.output += text
    })
    this.process.stderr?.on('data', (text) => {
      this.output += text
    })
  }

  /** Returns when the server is ready, and throws if it ends before. */
  async ready(): Promise<void> {
    while (this.process.exitCode === null && this.process.signalCode === null) {
      const answer = await this.ask('/readyz').catch(() => undefined)
      if (answer?.status === 200) return
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
