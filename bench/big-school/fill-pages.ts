import pg from 'pg'
import type { DatabaseAddress } from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { FILLED_IN, filteredRows, pageRows, purgedRows } from './rows/page-rows.ts'
import { BIG, SMALL, SMALL_WITH_PAGES } from './school-size.ts'

/**
 * Gives the small school full pages, in a database that was kept from before, too. Rows that are
 * there stay, so a second run adds nothing. The vacuum is the one that PostgreSQL does by itself at
 * an installation.
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
    const statements = [
      ...pageRows(SMALL_WITH_PAGES),
      ...filteredRows(SMALL_WITH_PAGES),
      ...[SMALL, BIG].flatMap(purgedRows),
      ...FILLED_IN,
    ]
    for (const statement of statements) {
      added += (await client.query(statement)).rowCount ?? 0
    }
    await client.query('commit')
    if (added === 0) return
    tell(`Added ${added} rows, most of them so that the pages of the small school are full.`)
    await client.query('vacuum (analyze)')
  } finally {
    await client.end()
  }
}
