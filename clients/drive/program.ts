import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Stream } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Application } from '../recipes/application.ts'
import type { DemoPlace } from './demo-place.ts'
import type { TriedClient } from './tried-client.ts'

/** The folder `clients`. */
export const ROOT = fileURLToPath(new URL('../', import.meta.url))

/** Resolves with the first group of `pattern` once the stream has said it. */
export function afterText(stream: Stream | null, pattern: RegExp) {
  return new Promise<string>((resolve) => {
    let text = ''
    stream?.on('data', (chunk) => {
      text += chunk
      const found = pattern.exec(text)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
}

/** A program that waits for a person would wait as long as it likes. */
const LIMIT_MS = 60_000

/** Runs a program that ends by itself, with nothing to read. After a minute it is ended, with all that it started. */
export function runToEnd(command: string, args: readonly string[], env: Record<string, string>) {
  const child = spawn(command, args, {
    cwd: ROOT,
    env,
    // A group of its own, because a shell does not pass on the signal that ends it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { pid, stdout, stderr } = child
  const end = () => {
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL')
    } catch {
      // All of it has ended already.
    }
  }
  async function read(): Promise<string> {
    const timer = setTimeout(end, LIMIT_MS)
    process.once('exit', end)
    try {
      const [output, errors, [code, signal]] = await Promise.all([
        text(stdout),
        text(stderr),
        once(child, 'close'),
      ])
      if (code === 0) return output
      throw new Error(`${command} ended with ${code ?? signal}: ${errors}`)
    } finally {
      clearTimeout(timer)
      process.off('exit', end)
    }
  }
  return { stderr, output: read() }
}

interface Answer {
  readonly answer?: string
  readonly error?: string
}

/** A client in another language: a program that reads what to do and writes what came of it, each a line of JSON. */
export function programClient(
  { ada }: DemoPlace,
  app: Application,
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): TriedClient {
  const program = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...env, APPLICATION: JSON.stringify(app) },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ask = asking(program)
  return {
    async signIn() {
      const url = await ask({ do: 'begin' })
      await ask({ do: 'finish', callback: await ada.consent(url, app.redirectUri) })
    },
    me: () => ask({ do: 'me' }),
    signOut: async () => void (await ask({ do: 'sign out' })),
    close: () => void program.kill(),
  }
}

function asking(program: ChildProcess): (request: object) => Promise<string> {
  if (program.stdin === null || program.stdout === null) throw new Error('no pipes')
  const { stdin } = program
  const lines = createInterface(program.stdout)[Symbol.asyncIterator]()
  return async (request) => {
    stdin.write(`${JSON.stringify(request)}\n`)
    const { value, done } = await lines.next()
    if (done) throw new Error(`${program.spawnfile} ended`)
    const { answer, error }: Answer = JSON.parse(value)
    if (answer === undefined) throw new Error(error)
    return answer
  }
}
