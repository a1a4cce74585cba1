import { sql } from 'kysely'
import type { JobKind } from '../jobs/job.ts'

interface Cursor {
  /** The last authorization that was looked at. */
  readonly client_id: string
  readonly id: string
}

const STEP = 500
const FIRST: Cursor = { client_id: '', id: '00000000-0000-0000-0000-000000000000' }

/**
 * Marks the authorizations of all clients of a school that an earlier round ended, so that the
 * purge finds them. They give no access any more: the rounds of the clients went up in the request
 * that ended them.
 */
export const endAllAccessJob: JobKind<Record<string, never>, Cursor> = {
  name: 'clients.end_all_access',
  isCleanUp: true,
  async run(job) {
    for (;;) {
      const { cursor = FIRST, done } = job
      let isLast = false
      await job.step(async (tx) => {
        // Locked in the order of ids, as in every statement that ends several.
        const { rows } = await tx.run(sql<{ looked: number; last: Cursor | null }>`
          with page as materialized (
            select a.id, a.client_id, a.revoked_at, a.access_round from authorizations a
            where a.school_id = ${tx.schoolId} and (a.client_id, a.id) > (${cursor.client_id}, ${cursor.id}::uuid)
            order by a.client_id, a.id limit ${sql.lit(STEP)}),
          live as materialized (
            select id from authorizations
            where id in (
              select p.id from page p join clients c on c.school_id = ${tx.schoolId} and c.client_id = p.client_id
              where p.revoked_at is null and p.access_round < c.access_round)
            order by id for no key update),
          ended as (
            update authorizations set revoked_at = now()
            where id in (select id from live) and revoked_at is null)
          select (select count(*) from page)::int as looked,
            (select json_build_object('client_id', client_id, 'id', id) from page
             order by client_id desc, id desc limit 1) as last`)
        const { looked = 0, last = null } = rows[0] ?? {}
        isLast = looked < STEP
        return { cursor: last ?? cursor, done: done + looked }
      })
      if (isLast) return {}
    }
  },
}
