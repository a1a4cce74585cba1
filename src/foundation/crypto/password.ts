import { once } from 'node:events'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Options } from '@node-rs/argon2'
import { Limiter } from '../concurrency/limiter.ts'
import { countThread } from '../concurrency/usage-meter.ts'

type Task =
  | { readonly kind: 'hash'; readonly password: string; readonly parameters: Options }
  | { readonly kind: 'verify'; readonly stored: string; readonly password: string }

type Answer<R> = { readonly result: R; readonly ms: number } | { readonly problem: string }

/**
 * The code of a thread, as text, because it must start from the sources and from the build. Only on
 * Linux pid 0 means the calling thread; elsewhere the priority of the whole process would change.
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
    const begunAt = performance.now()
    const result = run(task)
    parentPort.postMessage({ result, ms: performance.now() - begunAt })
  } catch (error) {
    parentPort.postMessage({ problem: error.message })
  }
})`

/** A tenth of the CPU while other threads need it, all of it while they do not. */
const NICENESS = 10

/**
 * Threads that only hash passwords, at low priority: requests and PostgreSQL go first, and file and
 * DNS work in libuv's pool never waits for a password. A thread starts when it is first needed; the
 * number of tasks that the caller runs at once bounds the number of threads.
 */
export class HashingThreads {
  readonly #idle: Worker[] = []

  hash(password: string, parameters: Options, tenant = ''): Promise<string> {
    return this.#run({ kind: 'hash', password, parameters }, tenant)
  }

  verify(stored: string, password: string, tenant = ''): Promise<boolean> {
    return this.#run({ kind: 'verify', stored, password }, tenant)
  }

  async #run<R>(task: Task, tenant: string): Promise<R> {
    const thread = this.#idle.pop() ?? this.#start()
    // A working thread keeps the process alive; an idle one does not.
    thread.ref()
    thread.postMessage(task)
    const answer = await answerOf<R>(thread)
    thread.unref()
    this.#idle.push(thread)
    if ('problem' in answer) throw new Error(`the password was not hashed: ${answer.problem}`)
    countThread(tenant, answer.ms)
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

/**
 * A thread that ends without an answer must not leave a sign-in, and all those behind it, waiting.
 */
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

/**
 * Why argon2 cannot be loaded, or undefined. Its program is a package of its own for each platform.
 */
export function findHashingProblem(): string | undefined {
  try {
    createRequire(import.meta.url)('@node-rs/argon2')
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** OWASP's argon2id parameters; about ten milliseconds of a core. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** A longer password would only cost CPU. */
export const MAX_PASSWORD_BYTES = 1024

/**
 * Each hash takes 19 MiB and a core, at low priority. One core stays free for requests and
 * PostgreSQL. More than two at once come with more processes (`WORKERS`), two per process.
 */
const MAX_RUNNING = Math.min(2, Math.max(1, availableParallelism() - 1))
/** Of one school. */
const MAX_WAITING = 64

const threads = new HashingThreads()
const limiter = new Limiter({ running: MAX_RUNNING, waiting: MAX_WAITING })

/**
 * One form for all spellings of the same characters: keyboards and systems compose them
 * differently.
 *
 * @see NIST SP 800-63B-4 §3.1.1.2, RFC 8265 §4.2
 */
export function normalPassword(password: string): string {
  return password.normalize('NFKC')
}

export function isHashablePassword(password: string): boolean {
  return password.length > 0 && Buffer.byteLength(password) <= MAX_PASSWORD_BYTES
}

/** `tenant` as in {@link Limiter}: usually the school where a person signs in. */
export function hashPassword(password: string, tenant = ''): Promise<string> {
  return limiter.run(() => threads.hash(normalPassword(password), PARAMETERS, tenant), tenant)
}

/**
 * A hash of random bytes. Sign-ins to unknown accounts are checked against it, so that their
 * refusal takes as long as that of a wrong password.
 */
const HASH_OF_NO_ACCOUNT =
  '$argon2id$v=19$m=19456,t=2,p=1$c2Nob29sZ2F0ZS1ub2JvZHk$3nKq0bT0PZr9bq4mP8cV2Jw6l1sQx0aYd5fG7hN8uEk'

/**
 * True only if there is a hash and the password matches it. Without a hash it takes the same time.
 * A password that is not in its normal form is tried as it was typed too: before this form existed,
 * it was hashed like that.
 */
export async function verifyPassword(
  stored: string | undefined | null,
  password: string,
  tenant = '',
): Promise<boolean> {
  if (!isHashablePassword(password)) return false
  const hash = stored ?? HASH_OF_NO_ACCOUNT
  const normal = normalPassword(password)
  const fits = await limiter.run(
    async () =>
      (isHashablePassword(normal) && (await threads.verify(hash, normal, tenant))) ||
      (normal !== password && (await threads.verify(hash, password, tenant))),
    tenant,
  )
  return fits && stored !== undefined && stored !== null
}
