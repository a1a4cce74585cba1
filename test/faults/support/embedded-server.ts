import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type {
  DatabaseAddress,
  ExitReport,
} from '../../../src/foundation/db/embedded/embedded-postgres.ts'
import { bundleForNode } from '../../support/bundle-for-node.ts'
import { madeOnce } from '../../support/made-once.ts'

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url))

/** Compiles only the embedded module, so that plain Node can run it in another process. */
export async function buildEmbedded(folder: string): Promise<string> {
  const built = join(folder, 'built')
  await mkdir(built, { recursive: true })
  await bundleForNode({ 'embedded-postgres': 'foundation/db/embedded/embedded-postgres' }, built)
  await writeFile(join(built, 'package.json'), JSON.stringify({ type: 'module' }))
  await symlink(join(REPOSITORY, 'node_modules'), join(built, 'node_modules'))
  return built
}

/** The same, once for all test files. */
export async function builtEmbedded(): Promise<string> {
  return join(await madeOnce('embedded', buildEmbedded), 'built')
}

interface Messages {
  ready: { pid: number; adopted: boolean; address: DatabaseAddress }
  refused: { code: string; message: string; remedy: string; pid?: number }
  exit: ExitReport
  stopped: true
  acknowledged: number
}

export interface ServerProcess {
  readonly child: ChildProcess
  readonly pid: number
  readonly acknowledged: readonly number[]
  readonly exited: Promise<number | null>
  /** The latest message of that kind; fails if the server ends without sending one. */
  said<K extends keyof Messages>(kind: K): Promise<Messages[K]>
  untilAcknowledged(count: number): Promise<void>
}

export function startServer(
  built: string,
  dataDir: string,
  mode: 'serve' | 'write' = 'serve',
  durability: 'durable' | 'fast' = 'fast',
): ServerProcess {
  const script = fileURLToPath(new URL('./embedded-server.mjs', import.meta.url))
  const child = spawn(process.execPath, [script, built, dataDir, mode, durability], {
    // A new process group, like a terminal in which Ctrl-C is pressed.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const messages: Partial<Messages> = {}
  const acknowledged: number[] = []
  const listeners = new Set<() => void>()
  const notify = () => {
    for (const listener of listeners) listener()
  }
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk
  })
  let ended = false
  createInterface({ input: child.stdout })
    .on('line', (line) => {
      const message = JSON.parse(line) as Partial<Messages>
      if (message.acknowledged !== undefined) acknowledged.push(message.acknowledged)
      Object.assign(messages, message)
      notify()
    })
    .on('close', () => {
      ended = true
      notify()
    })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const until = <T>(find: () => T | undefined, what: string) =>
    new Promise<T>((resolve, reject) => {
      const look = () => {
        const found = find()
        if (found === undefined && !ended) return
        listeners.delete(look)
        if (found !== undefined) resolve(found)
        else
          reject(new Error(`no "${what}" from the server: ${JSON.stringify(messages)} ${errors}`))
      }
      listeners.add(look)
      look()
    })
  return {
    child,
    pid: child.pid ?? 0,
    acknowledged,
    exited,
    said: <K extends keyof Messages>(kind: K) =>
      until(() => messages[kind] as Messages[K] | undefined, kind),
    async untilAcknowledged(count) {
      await until(() => (acknowledged.length >= count ? true : undefined), `${count} rows`)
    },
  }
}
