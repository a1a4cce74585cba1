import { sql } from 'kysely'
import { clockOf, laterBy, type SchoolClock } from '../../foundation/db/school-clock.ts'

/** Authorizations whose pairs one step moves. */
const STEP_ROWS = 1000
const FIRST = { client: '', id: '00000000-0000-0000-0000-000000000000' }

/** Pairs that were revoked, or had expired before, stay as they are. */
const pairs: SchoolClock = {
  table: 'token_pairs',
  columns: ['access_expires_at', 'refresh_expires_at'],
  async step(tx, pause, after) {
    const { client, id }: typeof FIRST = after === undefined ? FIRST : JSON.parse(after)
    const { rows } = await tx.run(sql<{ looked: number; last: typeof FIRST | null }>`
      with page as materialized (
        select client_id, id from authorizations
        where school_id = ${tx.schoolId} and (client_id, id) > (${client}, ${id})
        order by client_id, id limit ${sql.lit(STEP_ROWS)}),
      -- In the order of ids, as in every statement that changes several pairs.
      gate as materialized (
        select id from authorizations where id = any (array(select id from page))
        order by id for no key update),
      moved as (
        update token_pairs p set
          access_expires_at = ${laterBy(pause, 'access_expires_at', 'issued_at')},
          refresh_expires_at = ${laterBy(pause, 'refresh_expires_at', 'issued_at')}
        where p.authorization_id = any (array(select id from gate)) and p.revoked_at is null
          and p.refresh_expires_at > ${pause.from})
      select (select count(*) from page)::int as looked,
        (select json_build_object('client', client_id, 'id', id) from page
         order by client_id desc, id desc limit 1) as last`)
    const { looked = 0, last = null } = rows[0] ?? {}
    return looked < STEP_ROWS || last === null ? undefined : JSON.stringify(last)
  },
}

export const grantClocks: readonly SchoolClock[] = [
  pairs,
  clockOf({
    table: 'authorization_codes',
    until: { column: 'expires_at', began: 'created_at' },
    running: ({ from }) => sql`t.consumed_at is null and t.expires_at > ${from}`,
  }),
]
