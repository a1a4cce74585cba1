import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor.ts'
import { raiseAccessRound } from '../clients/access-round.ts'
import { startJob } from '../jobs/start-job.ts'
import { endAuthorizationsOfClient } from './authorizations.ts'
import { endAccessJob } from './end-access-job.ts'

/** A client with more authorizations than this, ended ones included, is ended by its round. */
export const SMALL_CLIENT = 1_000

export const endedAccess = {
  people: z.int().nullable().meta({
    description: 'How many people had authorized it; null if they are too many to count.',
  }),
}

/**
 * Ends all access of a client, at once: its tokens are refused when this transaction commits. The caller has withdrawn
 * the codes of the client and then locked its row, so no exchange is under way. Returns how many people had access, or
 * null for a large client, whose authorizations a job marks afterwards.
 */
export async function endAccessOfClient(
  tx: SchoolTx,
  actor: Actor,
  clientId: string,
): Promise<number | null> {
  const people = await endAuthorizationsOfClient(tx, clientId, SMALL_CLIENT)
  if (people !== undefined) return people
  const round = await raiseAccessRound(tx, clientId)
  const title = `Clean up after the end of all access of ${clientId}`
  await startJob(tx, actor, endAccessJob, { input: { client_id: clientId, round }, title })
  return null
}
