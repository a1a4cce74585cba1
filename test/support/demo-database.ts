import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { createDemoWorld } from '../../src/demo/demo-world.ts'
import { openDatabase } from '../../src/foundation/db/database.ts'
import { copyDatabase, makeDatabase, PATIENT } from './database.ts'
import { madeOnce } from './made-once.ts'
import { aWorld, ring, type World, type WorldOptions } from './world.ts'

const DEMO = 'schoolgate_demo'

/** A copy of the demo world at port 3000, which the first test file that needs it makes. */
export async function demoDatabase(): Promise<pg.ClientConfig> {
  await madeOnce(DEMO, async (folder) => {
    const connection = await makeDatabase(DEMO)
    const database = openDatabase({ connection, poolSize: 2, ...PATIENT })
    await createDemoWorld(database.db, { port: 3000, keyring: ring })
    await database.close()
    await writeFile(join(folder, 'made'), '')
  })
  return await copyDatabase(DEMO)
}

/** A world of its own for this test file, with the schools and people of the demo world. */
export async function aDemoWorld(options: WorldOptions = {}): Promise<World> {
  return await aWorld({ ...options, connection: await demoDatabase() })
}
