import { sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import type { FileStore } from '../../foundation/storage/file-store.ts'

/** Jobs that one call removes. */
export const PURGED_AT_ONCE = 100

/**
 * Crosses schools: removes finished jobs whose time is over, the files that they made and the one that they read (`source`), also one that was
 * stored when their process died. Files first: a file without a row would stay for ever, a row without its file is found again. Returns how many were removed.
 */
export async function purgeJobs(db: Db, files: FileStore): Promise<number> {
  const { rows } = await sql<{ school_id: string; id: string; files: string[] }>`
    select school_id, id, files || coalesce(jsonb_path_query_array(input, '$.source'), '[]')
      || to_jsonb(array_remove(array[storing], null)) as files
    from jobs where expires_at < now()
    order by expires_at limit ${sql.lit(PURGED_AT_ONCE)}`.execute(db)
  for (const { school_id, id, files: keys } of rows) {
    for (const key of keys) await files.remove(key)
    await db.deleteFrom('jobs').where('school_id', '=', school_id).where('id', '=', id).execute()
  }
  return rows.length
}
