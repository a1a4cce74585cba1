import { sql } from 'kysely'
import { acrossSchools, type SchoolDb, type SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor/actor.ts'
import type { JobKind } from '../jobs/job.ts'
import { FileInParts } from '../jobs/job-file.ts'
import { startJob } from '../jobs/start-job.ts'
import { COMMERCE_SECTIONS, LEARNING_SECTIONS } from './learning-sections.ts'
import { ACCESS_SECTIONS, PERSON_SECTIONS } from './person-sections.ts'
import { type Place, readSection, type Section } from './section.ts'

/** Everything that a school holds about a person, in the order of the file. */
export const SECTIONS: readonly Section[] = [
  ...PERSON_SECTIONS,
  ...LEARNING_SECTIONS,
  ...COMMERCE_SECTIONS,
  ...ACCESS_SECTIONS,
]

/** Tables with rows about people that are in no section, and why. */
export const NOT_COPIED: Readonly<Record<string, string>> = {
  authorization_codes: 'secrets that live for minutes; what was allowed with them is told',
  calendar_feeds: 'a secret; what it gives is told as bookings and events',
  notice_links: 'secrets that live for days',
  passkey_handles: 'a random number that says nothing but which passkeys belong together',
  password_resets: 'secrets that live for an hour',
}

const COPY_KIND = 'account.copy'
/** A file with everything about a person is not kept for long. */
export const COPY_KEPT_DAYS = 3

interface CopyCursor {
  /**
   * The section of the last line in the stored parts, and the place of its row; none if the line is
   * its heading.
   */
  readonly section: string
  readonly after?: Place | undefined
}

const ROWS_AT_ONCE = 500
/** In characters; see `FileInParts`. */
const PART_LENGTH = 1024 * 1024

/**
 * Writes what the school holds about the person who asked. Each line is JSON: `[section, title]`
 * begins a section, `[section, row]` is one of its rows, so the file says by itself what it has,
 * whichever release reads it.
 */
export const copyJob: JobKind<object, CopyCursor> = {
  name: COPY_KIND,
  isOfMember: true,
  keptDays: COPY_KEPT_DAYS,
  async run(job) {
    const { db, actor } = job
    const { userId } = actor
    if (userId === undefined) throw new Error('a copy without a person')
    const file = new FileInParts(job)
    let rows = 0
    const add = (section: string, json: string) =>
      file.add(`[${JSON.stringify(section)},${json}]\n`)
    const store = async (cursor: CopyCursor) => {
      await file.store(() => ({ cursor, done: job.done + rows }))
      rows = 0
    }
    const begun = SECTIONS.findIndex(({ name }) => name === job.cursor?.section)
    let cursor: CopyCursor | undefined
    for (const section of SECTIONS.slice(Math.max(begun, 0))) {
      const { name, title } = section
      let after = job.cursor?.section === name ? job.cursor.after : undefined
      if (job.cursor?.section !== name) add(name, JSON.stringify(title))
      for (;;) {
        const page = await readSection(db, section, userId, { after, limit: ROWS_AT_ONCE })
        for (const row of page.rows) add(name, row)
        rows += page.rows.length
        after = page.last ?? after
        cursor = { section: name, after }
        if (file.length >= PART_LENGTH) await store(cursor)
        if (page.rows.length < ROWS_AT_ONCE) break
      }
    }
    if (file.length > 0 && cursor !== undefined) await store(cursor)
    return { rows: job.done }
  },
}

/** Copies of all members of a school that wait or run. */
const MOST_OPEN = 100
/** A person gets one in this time. */
const HOURS_BETWEEN = 24

/** A copy of what this school holds about a person, or the work on it. */
export interface Copy {
  readonly id: string
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'
  readonly askedAt: Date
  readonly finishedAt: Date | null
  readonly expiresAt: Date | null
  /** From when on the person may ask for another one; null if they may now. */
  readonly nextAt: Date | null
}

/** The newest copy of this person at this school. */
export async function findCopy(db: SchoolDb, userId: string): Promise<Copy | undefined> {
  const { rows } = await db.run(sql<Copy>`
    select id, state, created_at as "askedAt", finished_at as "finishedAt", expires_at as "expiresAt",
      case when state in ('waiting', 'running', 'done') and created_at > now() - make_interval(hours => ${HOURS_BETWEEN})
           then created_at + make_interval(hours => ${HOURS_BETWEEN}) end as "nextAt"
    from jobs
    where school_id = ${db.schoolId} and user_id = ${userId} and of_member and kind = ${COPY_KIND}
      and (expires_at is null or expires_at > now())
    order by id desc limit 1`)
  return rows[0]
}

export type StartedCopy = 'started' | 'open' | 'too_soon' | 'busy'

/**
 * Starts the work on a copy. Only a signed-in person can ask, and only about themselves: there is
 * no input.
 */
export async function startCopy(
  tx: SchoolTx,
  actor: Actor & { readonly userId: string },
): Promise<StartedCopy> {
  // Two that are asked for at the same time would both find none.
  await sql`select id from users where id = ${actor.userId} for no key update`.execute(
    acrossSchools(tx),
  )
  const newest = await findCopy(tx, actor.userId)
  if (newest?.state === 'waiting' || newest?.state === 'running') return 'open'
  if (newest !== undefined && newest.nextAt !== null) return 'too_soon'
  const { rows } = await tx.run(sql`
    select from jobs where school_id = ${tx.schoolId} and state = 'waiting' and of_member
    limit ${sql.lit(MOST_OPEN)}`)
  if (rows.length >= MOST_OPEN) return 'busy'
  await startJob(tx, actor, copyJob, { input: {}, title: 'Copy of your own data' })
  return 'started'
}

/** The keys of a finished copy in the file store, for the person whom it is about alone. */
export async function findCopyFiles(
  db: SchoolDb,
  userId: string,
  id: string,
): Promise<{ readonly keys: readonly string[]; readonly madeAt: Date } | undefined> {
  const { rows } = await db.run(sql<{ keys: string[]; madeAt: Date }>`
    select files as keys, finished_at as "madeAt" from jobs
    where school_id = ${db.schoolId} and id = ${id} and user_id = ${userId} and of_member
      and kind = ${COPY_KIND} and state = 'done' and expires_at > now()`)
  return rows[0]
}
