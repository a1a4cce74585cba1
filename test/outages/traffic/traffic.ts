import { setTimeout as sleep } from 'node:timers/promises'
import { DEMO_PASSWORD } from '../../../src/demo/demo-world.ts'
import { Random } from '../../attack/fuzz/random.ts'
import { Browser } from './browser.ts'
import { Caller } from './caller.ts'
import { MEMBER_CLIENTS, registerOperatorClient } from './clients.ts'
import { Figures } from './figures.ts'
import { Ledger } from './ledger.ts'
import { createCourse, importCourses, listCourses, useOf, userinfo, viewer } from './requests.ts'
import { Patience } from './retries.ts'
import { Session, type Surroundings } from './session.ts'

const MEMBERS = ['ada', 'ben'] as const
const ROWS_OF_IMPORT = 200
/**
 * Sessions that do nothing after their beginning: they live at any moment that a backup may show.
 */
const IDLE = 10
/** Requests that still have no verdict so long after the end of a scenario never get one. */
const PATIENCE_SECONDS = 40
const PURGE_PAUSE_MS = 5000

export interface TrafficOptions {
  /** Where the servers listen; requests go to each in turn. */
  readonly ports: readonly number[]
  /** The host of the school, with its port. */
  readonly host: string
  readonly seed: number
  readonly sessions?: number
  /** The average pause between two requests of a session. */
  readonly pauseMs?: number
  /** Removes dead rows with the command line; run again and again. */
  readonly purge?: (() => Promise<unknown>) | undefined
  readonly purgePauseMs?: number
  readonly importPauseMs?: number
  /**
   * How many of a hundred actions revoke a pair and sign in again. A person keeps five hundred
   * authorizations of one application, so fewer are right for many minutes.
   */
  readonly revocations?: number
}

/** Many clients that work at one school of the demo world until they are stopped. */
export class Traffic {
  readonly ledger = new Ledger()
  readonly figures = new Figures()
  readonly caller: Caller
  readonly startedAt = new Date()
  /** What no client could cope with. */
  readonly errors: string[] = []
  readonly #options: TrafficOptions
  readonly #random: Random
  readonly #patience = new Patience()
  readonly #around: Surroundings
  readonly #loops: Promise<void>[] = []
  #stopped = false

  private constructor(options: TrafficOptions) {
    this.#options = options
    this.#random = new Random(options.seed)
    this.caller = new Caller(options.ports, options.host, this.figures)
    this.#around = { caller: this.caller, patience: this.#patience, ledger: this.ledger }
  }

  /** Returns when all are signed in. */
  static async start(options: TrafficOptions): Promise<Traffic> {
    const traffic = new Traffic(options)
    const { sessions = 20 } = options
    const members = Array.from({ length: sessions + IDLE }, (_, place) => {
      const [person, client] = [MEMBERS[place % 2], MEMBER_CLIENTS[(place >> 1) % 2]]
      if (person === undefined || client === undefined) throw new Error('no member')
      return new Session(traffic.#around, traffic.#browserOf(person), client)
    })
    const operatorClient = await registerOperatorClient(traffic.caller)
    const operator = new Session(traffic.#around, traffic.#browserOf('owner'), operatorClient)
    const importer = new Session(traffic.#around, traffic.#browserOf('owner'), operatorClient)
    for (const session of [...members, operator, importer]) await session.signIn()
    for (const idle of members.splice(0, IDLE)) {
      await idle.refresh()
      await idle.use(userinfo)
    }

    for (const member of members) traffic.#repeat(() => traffic.#actAsMember(member))
    traffic.#repeat(() => traffic.#actAsOperator(operator))
    traffic.#repeat(() => traffic.#import(importer), options.importPauseMs)
    traffic.#repeat(() => traffic.#probeDeadPairs())
    traffic.#repeat(() => traffic.#probeDeadPairs())
    if (options.purge !== undefined) {
      traffic.#repeat(options.purge, options.purgePauseMs ?? PURGE_PAUSE_MS)
    }
    return traffic
  }

  /** Lets every client finish what it has begun. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#patience.endIn(PATIENCE_SECONDS)
    await Promise.all(this.#loops)
  }

  #browserOf(person: string): Browser {
    const login = { email: `${person}@demo.test`, password: DEMO_PASSWORD }
    return new Browser(this.caller, this.#patience, login)
  }

  #repeat(act: () => Promise<unknown>, pauseMs = this.#options.pauseMs ?? 150): void {
    const run = async (): Promise<void> => {
      while (!this.#stopped) {
        await act()
        await sleep(pauseMs * (0.5 + this.#random.next()))
      }
    }
    this.#loops.push(
      run().catch((error: unknown) => {
        this.errors.push(String(error))
      }),
    )
  }

  async #actAsMember(session: Session): Promise<void> {
    const dice = this.#random.below(100)
    if (dice < 40) await this.#expect(200, session.use(userinfo))
    else if (dice < 60) await this.#expect(200, session.use(viewer))
    else if (dice < 85) await session.refresh()
    else if (dice < 100 - (this.#options.revocations ?? 8)) {
      await session.refresh({ loseAnswer: true })
    } else {
      await session.revoke(this.#random.chance(0.5) ? 'access' : 'refresh')
      await session.signIn()
    }
  }

  async #actAsOperator(session: Session): Promise<void> {
    const dice = this.#random.below(100)
    if (dice < 30) await this.#expect(200, session.use(listCourses))
    else if (dice < 45) await session.refresh()
    else {
      const slug = `made-${this.#random.below(1e9)}`
      const reply = await this.#expect(201, session.use(createCourse(slug)))
      if (reply?.status === 201) this.ledger.courses.set(slug, Date.now())
    }
  }

  /** An import that is cut off is sent again, as its documentation says. */
  async #import(session: Session): Promise<void> {
    const name = `imported-${this.#random.below(1e9)}`
    const slugs = Array.from({ length: ROWS_OF_IMPORT }, (_, row) => `${name}-${row}`)
    const reply = await this.#expect(200, session.use(importCourses(slugs)))
    if (reply?.status !== 200) return
    const { failed, complete } = JSON.parse(reply.body)
    if (failed > 0 || !complete) this.errors.push(`an import was not complete: ${reply.body}`)
    for (const slug of slugs) this.ledger.courses.set(slug, Date.now())
  }

  async #probeDeadPairs(): Promise<void> {
    const pair = this.ledger.aDeadPair((length) => this.#random.below(length))
    if (pair === undefined) return
    const reply = await this.caller.send(useOf(pair))
    if (reply === undefined || reply.status === 401 || reply.status >= 500) return
    this.ledger.revokedAccepted.push(`a dead access token was answered with ${reply.status}`)
  }

  async #expect(status: number, asked: ReturnType<Session['use']>) {
    const reply = await asked
    if (reply !== undefined && reply.status !== status) {
      this.errors.push(`${reply.status} instead of ${status}: ${reply.body.slice(0, 300)}`)
    }
    return reply
  }
}
