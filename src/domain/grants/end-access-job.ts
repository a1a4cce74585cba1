import { sql } from 'kysely'
import type { JobKind } from '../jobs/job.ts'

interface EndedClient {
  readonly client_id: string
  /** Authorizations of earlier rounds are ended. */
  readonly round: number
}

interface EndedCursor {
  /** The last authorization that was looked at. */
  readonly id: string
}

const STEP = 500
const FIRST = '00000000-0000-0000-0000-000000000000'

/**
 * Marks the authorizations of a client whose access has ended, so that the purge finds them. They give no access any
 * more: the round of the client went up in the request that ended them.
 */
export const endAccessJob: JobKind<EndedClient, EndedCursor> = {
  name: 'clients.end_access',
  isCleanUp: true,
  async run(job) {
    const { client_id: clientId, round } = job.input
    for (;;) {
      const { cursor = { id: FIRST }, done } = job
      let isLast = false
      await job.step(async (tx) => {
        // Locked in the order of ids, as in every statement that ends several.
        const { rows } = await tx.run(sql<{ looked: number; last: string | null }>`
          with page as materialized (
            select id, revoked_at, access_round from authorizations
            where school_id = ${tx.schoolId} and client_id = ${clientId} and id > ${cursor.id}
            order by id limit ${sql.lit(STEP)}),
          live as materialized (
            select id from authorizations
            where id in (select id from page where revoked_at is null and access_round < ${round})
            order by id for no key update),
          ended as (
            update authorizations set revoked_at = now()
            where id in (select id from live) and revoked_at is null)
          select count(*)::int as looked, max(id::text) as last from page`)
        const { looked = 0, last = null } = rows[0] ?? {}
        isLast = looked < STEP
        return { cursor: { id: last ?? cursor.id }, done: done + looked }
      })
      if (isLast) return {}
    }
  },
}
