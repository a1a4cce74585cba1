import { sql } from 'kysely'
import { constantTimeEqual } from '../../foundation/crypto/digest.ts'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { mintToken, parseToken } from '../../foundation/protocol/token-format.ts'
import { record } from '../audit/audit.ts'

/*
 * The address from which the calendar of a member reads their bookings at one school. It works
 * without a sign-in, so it ends as sessions do: see `endSessionsOfPerson` and `rolesChanged`.
 */

interface Owner {
  readonly userId: string
  readonly requestId: string
}

/** Makes the key of a new address; the one before ends. Only a hash is stored. */
export async function renewFeed(db: SchoolDb, { userId, requestId }: Owner): Promise<string> {
  const id = uuidv7()
  const token = mintToken('calendar', id)
  await db.transaction(async (tx) => {
    const fresh = { id, secret_hash: token.hash, created_at: sql<Date>`now()` }
    await tx
      .insert('calendar_feeds', { ...fresh, user_id: userId })
      .onConflict((known) => known.columns(['school_id', 'user_id']).doUpdateSet(fresh))
      .execute()
    await note(tx, 'session.calendar_made', { userId, requestId })
  })
  return token.value
}

export async function endFeed(db: SchoolDb, owner: Owner): Promise<void> {
  await db.transaction(async (tx) => {
    const ended = await tx
      .delete('calendar_feeds')
      .where('user_id', '=', owner.userId)
      .returning('id')
      .executeTakeFirst()
    if (ended !== undefined) await note(tx, 'session.calendar_ended', owner)
  })
}

async function note(
  tx: SchoolDb,
  action: 'session.calendar_made' | 'session.calendar_ended',
  { userId, requestId }: Owner,
): Promise<void> {
  await record(tx, { action, outcome: 'ok', actorUserId: userId, requestId })
}

/** When the address of a member was made. */
export async function feedSince(db: SchoolDb, userId: string): Promise<Date | undefined> {
  const row = await db
    .from('calendar_feeds')
    .select('created_at')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.created_at
}

interface Feed {
  readonly id: string
  readonly userId: string
  readonly readAt: Date
}

/** The member whose calendar asks; undefined if the key is not valid here. */
export async function findFeed(db: SchoolDb, presented: string): Promise<Feed | undefined> {
  const token = parseToken('calendar', presented)
  if (token === undefined) return undefined
  const { rows } = await db.run(sql<Feed & { hash: Buffer }>`
    select f.id, f.user_id as "userId", f.secret_hash as hash, now() as "readAt"
    from calendar_feeds f
      join school_members m on m.school_id = f.school_id and m.user_id = f.user_id and m.roles <> '{}'
    where f.school_id = ${db.schoolId} and f.id = ${token.id}`)
  const [row] = rows
  return row !== undefined && constantTimeEqual(row.hash, token.hash) ? row : undefined
}
