import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { Limiter } from '../concurrency/limiter.ts'
import { asWritten, PIECE_LENGTH } from './render-markdown.ts'

/** For each 64 KiB: ten times what the dearest text that we know takes. */
const MOST_CPU_MS = 2000
const LOOK_EVERY_MS = 20
/** Far more than 64 KiB can need. */
const MEMORY = { maxOldGenerationSizeMb: 128 }

/** The tests put a compiled copy of the program beside its source. */
const PROGRAM = new URL('./markdown-thread.js', import.meta.url)

/**
 * Renders texts, one at a time, in a thread of its own: whatever a text costs, requests go on. The
 * thread starts when it is first needed, and again after a text that it did not survive.
 */
export class RenderingThread {
  readonly #program: URL
  readonly #mostCpuMs: number
  readonly #limiter = new Limiter({ running: 1, waiting: 200 })
  #idle: Worker | undefined

  constructor(program: URL = PROGRAM, mostCpuMs = MOST_CPU_MS) {
    this.#program = program
    this.#mostCpuMs = mostCpuMs
  }

  /** The HTML of a text. One that takes too long is shown as it was written. */
  render(text: string, tenant: string): Promise<string> {
    return this.#limiter.run(async () => {
      const thread = this.#idle ?? (await this.#start())
      this.#idle = undefined
      const mostCpuMs = this.#mostCpuMs * Math.ceil((text.length + 1) / PIECE_LENGTH)
      const html = await answerOf(thread, text, mostCpuMs)
      if (html === undefined) return asWritten(text)
      this.#idle = thread
      return html
    }, tenant)
  }

  async #start(): Promise<Worker> {
    const thread = new Worker(this.#program, { execArgv: [], resourceLimits: MEMORY })
    await messageOf(thread)
    // The waiting caller gets the error. A thread that dies idle must not end the process.
    thread.on('error', () => undefined)
    thread.once('exit', () => {
      if (this.#idle === thread) this.#idle = undefined
    })
    return thread
  }
}

const rendering = new RenderingThread()

/** `tenant` as in {@link Limiter}: the school of the text. */
export function renderInThread(text: string, tenant: string): Promise<string> {
  return rendering.render(text, tenant)
}

/** Undefined if the thread was ended, or failed at this text. */
async function answerOf(
  thread: Worker,
  text: string,
  mostCpuMs: number,
): Promise<string | undefined> {
  // A working thread keeps the process alive; an idle one does not.
  thread.ref()
  const watch = watchOver(thread, mostCpuMs)
  try {
    thread.postMessage(text)
    return await messageOf(thread)
  } catch {
    await thread.terminate()
    return undefined
  } finally {
    clearInterval(watch)
    thread.unref()
  }
}

/** Rejects if the thread fails or ends without one: a thread can end without an error. */
async function messageOf(thread: Worker): Promise<string> {
  const ended = new AbortController()
  const end = (code: number): void => ended.abort(new Error(`the thread ended (${code})`))
  thread.once('exit', end)
  try {
    const [message] = (await once(thread, 'message', ended)) as [string]
    return message
  } finally {
    thread.off('exit', end)
  }
}

/**
 * Ends the thread when the whole process has used so much CPU, which the thread alone cannot
 * exceed. A clock would be unjust to a good text on a busy machine. Only the second look counts,
 * because an answer may have waited behind the first.
 */
function watchOver(thread: Worker, mostCpuMs: number): NodeJS.Timeout {
  const before = process.cpuUsage()
  let looks = 0
  return setInterval(() => {
    const { user, system } = process.cpuUsage(before)
    if ((user + system) / 1000 > mostCpuMs && ++looks === 2) void thread.terminate()
  }, LOOK_EVERY_MS)
}
