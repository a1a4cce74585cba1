import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { TOPICS } from './subscriptions.ts'

interface Message {
  readonly kind: string
  readonly title: string
  readonly body: string
  readonly url: string | null
}

/**
 * Adds an entry to the inbox of each of these members who did not turn the topic off. A member who was forgotten has
 * no inbox. Returns the number of entries.
 */
export async function notify(
  tx: SchoolTx,
  topic: (typeof TOPICS)[number],
  members: readonly string[],
  { kind, title, body, url }: Message,
): Promise<number> {
  const { rows } = await tx.run(sql`
    insert into notifications (school_id, user_id, id, kind, title, body, url)
    select ${tx.schoolId}, o.user_id, o.id, ${kind}, ${title}, ${body}, ${url}
    from unnest(${members}::uuid[], ${members.map(() => uuidv7())}::uuid[]) as o (user_id, id)
      join school_members m on m.school_id = ${tx.schoolId} and m.user_id = o.user_id and m.forgotten_at is null
    where not exists (
      select from notification_subscriptions s
      where s.school_id = ${tx.schoolId} and s.user_id = o.user_id and s.topic = ${topic}
        and s.channel = 'in_app' and not s.enabled)
    returning 1`)
  return rows.length
}
