import { sql } from 'kysely'
import type { SchoolTx } from '../../foundation/db/school-db.ts'

/** From the commit on, all authorizations that the client has count as ended. Returns the round that begins. */
export async function raiseAccessRound(tx: SchoolTx, clientId: string): Promise<number> {
  const { access_round } = await tx
    .update('clients')
    .set((eb) => ({ access_round: eb('access_round', '+', 1) }))
    .where('client_id', '=', clientId)
    .returning('access_round')
    .executeTakeFirstOrThrow()
  return access_round
}

/** The same for all clients of the school, locked in the order of their ids. Returns how many they are. */
export async function raiseAllAccessRounds(tx: SchoolTx): Promise<number> {
  const { rows } = await tx.run(sql<{ clients: number }>`
    with locked as materialized (
      select client_id from clients where school_id = ${tx.schoolId} and deleted_at is null
      order by client_id for update),
    raised as (
      update clients set access_round = access_round + 1
      where school_id = ${tx.schoolId} and client_id in (select client_id from locked)
      returning client_id)
    select count(*)::int as clients from raised`)
  return rows[0]?.clients ?? 0
}
