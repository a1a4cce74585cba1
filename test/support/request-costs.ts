import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FigureRounds } from '../../src/domain/analytics/figure-rounds.ts'
import type {
  FinishedRequest,
  ObservedRequest,
  RequestObserver,
} from '../../src/foundation/http/observe-requests.ts'
import { createDiskStore } from '../../src/foundation/storage/disk-store.ts'
import { whenFileIsDone } from './clean-up.ts'
import { SENT_BY_A_TIMER } from './database.ts'
import { untilSent } from './mail-box.ts'
import { aWorld, type World, type WorldOptions } from './world.ts'

/** The statements that a request sent to PostgreSQL, and its endpoint. */
export interface AnsweredRequest {
  readonly endpoint: string
  readonly isRefused: boolean
  readonly statements: readonly string[]
}

/**
 * The mail sender looks for the next mail when it has sent one, which may be during any later
 * request.
 */
const LOOKS_FOR_MAIL = /^\s*update outgoing_mails set attempts/

/** Records the statements of every request. Requests must be sent one after another. */
export class RequestCosts implements RequestObserver {
  readonly #answered: AnsweredRequest[] = []
  #running: { readonly request: ObservedRequest; readonly statements: string[] } | undefined
  #part = ''
  #settle: () => Promise<unknown> = async () => undefined

  /** Done before each measured work, for what the server does in the background. */
  settleWith(settle: () => Promise<unknown>): void {
    this.#settle = settle
  }

  /** The requests of `work`. */
  async of(work: () => Promise<unknown>): Promise<readonly AnsweredRequest[]> {
    await this.#settle()
    const before = this.#answered.length
    await work()
    return this.#answered.slice(before)
  }

  /** The same, for requests whose path does not name the operation. */
  async ofPart(part: string, work: () => Promise<unknown>): Promise<readonly AnsweredRequest[]> {
    this.#part = part === '' ? '' : ` ${part}`
    try {
      return await this.of(work)
    } finally {
      this.#part = ''
    }
  }

  started(request: ObservedRequest): void {
    if (this.#running !== undefined) throw new Error('two requests at once cannot be distinguished')
    this.#running = { request, statements: [] }
  }

  noteStatement(text: string): void {
    if (!LOOKS_FOR_MAIL.test(text) && !SENT_BY_A_TIMER.test(text))
      this.#running?.statements.push(text)
  }

  finished({ method, route, status }: FinishedRequest, request: ObservedRequest): void {
    const running = this.#running
    // Without a socket, the end of an answer is reported twice.
    if (running?.request !== request) return
    this.#running = undefined
    if (route === undefined) return
    const { statements } = running
    const endpoint = endpointName(method, route) + this.#part
    this.#answered.push({ endpoint, isRefused: status >= 400, statements })
  }
}

/** Asset names include a digest of their content, which must not change the table. */
export function endpointName(method: string, route: string): string {
  return `${method} ${route.replace(/\.[0-9a-f]{12}\./, '.:digest.')}`
}

/** The mail sender works after an answer. Its statements must not count for the next request. */
function sendMailsBetweenRequests(world: World): void {
  const { app } = world
  const inject = app.inject.bind(app) as (options: object) => Promise<unknown>
  Object.assign(app, {
    async inject(options: object) {
      await untilSent(world)
      return await inject(options)
    },
  })
}

export interface CountedWorld {
  readonly world: World
  readonly costs: RequestCosts
}

/**
 * A world whose requests are counted. Its cache of schools never expires, so counts do not depend
 * on the machine's speed.
 */
export async function aCountedWorld(options: WorldOptions = {}): Promise<CountedWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'schoolgate-files-'))
  whenFileIsDone(() => rm(folder, { recursive: true }))
  const costs = new RequestCosts()
  const files = createDiskStore(folder)
  const world = await aWorld({ files, ...options, observers: [costs], now: () => 0 })
  world.database.onStatement((text) => costs.noteStatement(text))
  const rounds = new FigureRounds(world.database.db)
  costs.settleWith(() => rounds.next())
  if (options.mailer !== undefined) sendMailsBetweenRequests(world)
  return { world, costs }
}
