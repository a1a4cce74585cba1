import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type pg from 'pg'
import { afterAll } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { SchoolDirectory } from '../../src/domain/schools/school-directory.ts'
import { openDatabase } from '../../src/foundation/db/database.ts'
import { createLogger } from '../../src/foundation/http/logging.ts'
import { trustNobody } from '../../src/foundation/http/trust-proxy.ts'
import { World } from './world.ts'

/** A real connection to PostgreSQL that a test can cut, mend, and rob of an answer. */
export interface CuttableLine {
  readonly connection: pg.ClientConfig
  cut(): Promise<void>
  mend(): Promise<void>
  /** The next answer never arrives, although the statement was carried out. */
  loseNextAnswer(): void
}

export async function aCuttableLine(target: pg.ClientConfig): Promise<CuttableLine> {
  const sockets = new Set<Socket>()
  let losing = false
  const serve = (near: Socket): void => {
    const far = connectTo(target)
    for (const socket of [near, far]) {
      sockets.add(socket)
      // A cut line ends in resets on both sides; that is what it is for.
      socket.on('error', () => undefined)
      socket.on('close', () => sockets.delete(socket))
    }
    near.pipe(far)
    far.on('data', (chunk) => {
      if (losing) {
        losing = false
        near.destroy()
      } else near.write(chunk)
    })
    far.on('close', () => near.destroy())
    near.on('close', () => far.end())
  }
  const listen = async (port: number): Promise<Server> => {
    const server = createServer(serve).listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  let server = await listen(0)
  const { port } = server.address() as AddressInfo
  const cut = async (): Promise<void> => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  afterAll(() => (server.listening ? cut() : undefined))
  return {
    connection: { ...target, host: '127.0.0.1', port },
    cut,
    mend: async () => {
      server = await listen(port)
    },
    loseNextAnswer: () => {
      losing = true
    },
  }
}

/** PostgreSQL is found by host and port, or by the folder of its socket. */
function connectTo({ host = 'localhost', port = 5432 }: pg.ClientConfig): Socket {
  return host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
}

/** The same world, seen by a second process whose line to the database can be cut. */
export async function onCuttableLine(world: World): Promise<{ frail: World; line: CuttableLine }> {
  const line = await aCuttableLine(world.database.connection)
  const database = openDatabase({
    connection: line.connection,
    poolSize: 4,
    statementTimeoutMs: 30_000,
  })
  afterAll(() => database.close())
  const { db } = database
  const context = { ...world.context, db, directory: new SchoolDirectory(db) }
  const app = buildApp({
    context,
    logger: createLogger({ level: process.env.TEST_LOG_LEVEL ?? 'silent' }),
    trust: trustNobody,
    readiness: [],
  })
  await app.ready()
  afterAll(() => app.close())
  return { frail: new World(app, world.database, context), line }
}
