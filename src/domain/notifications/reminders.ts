import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import { atSchool, type SchoolTx } from '../../foundation/db/school-db.ts'
import type { CauseName } from './causes.ts'
import { entriesFor, messageOf } from './notify.ts'

/** The moments after `after`, up to `until`, at the school with this id; all as SQL. */
export interface Window {
  readonly schoolId: RawBuilder<unknown>
  readonly after: RawBuilder<unknown>
  readonly until: RawBuilder<unknown>
}

/** What happened longer ago, because nothing was told for long, is no news. */
const NEWS_DAYS = 7

/**
 * Whether so many days before the column lie in the window. With 0 days it is told that the moment
 * has come. A reminder that is so late that half of its days are over is not sent.
 */
export function inWindow(
  column: RawBuilder<unknown>,
  { after, until }: Window,
  days: number,
): RawBuilder<unknown> {
  const before = sql.lit(`${days} days`)
  return sql`${column} > ${after} + ${before}::interval and ${column} <= ${until} + ${before}::interval
    and ${column} > now() + ${sql.lit(days > 0 ? `${days * 12} hours` : `-${NEWS_DAYS} days`)}::interval`
}

/** In numbers: how a time is written depends on the connection. */
export const keyOf = (id: string, time: string) =>
  sql`concat_ws(' ', ${sql.ref(id)}, extract(epoch from ${sql.ref(time)}))`

/** What members are told because a time has come. */
export interface Reminder {
  readonly cause: CauseName
  /**
   * Selects `user_id`, `facts` and `key` for each moment in the window. The key has the object and
   * its time: with another time it is another reminder.
   */
  readonly due: (window: Window) => RawBuilder<unknown>
}

/** How old a round is before another process begins the next. */
const ROUND_MINUTES = 4
/** Schools that one statement looks at. */
const STEP_SCHOOLS = 500
/** People whom one statement tells. */
const STEP_ROWS = 5000

/**
 * Crosses schools. The database keeps up to which moment each school has reminded, and only its
 * clock counts. A round looks at what lies between that moment and now, once: a process that dies
 * leaves the moment as it was, and of two processes one takes a school. The id of an entry follows
 * from its key, so that a clock that was set back causes no second one.
 */
export async function sendReminders(
  db: Db,
  reminders: readonly Reminder[],
  onError: (error: unknown, school: string) => void,
): Promise<void> {
  // What came before a school is known here is never told.
  await sql`
    insert into reminders (school_id)
    select s.id from schools s where not exists (select from reminders r where r.school_id = s.id)
    on conflict (school_id) do nothing`.execute(db)
  const failed: string[] = []
  for (;;) {
    const { looked, schools } = await nextSchools(db, reminders, failed)
    for (const school of schools) {
      try {
        await remindAt(db, school, reminders)
      } catch (error) {
        failed.push(school)
        onError(error, school)
      }
    }
    if (looked < STEP_SCHOOLS) return
  }
}

/** A row that was written meanwhile may be committed a little later than its time. */
const UNTIL = sql`now() - interval '2 minutes'`

/** From where a round begins: not from a moment that is still to come. */
const AFTER = sql`least(r.until, ${UNTIL})`
/** A clock that was set back makes the moment lie ahead. */
const IS_TURN = sql`(r.until < ${UNTIL} - make_interval(mins => ${sql.lit(ROUND_MINUTES)})
  or r.until > now() + make_interval(mins => ${sql.lit(ROUND_MINUTES)}))`

/** Most schools have nothing to say: they are done with this statement. */
async function nextSchools(
  db: Db,
  reminders: readonly Reminder[],
  failed: readonly string[],
): Promise<{ looked: number; schools: readonly string[] }> {
  const window = { schoolId: sql`t.school_id`, after: sql`t.after`, until: UNTIL }
  const isDue = reminders.map(({ due }) => sql`exists (${due(window)})`)
  const { rows } = await sql<{ looked: number; schools: string[] }>`
    with turn as materialized (
      select r.school_id, ${AFTER} as after
      from reminders r join schools s on s.id = r.school_id
      where ${IS_TURN} and s.suspended_at is null and s.deleted_at is null
        and r.school_id <> all (${failed}::uuid[])
      order by r.school_id limit ${sql.lit(STEP_SCHOOLS)} for update of r skip locked),
    news as materialized (select t.school_id from turn t where ${sql.join(isDue, sql` or `)}),
    silent as (
      update reminders r set until = ${UNTIL} from turn t
      where r.school_id = t.school_id and t.school_id not in (select school_id from news))
    select (select count(*) from turn)::int as looked,
      array(select school_id::text from news) as schools`.execute(db)
  return rows[0] ?? { looked: 0, schools: [] }
}

async function remindAt(db: Db, school: string, reminders: readonly Reminder[]): Promise<void> {
  await atSchool(db, school, { lane: 'batch' }).transaction(async (tx) => {
    const { rows } = await tx.run(sql<{ after: string }>`
      select ${AFTER}::text as after from reminders r
      where r.school_id = ${school} and ${IS_TURN} for update skip locked`)
    const after = rows[0]?.after
    if (after === undefined) return
    for (const reminder of reminders) await remind(tx, reminder, after)
    await tx.run(sql`update reminders set until = ${UNTIL} where school_id = ${school}`)
  })
}

async function remind(tx: SchoolTx, { cause, due }: Reminder, after: string): Promise<void> {
  const moments = due({
    schoolId: sql`${tx.schoolId}::uuid`,
    after: sql`${after}::timestamptz`,
    until: UNTIL,
  })
  const people = sql`(select d.user_id, d.facts, ${ID} as id from page d
    cross join lateral (select md5(concat_ws(' ', ${cause}::text, d.user_id, d.key)) as hash) h)`
  let last: Last = { looked: STEP_ROWS, key: '', user: FIRST_ID }
  while (last.looked === STEP_ROWS) {
    const { rows } = await tx.run(sql<Last>`
      with page as materialized (
        select d.user_id, d.key, d.facts from (${moments}) d
        where (d.key, d.user_id) > (${last.key}::text, ${last.user}::uuid)
        order by d.key, d.user_id limit ${sql.lit(STEP_ROWS)}),
      sent as (${entriesFor(tx, messageOf(cause, sql`p.facts`), people)})
      select (select count(*) from page)::int as looked, l.key, l.user_id as "user"
      from (select key, user_id from page order by key desc, user_id desc limit 1) l`)
    last = rows[0] ?? { ...last, looked: 0 }
  }
}

/** Where a step ended. */
interface Last {
  readonly looked: number
  readonly key: string
  readonly user: string
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** A version 8 UUID: its bits follow from the hash. */
const ID = sql`overlay(overlay(h.hash placing '8' from 13) placing '8' from 17)::uuid`
