import { hash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { email, line, slug } from '../operation/fields.ts'

/**
 * A column that names a related object by a value that other systems know, instead of by our id.
 */
export interface ReferenceColumn {
  /** The column that it fills. */
  readonly for: string
  readonly schema: z.ZodType
  readonly note: string
  /** No import that uses the column changes what it finds, so an import may cache the result. */
  readonly lasting: boolean
  /** The objects of this school that the texts name. */
  find(tx: SchoolTx, texts: readonly string[]): Promise<ReadonlyMap<string, Named>>
}

export interface Named {
  readonly id: string
  /** The person holds a role here, so `requireMembers` need not ask again. */
  readonly isMember?: boolean
}

/** Names a member of this school by email. */
export function byEmail(column: string): ReferenceColumn {
  return {
    for: column,
    schema: email,
    note: `instead of ${column}: the email of a member`,
    lasting: true,
    find: findByEmail,
  }
}

/** Names members of this school by their emails. */
export function byEmails(column: string): ReferenceColumn {
  return {
    for: column,
    schema: z.array(email).max(5000),
    note: `instead of ${column}: the emails of members`,
    lasting: true,
    find: findByEmail,
  }
}

/**
 * One index lookup per person: a join would read all members of the school. Of two people with the
 * same email the second counts, whose address it is now.
 */
async function findByEmail(
  tx: SchoolTx,
  texts: readonly string[],
): Promise<ReadonlyMap<string, Named>> {
  const emails = texts.map((text) => text.toLowerCase())
  const { rows } = await tx.run(sql<Named & { email: string }>`
    select lower(m.typed_email) as email, m.user_id as id, m.roles <> '{}' as "isMember", 1 as place
    from school_members m
    where m.school_id = ${tx.schoolId} and m.typed_email is not null and m.signed_in_at is null
      and lower(m.typed_email) = any(${emails}::text[])
    union all
    select lower(u.email), u.id, m."isMember", 2
    from users u
      cross join lateral (
        select m.roles <> '{}' as "isMember" from school_members m
        where m.school_id = ${tx.schoolId} and m.user_id = u.id and m.forgotten_at is null
          and (m.signed_in_at is not null or m.typed_email is null) limit 1) m
    where lower(u.email) = any(${emails}::text[])
    order by place`)
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

/** Names an object by a unique column of its table, such as the slug of a course. */
export function byName(column: string, named: { table: NamedTable; by: string }): ReferenceColumn {
  return {
    for: column,
    schema: named.by === 'slug' ? slug : line(64),
    note: `instead of ${column}`,
    lasting: false,
    async find(tx, texts) {
      const { rows } = await tx.run(sql<Named & { name: string }>`
        select ${sql.ref(named.by)} as name, id from ${sql.table(named.table)}
        where school_id = ${tx.schoolId} and ${sql.ref(named.by)} = any(${texts}::text[])`)
      return new Map(rows.map((row) => [row.name, row]))
    },
  }
}

/** The id that another system has for an object without a unique column here. */
export const externalId = line(200)

/** Names an object of another file by the `external_id` of its row. */
export function byExternalId(column: string, kind: string): ReferenceColumn {
  return {
    for: column,
    schema: externalId,
    note: `instead of ${column}: the external_id with which it was imported`,
    lasting: false,
    async find(tx, texts) {
      return new Map(texts.map((text) => [text, { id: idOfExternal(tx.schoolId, kind, text) }]))
    },
  }
}

/**
 * The id of an object that another system knows by an external id. It is computed, so importing a
 * file twice finds the same object and no mapping is stored.
 *
 * @see RFC 9562 §5.8
 */
export function idOfExternal(schoolId: string, kind: string, external: string): string {
  const hex = hash('sha256', `${schoolId}\n${kind}\n${external}`, 'hex')
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) & 3]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Compares members of a row `r` with the columns `wanted_…`. */
export function matching(names: readonly string[]): RawBuilder<unknown> {
  const matches = names.map((name) => sql`${memberOf(name)} = ${wantedAs(name)}`)
  return sql.join(matches, sql` and `)
}

/**
 * Like `matching`, written so that only an index with the members in this order can serve it. Two
 * row bounds let the index scan stop at a missing entry. The bounds of the first member add nothing
 * to the result; they tell PostgreSQL how few rows lie between the bounds.
 */
export function seeking(names: readonly string[]): RawBuilder<unknown> {
  const [members, wanted] = [sql.join(names.map(memberOf)), sql.join(names.map(wantedAs))]
  const [first = ''] = names
  return sql`(${members}) >= (${wanted}) and (${members}) <= (${wanted})
    and ${memberOf(first)} between ${wantedAs(first)} and ${wantedAs(first)} order by ${members}`
}

export function wantedAs(name: string): RawBuilder<unknown> {
  return sql.ref(`wanted_${name}`)
}

function memberOf(name: string): RawBuilder<unknown> {
  return sql`r.${sql.ref(name)}`
}
