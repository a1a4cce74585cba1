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
