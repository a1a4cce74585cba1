import { sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'

/** Several processes may prove it at once; none waits for another. */
export async function proveWrite(db: Db): Promise<void> {
  await sql`
    update installations set written_at = now()
    where single in (select single from installations for update skip locked)`.execute(db)
}

/**
 * Proves that tables can grow, and leaves nothing behind. A full disk still takes changes that need
 * no new page.
 */
export async function proveGrowth(db: Db): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`create temporary table growth_proof (filling text) on commit drop`.execute(tx)
    await sql`insert into growth_proof select repeat(md5(n::text), 200) from generate_series(1, 20) n`.execute(
      tx,
    )
  })
}
