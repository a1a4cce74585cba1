import { sql } from 'kysely'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor.ts'
import { conflict, notFound } from '../operation/refusal.ts'

/** Where members take and give back places themselves. The school does the rest, for example what has a price. */
export const IS_FOR_MEMBERS = sql<boolean>`(events.price_amount = 0 and events.ends_at > now()
  and events.state = 'published')`

/**
 * What a member may do on the page of an event: with a place of their own alone. It is judged in the transaction that
 * writes, because the event may have changed since the page was read. Operators are judged by their scopes.
 */
export async function checkOwnRegistration(
  tx: SchoolTx,
  caller: Pick<Actor, 'via' | 'userId'>,
  { event_id, member_id }: { readonly event_id: string; readonly member_id: string },
): Promise<void> {
  if (caller.via !== 'account') return
  if (caller.userId !== member_id) throw notFound('event_registration')
  const { rows } = await tx.run(sql`
    select from events where school_id = ${tx.schoolId} and id = ${event_id} and ${IS_FOR_MEMBERS}`)
  if (rows.length === 0)
    throw conflict('wrong_state', 'Members cannot do this themselves at this event.')
}
