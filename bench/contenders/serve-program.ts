import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { announce, type Plays } from './serve.ts'

interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly port: number
}

/**
 * A server that is not written in JavaScript, as the child of this process, which prepares its
 * requests and ends with it. The runner adds the CPU times of both.
 */
export async function serveProgram(program: Program, plays: Plays): Promise<void> {
  const { command, args, env, port } = program
  const child = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  })
  process.on('exit', () => child.kill('SIGKILL'))
  child.on('error', (error) => {
    console.error(error.message)
    process.exit(1)
  })
  child.on('exit', (code) => process.exit(code ?? 1))
  // The status does not matter.
  while ((await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)) === undefined) {
    await sleep(100)
  }
  announce({ address: '127.0.0.1', family: 'IPv4', port }, plays)
}
