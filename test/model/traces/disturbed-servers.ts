import { setTimeout as sleep } from 'node:timers/promises'
import { mintToken } from '../../../src/foundation/protocol/token-format.ts'
import type { Answer } from '../../support/browser-like.ts'
import { whenFileIsDone } from '../../support/clean-up.ts'
import { userinfo } from '../../support/client-like.ts'
import type { DatabaseProxy } from '../../support/database-proxy.ts'
import type { TestSchool, World } from '../../support/world.ts'
import type { Servers } from '../real-server.ts'
import { aServer, type Disturbed } from './a-server.ts'

/** A server crashes in one of so many faults: it loses all that it kept in memory. */
const FAULTS_PER_CRASH = 8

interface Waiting {
  readonly way: number
  readonly request: () => Promise<Answer>
  readonly resolve: (answer: Answer) => void
  readonly reject: (reason: unknown) => void
}

/**
 * Two servers, each with its own caches and its own road to the database, that answer the requests
 * of a story in turn.
 *
 * Many stories run at the same time. A story that comes to a disturbed step waits until all others
 * have come to one too or have ended. Then one fault hits the requests of all of them, and all go
 * on when everything works again. So each fault meets many requests in flight, and a step that is
 * not disturbed never meets one: it must succeed as if there was none.
 */
export class DisturbedServers implements Servers {
  readonly pages = 'sometimes'
  faults = 0
  restarts = 0
  readonly #direct: World
  readonly #school: TestSchool
  readonly #servers: Disturbed[] = []
  #places = 0
  #waiting: Waiting[] = []

  private constructor(direct: World, school: TestSchool) {
    this.#direct = direct
    this.#school = school
  }

  static async start(direct: World): Promise<DisturbedServers> {
    const servers = new DisturbedServers(direct, await direct.aSchool())
    for (const place of [0, 1]) servers.#servers[place] = await aServer(direct)
    whenFileIsDone(() => Promise.all(servers.#servers.map(({ stop }) => stop())))
    return servers
  }

  /** Runs stories that follow each other; they share faults with those of other calls. */
  async during(stories: () => Promise<void>): Promise<void> {
    this.#places += 1
    try {
      await stories()
    } finally {
      this.#places -= 1
      this.#breakIfAllWait()
    }
  }

  forRequest(place: number): World {
    const server = this.#servers[place % 2]
    if (server === undefined) throw new Error('not started')
    return server.world
  }

  disturbed(way: number, request: () => Promise<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ way, request, resolve, reject })
      this.#breakIfAllWait()
    })
  }

  #breakIfAllWait(): void {
    if (this.#waiting.length === 0 || this.#waiting.length < this.#places) return
    const hit = this.#waiting
    this.#waiting = []
    this.#break(hit).catch((error: unknown) => {
      for (const { reject } of hit) reject(error)
    })
  }

  async #break(hit: readonly Waiting[]): Promise<void> {
    this.faults += 1
    const faults = this.#servers.map(({ proxy }, place) =>
      disturb(proxy, hit[place % hit.length]?.way ?? 0),
    )
    const answers = await Promise.all(hit.map(({ request }) => request()))
    await Promise.all(faults)
    if (this.faults % FAULTS_PER_CRASH === 0) await this.#restart(this.restarts % 2)
    for (const server of this.#servers) await this.#calm(server)
    for (const [place, { resolve }] of hit.entries()) resolve(answers[place] as Answer)
  }

  async #restart(place: number): Promise<void> {
    this.restarts += 1
    const { proxy, stop } = this.#servers[place] as Disturbed
    proxy.cut()
    await proxy.settled()
    await stop()
    this.#servers[place] = await aServer(this.#direct)
  }

  /** A token that no pair has tells when the database answers again, and changes nothing. */
  async #calm({ world, proxy }: Disturbed): Promise<void> {
    proxy.loseAnswersTo('', 0)
    // No connection stays silent, and no statement of before runs any more.
    proxy.cut()
    await proxy.settled()
    const unknown = mintToken('access', '00000000-0000-7000-8000-000000000000').value
    for (let tries = 0; ; tries++) {
      const { statusCode } = await userinfo(world, this.#school, unknown)
      if (statusCode === 401) return
      if (statusCode !== 503 || tries > 10_000) throw new Error(`no calm: ${statusCode}`)
      await sleep(2)
    }
  }
}

/** Ways 0 to 3 lose answers, 11 is silence, the others cut at several moments of the requests. */
async function disturb(proxy: DatabaseProxy, way: number): Promise<void> {
  if (way < 4) proxy.loseAnswersTo('', 1 + way)
  else if (way === 11) proxy.silence()
  else {
    for (let turns = way - 4; turns > 0; turns--) await new Promise(setImmediate)
    proxy.cut()
  }
}
