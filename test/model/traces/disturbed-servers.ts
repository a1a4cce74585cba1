import { buildApp } from '../../../src/app.ts'
import { SchoolDirectory } from '../../../src/domain/schools/school-directory.ts'
import { openDatabase } from '../../../src/foundation/db/database.ts'
import { createLogger } from '../../../src/foundation/http/logging.ts'
import { trustNoProxy } from '../../../src/foundation/http/trust-proxy.ts'
import { mintToken } from '../../../src/foundation/protocol/token-format.ts'
import { whenFileIsDone } from '../../support/clean-up.ts'
import { userinfo } from '../../support/client-like.ts'
import { aDatabaseProxy, type DatabaseProxy } from '../../support/database-proxy.ts'
import { type TestSchool, World } from '../../support/world.ts'
import type { Servers } from '../real-server.ts'

interface Disturbed {
  readonly world: World
  readonly proxy: DatabaseProxy
  readonly stop: () => Promise<void>
}

/** Two servers that answer in turn, each with its own caches and its own road to the database. */
export class DisturbedServers implements Servers {
  readonly #direct: World
  readonly #school: TestSchool
  readonly #servers: Disturbed[] = []
  #turn = 0

  private constructor(direct: World, school: TestSchool) {
    this.#direct = direct
    this.#school = school
  }

  static async start(direct: World, school: TestSchool): Promise<DisturbedServers> {
    const servers = new DisturbedServers(direct, school)
    for (const place of [0, 1]) servers.#servers[place] = await aServer(direct)
    whenFileIsDone(() => Promise.all(servers.#servers.map(({ stop }) => stop())))
    return servers
  }

  next(): World {
    this.#turn += 1
    return this.#current().world
  }

  disturb(way: number): void {
    const { proxy } = this.#servers[(this.#turn + 1) % 2] ?? this.#current()
    if (way % 3 === 0) proxy.loseAnswersTo('', 1)
    else if (way % 3 === 1) proxy.cut()
    else setImmediate(() => proxy.cut())
  }

  /** A token that no pair has tells when the database answers again, and changes nothing. */
  async calm(): Promise<void> {
    const unknown = mintToken('access', '00000000-0000-7000-8000-000000000000').value
    for (const { world, proxy } of this.#servers) {
      proxy.loseAnswersTo('', 0)
      for (let tries = 0; ; tries++) {
        const { statusCode } = await userinfo(world, this.#school, unknown)
        if (statusCode === 401) break
        if (statusCode !== 503 || tries > 1000) throw new Error(`no calm: ${statusCode}`)
      }
    }
  }

  /** One server ends with all that it kept in memory, and another takes its place. */
  async restart(place: number): Promise<void> {
    await this.#servers[place]?.stop()
    this.#servers[place] = await aServer(this.#direct)
  }

  #current(): Disturbed {
    const server = this.#servers[this.#turn % 2]
    if (server === undefined) throw new Error('not started')
    return server
  }
}

async function aServer(direct: World): Promise<Disturbed> {
  const proxy = await aDatabaseProxy(direct.database.connection)
  const database = openDatabase({
    connection: proxy.connection,
    poolSize: 3,
    statementTimeoutMs: 30_000,
    // No trace depends on how fast this machine is.
    connectMs: 30_000,
  })
  const { db } = database
  const context = { ...direct.context, db, directory: new SchoolDirectory(db) }
  const app = buildApp({
    context,
    logger: createLogger({ level: 'silent' }),
    trust: trustNoProxy,
    readiness: [],
  })
  await app.ready()
  const world = new World(app, direct.database, context)
  const stop = async (): Promise<void> => {
    await app.close()
    await database.close()
  }
  return { world, proxy, stop }
}
