import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { aSetup, ask, locationOf } from '../support/authorization.ts'
import { aWorld } from '../support/world.ts'

/** Of the six connections of signed-in callers, what the work of the installation can take. */
const SHARE = 4

verifies(
  'house.tenancy.share',
  'a stranger who asks for prompt=login without a session takes no connection of the installation',
  async () => {
    const world = await aWorld({
      databaseSettings: {
        poolSize: 12,
        // A request that waits for the installation's share is refused, so that this test does not
        // hang.
        waitMs: { stranger: 30_000, interactive: 10_000, batch: 30_000 },
      },
    })
    const setup = await aSetup(world)
    await ask(setup)
    const { pool } = world.database
    const held = await Promise.all(Array.from({ length: SHARE }, () => pool.connect()))
    try {
      for (const asked of [{ prompt: 'login' }, { prompt: 'select_account' }, { max_age: '60' }]) {
        expect(locationOf(await ask(setup, asked))).toMatch(/^\/sign-in\?request=/)
      }
    } finally {
      for (const connection of held) connection.release()
    }
  },
)

test('only work without a school uses the database in the share of the installation', () => {
  const root = new URL('../../src/', import.meta.url).pathname
  const using = ['gate', 'surfaces']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        (name) => `${folder}/${name}`,
      ),
    )
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
    .filter((name) => /\bcontext\.db\b/.test(readFileSync(join(root, name), 'utf8')))
  expect(using.toSorted()).toEqual([
    // Makes the school's own view of it.
    'gate/school-gate.ts',
    // After the answer.
    'surfaces/pages/mails/mail-sender.ts',
    // While there is no school.
    'surfaces/pages/setup/setup.tsx',
  ])
})
