import { once } from 'node:events'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { Options } from '@node-rs/argon2'

type Task =
  | { readonly kind: 'hash'; readonly password: string; readonly parameters: Options }
  | { readonly kind: 'verify'; readonly stored: string; readonly password: string }

type Answer<R> = { readonly result: R } | { readonly problem: string }

/**
 * What a thread runs, as text, because it must start from the sources and from the build alike. Pid
 * zero is the calling thread on Linux alone; elsewhere the whole process would step back.
 */
const PROGRAM = `
const os = require('node:os')
const { parentPort, workerData } = require('node:worker_threads')
const { hashSync, verifySync } = require(workerData.argon2)
if (process.platform === 'linux') {
  try {
    os.setPriority(0, Math.min(19, os.getPriority(0) + workerData.niceness))
  } catch {
    // Where it is not permitted, hashing competes with everybody else as an equal.
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

/** A tenth of the CPU where somebody else wants it, all of it where nobody does. */
const NICENESS = 10

/**
 * Threads that do nothing but hash, behind everybody else: requests and PostgreSQL go first, and the
 * file and name lookups of libuv's pool never wait for a password. A thread starts when it is first
 * needed; how many there are is bounded by how many tasks the caller gives at once.
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
    // While it works the process waits for it; an idle one holds nobody up.
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
    // Whoever waits is told too; one that dies idle must not take the process along.
    thread.on('error', () => undefined)
    thread.once('exit', () => {
      const at = this.#idle.indexOf(thread)
      if (at >= 0) this.#idle.splice(at, 1)
    })
    return thread
  }
}

/** One that ends before it has answered must not leave a sign-in waiting, and all behind it. */
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
