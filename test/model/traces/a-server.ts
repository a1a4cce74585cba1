import { buildApp } from '../../../src/app.ts'
import { SchoolDirectory } from '../../../src/domain/schools/school-directory.ts'
import { openDatabase } from '../../../src/foundation/db/database.ts'
import { trustNoProxy } from '../../../src/foundation/http/client-address.ts'
import { createLogger } from '../../../src/foundation/http/logging.ts'
import { PATIENT } from '../../support/database.ts'
import { aDatabaseProxy, type DatabaseProxy } from '../../support/database-proxy.ts'
import { World } from '../../support/world.ts'

export interface Disturbed {
  readonly world: World
  readonly proxy: DatabaseProxy
  readonly stop: () => Promise<void>
}

/** A server on the database of `direct` whose connections can be broken. */
export async function aServer(direct: World): Promise<Disturbed> {
  const proxy = await aDatabaseProxy(direct.database.connection, { local: true })
  const database = openDatabase({
    connection: proxy.connection,
    poolSize: 3,
    ...PATIENT,
    // Every story waits until silence is found; a process that stands still for two seconds is not
    // taken for it.
    silence: { lookMs: 100, doubtMs: 3_000, retryMs: 50 },
  })
  const { db } = database
  const context = { ...direct.context, db, directory: new SchoolDirectory(db) }
  const app = buildApp({
    context,
    logger: createLogger({ level: 'silent' }),
    trust: trustNoProxy,
    readiness: async () => [],
    line: { turnMs: Number.POSITIVE_INFINITY },
  })
  await app.ready()
  const world = new World(app, direct.database, context)
  const stop = async (): Promise<void> => {
    await app.close()
    await database.close()
  }
  return { world, proxy, stop }
}
