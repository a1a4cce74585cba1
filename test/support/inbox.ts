import { sql } from 'kysely'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import type { TestPerson, TestSchool } from './world.ts'

export async function aNotification(
  school: TestSchool,
  person: TestPerson,
  options: { read?: boolean; createdAt?: Date; url?: string; title?: string; id?: string } = {},
): Promise<string> {
  const id = options.id ?? uuidv7()
  await school.db
    .insert('notifications', {
      id,
      user_id: person.id,
      kind: 'course_updated',
      title: options.title ?? 'A notification',
      body: 'Something happened.',
      url: options.url ?? null,
      created_at: options.createdAt ?? new Date(),
      read_at: options.read ? new Date() : null,
    })
    .execute()
  return id
}

/** Notifications of the same time with long texts, made by PostgreSQL. */
export async function manyNotifications(
  { db, id }: TestSchool,
  person: TestPerson,
  count: number,
): Promise<void> {
  await db.run(sql`
    insert into notifications (school_id, id, user_id, kind, title, body, created_at)
    select ${id}, gen_random_uuid(), ${person.id}, 'course_updated', 'Notice ' || n, repeat('long ', 500), ${new Date(0)}
    from generate_series(1, ${sql.lit(count)}) n`)
}
