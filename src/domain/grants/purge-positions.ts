import { sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'

/** How far the sweeps of all processes have come, by name. */
export async function readPurgePositions(db: Db): Promise<Map<string, string>> {
  const rows = await db.selectFrom('purge_positions').select(['name', 'position']).execute()
  return new Map(rows.map(({ name, position }) => [name, position]))
}

/** Undefined: the sweep begins again at the first row. */
export async function keepPurgePosition(
  db: Db,
  name: string,
  position: string | undefined,
): Promise<void> {
  if (position === undefined) {
    await db.deleteFrom('purge_positions').where('name', '=', name).execute()
    return
  }
  await db
    .insertInto('purge_positions')
    .values({ name, position })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ position, kept_at: sql<Date>`now()` }),
    )
    .execute()
}
