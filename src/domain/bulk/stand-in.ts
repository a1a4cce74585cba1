import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { email, line, slug } from '../operation/fields.ts'

/** A column that names a related object by something that other systems know, instead of our id. */
export interface StandIn {
  /** The column that it fills. */
  readonly for: string
  readonly schema: z.ZodType
  readonly note: string
  /** Imports that use it never change what it finds, so one that runs may remember it for a while. */
  readonly lasting: boolean
  /** What is behind the texts, as far as this school has it. */
  find(tx: SchoolTx, texts: readonly string[]): Promise<ReadonlyMap<string, Named>>
}

export interface Named {
  readonly id: string
  /** Somebody who holds a role here, so that nobody has to ask again. */
  readonly isMember?: boolean
}

/** People are known elsewhere by their email. Only members of this school are found by it. */
export function byEmail(column: string): StandIn {
  return {
    for: column,
    schema: email,
    note: `stands in for ${column}: the email of a member`,
    lasting: true,
    find: findByEmail,
  }
}

/** The same for a list of them. */
export function byEmails(column: string): StandIn {
  return {
    for: column,
    schema: z.array(email).max(5000),
    note: `stands in for ${column}: the emails of members`,
    lasting: true,
    find: findByEmail,
  }
}

/** One look at the index of members for each person: a join would read all members of the school. */
async function findByEmail(
  tx: SchoolTx,
  texts: readonly string[],
): Promise<ReadonlyMap<string, Named>> {
  const emails = texts.map((text) => text.toLowerCase())
  const { rows } = await tx.run(sql<Named & { email: string }>`
    select lower(u.email) as email, u.id, m."isMember"
    from users u
      cross join lateral (
        select m.roles <> '{}' as "isMember" from school_members m
        where m.school_id = ${tx.schoolId} and m.user_id = u.id limit 1) m
    where lower(u.email) = any(${emails}::text[])`)
  const people = new Map(rows.map((row) => [row.email, row]))
  for (const [place, text] of texts.entries()) {
    const person = people.get(emails[place] ?? '')
    if (person !== undefined) people.set(text, person)
  }
  return people
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
    lasting: false,
    async find(tx, texts) {
      const { rows } = await tx.run(sql<Named & { name: string }>`
        select ${sql.ref(named.by)} as name, id from ${sql.table(named.table)}
        where school_id = ${tx.schoolId} and ${sql.ref(named.by)} = any(${texts}::text[])`)
      return new Map(rows.map((row) => [row.name, row]))
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
    lasting: false,
    async find(tx, texts) {
      return new Map(texts.map((text) => [text, { id: idOfExternal(tx.schoolId, kind, text) }]))
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
  const hex = hash('sha256', `${schoolId}\n${kind}\n${external}`, 'hex')
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) & 3]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
