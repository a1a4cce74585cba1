import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { DatabaseAddress } from '../../src/foundation/db/embedded/embedded-postgres.ts'

const PAUSE_MS = 1_000

/**
 * The server counts the figures of both schools once; rows about analytics are of schools that are
 * counted.
 */
export async function untilCounted(
  address: DatabaseAddress,
  tell: (text: string) => void,
): Promise<void> {
  const client = new pg.Client({ ...address })
  await client.connect()
  const started = performance.now()
  try {
    for (let waited = 0; ; waited++) {
      const { rows } = await client.query<{ left: number }>(`
        select (select count(*) from schools s left join school_figures f on f.school_id = s.id
                where f.filled_at is null)::int
          + (select count(*) from figure_marks)::int as left`)
      if (rows[0]?.left === 0) break
      if (waited === 0)
        tell('Waiting for the figures of the schools, which the server counts once …')
      await sleep(PAUSE_MS)
    }
  } finally {
    await client.end()
  }
  tell(`All figures are counted after ${((performance.now() - started) / 1000).toFixed(0)} s.`)
}
