import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import type { TestPerson, TestSchool } from './world.ts'

export async function aNotification(
  school: TestSchool,
  person: TestPerson,
  options: { read?: boolean; createdAt?: Date; url?: string; title?: string; id?: string } = {},
): Promise<string> {
  const id = options.id ?? uuidv7()
  await school.at
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
