import { once } from 'node:events'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { Options } from '@node-rs/argon2'

type Task =
  | { readonly kind: 'hash'; readonly password: string; readonly parameters: Options }
  | { readonly kind: 'verify'; readonly stored: string; readonly password: string }

type Answer<R> = { readonly result: R } | { readonly problem: string }

/**
 * The code of a thread, as text, because it must start from the sources and from the build. Only on Linux pid 0
 * means the calling thread; elsewhere the priority of the whole process would change.
 */
const PROGRAM = `
const os = require('node:os')
const { parentPort, workerData } = require('node:worker_threads')
const { hashSync, verifySync } = require(workerData.argon2)
if (process.platform === 'linux') {
  try {
    os.setPriority(0, Math.min(19, os.getPriority(0) + workerData.niceness))
  } catch {
    // If this is not permitted, hashing runs at normal priority.
  }
}
const run = (task) => task.kind === 'hash'
  ? hashSync(task.password, task.parameters)
  : verifySync(task.stored, task.password)
parentPort.on('message', (task) => {
  try {
    parentPort.postMessage({ result: run(task) })
  } catch (error) {
    parentPort.postMessage({ problem: error.message })
  }
})`

/** A tenth of the CPU while other threads need it, all of it while they do not. */
const NICENESS = 10

/**
 * Threads that only hash passwords, at low priority: requests and PostgreSQL go first, and file and DNS work in
 * libuv's pool never waits for a password. A thread starts when it is first needed; the number of tasks that
 * the caller runs at once bounds the number of threads.
 */
export class HashingThreads {
  readonly #idle: Worker[] = []

  hash(password: string, parameters: Options): Promise<string> {
    return this.#run({ kind: 'hash', password, parameters })
  }

  verify(stored: string, password: string): Promise<boolean> {
    return this.#run({ kind: 'verify', stored, password })
  }

  async #run<R>(task: Task): Promise<R> {
    const thread = this.#idle.pop() ?? this.#start()
    // A working thread keeps the process alive; an idle one does not.
    thread.ref()
    thread.postMessage(task)
    const answer = await answerOf<R>(thread)
    thread.unref()
    this.#idle.push(thread)
    if ('problem' in answer) throw new Error(`the password was not hashed: ${answer.problem}`)
    return answer.result
  }

  #start(): Worker {
    const argon2 = createRequire(import.meta.url).resolve('@node-rs/argon2')
    const workerData = { argon2, niceness: NICENESS }
    const thread = new Worker(PROGRAM, { eval: true, execArgv: [], workerData })
    // The waiting caller gets the error. A thread that dies idle must not end the process.
    thread.on('error', () => undefined)
    thread.once('exit', () => {
      const at = this.#idle.indexOf(thread)
      if (at >= 0) this.#idle.splice(at, 1)
    })
    return thread
  }
}

/** A thread that ends without an answer must not leave a sign-in, and all those behind it, waiting. */
async function answerOf<R>(thread: Worker): Promise<Answer<R>> {
  const ended = new AbortController()
  const end = () => ended.abort(new Error('a hashing thread ended early'))
  thread.once('exit', end)
  try {
    const [answer] = (await once(thread, 'message', ended)) as [Answer<R>]
    return answer
  } finally {
    thread.off('exit', end)
  }
}

/** Why argon2 cannot be loaded, or undefined. Its program is a package of its own for each platform. */
export function findHashingProblem(): string | undefined {
  try {
    createRequire(import.meta.url)('@node-rs/argon2')
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
