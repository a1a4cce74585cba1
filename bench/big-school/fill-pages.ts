import pg from 'pg'
import type { DatabaseAddress } from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { FILLED_IN, pageRows } from './rows/page-rows.ts'
import { SMALL_WITH_PAGES } from './school-size.ts'

/**
 * Gives the small school full pages, in a database that was kept from before, too. Rows that are there stay, so a second
 * run adds nothing.
 */
export async function fillPages(
  address: DatabaseAddress,
  tell: (text: string) => void,
): Promise<void> {
  const client = new pg.Client({ ...address })
  await client.connect()
  let added = 0
  try {
    await client.query('begin')
    for (const statement of pageRows(SMALL_WITH_PAGES)) {
      added += (await client.query(statement)).rowCount ?? 0
    }
    added += (await client.query(FILLED_IN)).rowCount ?? 0
    await client.query('commit')
    if (added === 0) return
    tell(`Added ${added} rows to the small school, so that its pages are full.`)
    await client.query('analyze')
  } finally {
    await client.end()
  }
}
