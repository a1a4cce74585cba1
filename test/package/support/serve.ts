import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../faults/support/running-server.ts'

type Environment = Readonly<Record<string, string>>

/** Only a program that hangs takes this long. */
const PATIENCE_MS = 120_000

interface Program {
  readonly child: ChildProcess
  output(): string
}

export function startProgram(
  folder: string,
  [command = '', ...args]: readonly string[],
  env: Environment,
): Program {
  const child = spawn(command, args, {
    cwd: folder,
    // A group of its own, because npx starts the server as another process.
    detached: true,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  return { child, output: () => output }
}

const NPX = ['npx', '--no-install', 'schoolgate'] as const

/** Starts the server as the guide says, waits until it is ready, and stops it. */
export async function expectServes(
  folder: string,
  env: Environment,
  command: readonly string[] = [...NPX, 'start'],
  whileReady: (port: number) => Promise<void> = async () => {},
): Promise<void> {
  const port = await freePort()
  const program = startProgram(folder, command, { ...env, PORT: String(port) })
  try {
    await ready(program, port)
    await whileReady(port)
  } finally {
    if (program.child.exitCode === null && program.child.pid !== undefined) {
      process.kill(-program.child.pid, 'SIGTERM')
      await once(program.child, 'exit')
    }
  }
}

async function ready({ child, output }: Program, port: number): Promise<void> {
  const until = Date.now() + PATIENCE_MS
  while (Date.now() < until && child.exitCode === null) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
    if (answer?.status === 200) return
    await sleep(100)
  }
  throw new Error(`the server is not ready: ${output()}`)
}

/** A start that must fail, with a remedy that contains a word. */
export async function expectRefusal(folder: string, env: Environment, word: string): Promise<void> {
  const program = startProgram(folder, [...NPX, 'start'], {
    ...env,
    PORT: String(await freePort()),
  })
  await once(program.child, 'exit')
  if (program.child.exitCode === 0 || !program.output().includes(word)) {
    throw new Error(`it should have failed and named ${word}: ${program.output()}`)
  }
}

/** One command, which must succeed. */
export async function run(
  folder: string,
  env: Environment,
  args: readonly string[],
  input = '',
): Promise<void> {
  const { child, output } = startProgram(folder, [...NPX, ...args], env)
  child.stdin?.end(input)
  await once(child, 'exit')
  if (child.exitCode !== 0) throw new Error(`${args.join(' ')} failed: ${output()}`)
}
