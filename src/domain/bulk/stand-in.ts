import { sql } from 'kysely'
import { z } from 'zod'
import { sha256 } from '../../foundation/crypto/digest.ts'
import { uuidFromBytes } from '../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { email, line, slug } from '../operation/fields.ts'

/** A column that names a related object by something that other systems know, instead of our id. */
export interface StandIn {
  /** The column that it fills. */
  readonly for: string
  readonly schema: z.ZodType
  readonly note: string
  /**
   * The ids behind the texts, as far as this school has them.
   *
   * @param members gets the ids of those who turn out to hold a role, so that nobody asks again
   */
  find(
    tx: SchoolTx,
    texts: readonly string[],
    members: Set<string>,
  ): Promise<ReadonlyMap<string, string>>
}

type Found = { name: string; id: string }

/** People are known elsewhere by their email. Only members of this school are found by it. */
export function byEmail(column: string): StandIn {
  return {
    for: column,
    schema: email,
    note: `stands in for ${column}: the email of a member`,
    find: findByEmail,
  }
}

/** The same for a list of them. */
export function byEmails(column: string): StandIn {
  return {
    for: column,
    schema: z.array(email).max(5000),
    note: `stands in for ${column}: the emails of members`,
    find: findByEmail,
  }
}

async function findByEmail(
  tx: SchoolTx,
  texts: readonly string[],
  members: Set<string>,
): Promise<ReadonlyMap<string, string>> {
  const emails = texts.map((text) => text.toLowerCase())
  const { rows } = await tx.run(sql<Found & { active: boolean }>`
    select lower(u.email) as name, u.id, m.roles <> '{}' as active
    from users u join school_members m on m.user_id = u.id and m.school_id = ${tx.schoolId}
    where lower(u.email) = any(${emails}::text[])`)
  const ids = new Map<string, string>()
  for (const { name, id, active } of rows) {
    ids.set(name, id)
    if (active) members.add(id)
  }
  for (const [place, text] of texts.entries()) {
    const id = ids.get(emails[place] ?? '')
    if (id !== undefined) ids.set(text, id)
  }
  return ids
}

type NamedTable =
  | 'courses'
  | 'digital_products'
  | 'events'
  | 'forms'
  | 'membership_plans'
  | 'orders'

/** Things with a name of their own in their table, such as the slug of a course. */
export function byName(column: string, named: { table: NamedTable; by: string }): StandIn {
  return {
    for: column,
    schema: named.by === 'slug' ? slug : line(64),
    note: `stands in for ${column}`,
    async find(tx, texts) {
      const { rows } = await tx.run(sql<Found>`
        select ${sql.ref(named.by)} as name, id from ${sql.table(named.table)}
        where school_id = ${tx.schoolId} and ${sql.ref(named.by)} = any(${texts}::text[])`)
      return new Map(rows.map(({ name, id }) => [name, id]))
    },
  }
}

/** What another system calls an object that has no name of its own with us. */
export const externalId = line(200)

/** Objects of another file, by the `external_id` that it gave them. */
export function byExternalId(column: string, kind: string): StandIn {
  return {
    for: column,
    schema: externalId,
    note: `stands in for ${column}: the external_id under which it was imported`,
    async find(tx, texts) {
      return new Map(texts.map((text) => [text, idOfExternal(tx.schoolId, kind, text)]))
    },
  }
}

/**
 * The id of an object that another system knows by a name of its own: always the same, so that
 * importing a file twice finds what the first time made, and nothing has to be remembered.
 *
 * @see RFC 9562 §5.8
 */
export function idOfExternal(schoolId: string, kind: string, external: string): string {
  const bytes = sha256(`${schoolId}\n${kind}\n${external}`)
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return uuidFromBytes(bytes)
}
