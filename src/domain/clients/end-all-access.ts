import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { withdrawAllCodes } from '../grants/authorizations.ts'
import { endAllAccessJob } from '../grants/end-all-access-job.ts'
import { startJob } from '../jobs/start-job.ts'
import { count } from '../operation/fields.ts'
import { unscopedWrite } from '../operation/writing.ts'

/**
 * Ends all that people gave any client of the school: its round goes up, which ends every
 * authorization with the commit, and a job marks the rows later. Clients may ask people again.
 */
export const endAllAccess = unscopedWrite({
  name: 'clients.end_all_access',
  title: 'End all access of all clients',
  summary:
    'Ends every authorization that people gave; the tokens of all clients stop working at once.',
  kind: 'change',
  input: z.strictObject({}),
  output: z.strictObject({ clients: count }),
  async run(tx, actor) {
    await withdrawAllCodes(tx)
    const clients = await raiseAllAccessRounds(tx)
    if (clients > 0) {
      const title = 'Clean up after the end of all access of all apps'
      await startJob(tx, actor, endAllAccessJob, { input: {}, title })
    }
    return { clients }
  },
  audit: ({ clients }) => [
    { action: 'authorization.ended', detail: { by: 'operator', all_clients: clients } },
  ],
})

/**
 * From the commit on, all authorizations that the client has count as ended. Returns the round that
 * begins.
 */
export async function raiseAccessRound(tx: SchoolTx, clientId: string): Promise<number> {
  const { access_round } = await tx
    .update('clients')
    .set((eb) => ({ access_round: eb('access_round', '+', 1) }))
    .where('client_id', '=', clientId)
    .returning('access_round')
    .executeTakeFirstOrThrow()
  return access_round
}

/**
 * Raises the round of all clients of the school, locked in the order of their ids. Returns how many
 * they are.
 */
async function raiseAllAccessRounds(tx: SchoolTx): Promise<number> {
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
