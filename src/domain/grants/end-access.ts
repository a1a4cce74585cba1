import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor, AuditedActor } from '../actor/actor.ts'
import { changeEntry, record, recordAtSchools } from '../audit/audit.ts'
import { raiseAccessRound } from '../clients/end-all-access.ts'
import type { JobKind } from '../jobs/job.ts'
import { startJob } from '../jobs/start-job.ts'
import {
  endAuthorizationsOfClient,
  endAuthorizationsOfPerson,
  withdrawCodesOfPerson,
  withdrawOperatorCodes,
} from './authorizations.ts'

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
 * Marks the authorizations of a client whose access has ended, so that the purge finds them. They
 * give no access any more: the round of the client went up in the request that ended them.
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

/** A client with more authorizations than this, ended ones included, is ended by its round. */
export const SMALL_CLIENT = 1_000

export const endedAccess = {
  people: z.int().nullable().meta({
    description: 'How many people had authorized it; null if they are too many to count.',
  }),
}

/**
 * Ends all access of a client, at once: its tokens are refused when this transaction commits. The
 * caller has withdrawn the codes of the client and then locked its row, so no exchange is under
 * way. Returns how many people had access, or null for a large client, whose authorizations a job
 * marks afterwards.
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

/**
 * Crosses schools: ends every authorization and every pending code of a person, in the transaction
 * that has ended their sessions: with a new password, or because the person asked. An attacker may
 * have connected an app. Each school finds it in its audit. Returns how many ended.
 */
export async function endAccessOfPerson(
  tx: Db,
  userId: string,
  by: 'new_password' | 'sign_out',
  requestId: string | undefined,
): Promise<number> {
  await withdrawCodesOfPerson(tx, userId)
  const ended = await endAuthorizationsOfPerson(tx, userId)
  await recordAtSchools(
    tx,
    ended.map(({ id, schoolId, clientId }) => ({
      schoolId,
      action: 'authorization.ended' as const,
      outcome: 'ok',
      actorUserId: userId,
      clientId,
      authorizationId: id,
      detail: { by },
      requestId,
    })),
  )
  return ended.length
}

/**
 * Ends all operator authorizations of people who are no longer owner or admin here, in the
 * transaction that changes their roles: if a role comes back, no old token does. Member
 * authorizations stay. Returns how many ended.
 */
export async function endOperatorAuthorizations(
  tx: SchoolTx,
  userIds: readonly string[],
  by: AuditedActor,
): Promise<number> {
  await withdrawOperatorCodes(tx, userIds)
  const { rows } = await tx.run(sql<{ id: string; client_id: string; user_id: string }>`
    with live as materialized (
      select id from authorizations
      where school_id = ${tx.schoolId} and user_id = any(${userIds}::uuid[])
        and audience = 'operator' and revoked_at is null
      order by id for no key update)
    update authorizations set revoked_at = now() where id in (select id from live)
    returning id, client_id, user_id`)
  for (const { id, client_id: clientId, user_id: subject } of rows) {
    const detail = { by: 'demotion' }
    const entry = changeEntry(by, { action: 'authorization.ended', clientId, subject, detail })
    await record(tx, { ...entry, authorizationId: id })
  }
  return rows.length
}
