import { sql } from 'kysely'
import {
  containsCode,
  containsText,
  plannedEachTime,
  readsCode,
  readsText,
} from '../../foundation/db/contains-words.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { shownPeople } from '../actor/shown-person.ts'
import { foundIds, type RelatedSearch } from '../operation/search-related.ts'

/** So many people are compared one by one. A school that has no more needs no index. */
const LOOKED_AT = 1000
/**
 * If so many of them match, the text is common: comparing rows one by one is faster than finding
 * all matches.
 */
const COMMON = 4

/**
 * People of the school whose name, as the school sees it, or email contains a text: their ids.
 * Undefined for a text so common that more than `most` people may have it.
 */
export async function findPeople(
  db: SchoolDb,
  text: string,
  most: number,
): Promise<readonly string[] | undefined> {
  const { rows } = await db.run(sql<{ id: string; found: boolean }>`
    select u.id, (${readsText('u.name', text)} or ${readsCode('u.email', text)}) as found
    from ${shownPeople(db)} u order by u.joined_at desc limit ${LOOKED_AT}`)
  const found = rows.filter((row) => row.found).map(({ id }) => id)
  if (rows.length < LOOKED_AT) return found
  if (found.length >= COMMON) return undefined
  const indexed = await findByIndex(db, text, most + 1)
  return indexed.length > most ? undefined : indexed
}

/**
 * One branch for each column, because an index answers only a condition on its own table. A person
 * without a name at the school is shown by the email, which the last branches search.
 */
async function findByIndex(db: SchoolDb, text: string, limit: number): Promise<readonly string[]> {
  const { rows } = await db.run(sql<{ id: string }>`
    select id from (
      select m.user_id as id from school_members m
      where m.school_id = ${db.schoolId} and m.signed_in_at is null
        and ${containsText('m.typed_name', text)}
      union all
      select u.id from users u join school_members m on m.user_id = u.id
      where m.school_id = ${db.schoolId} and m.signed_in_at is not null and m.forgotten_at is null
        and ${containsText('u.name', text)}
      union all
      select u.id from users u join school_members m on m.user_id = u.id
      where m.school_id = ${db.schoolId} and m.forgotten_at is null and ${containsCode('u.email', text)}
        and (m.signed_in_at is not null or m.typed_email is null)
      union all
      select m.user_id from school_members m
      where m.school_id = ${db.schoolId} and m.signed_in_at is null and m.typed_email is not null
        and ${readsCode('m.typed_email', text)}) found
    limit ${limit} ${plannedEachTime}`)
  return [...new Set(rows.map(({ id }) => id))]
}

const MOST_PEOPLE = 1000

/** A person's name or email. */
export function personOf(by: string): RelatedSearch {
  return {
    by,
    async find(db, text) {
      const ids = await findPeople(db, text, MOST_PEOPLE)
      return ids && foundIds(ids)
    },
    // Not `exists`, for which PostgreSQL may first find all such people of the school.
    isFound: (db, text) => sql`coalesce((
      select true from ${shownPeople(db)} u where u.id = r.${sql.ref(by)}
        and (${readsText('u.name', text)} or ${readsCode('u.email', text)}) limit 1), false)`,
  }
}
