import { type RawBuilder, sql } from 'kysely'
import { cutPage, groupRows, type KeysetKey } from '../../foundation/db/keyset.ts'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import { visibleText } from '../../foundation/text/visible-text.ts'
import { type Actor, isOperator, OPERATOR_ROLES, type Role } from '../actor/actor.ts'
import { shownPeople } from '../actor/shown-person.ts'
import { tell } from '../notifications/notify.ts'
import { checkInput, runWrite } from '../operation/operation.ts'
import { IS_ACTIVE } from '../people/member-resource.ts'
import { rolesAt } from '../people/membership.ts'
import { hideComment, showComment, TAKEN_BACK, takeBackComment } from './comment-operations.ts'
import { type LectureOfViewer, openLecture } from './open-lecture.ts'
import type { OutlineSource } from './outline.ts'
import { findPublicCourseHead } from './public-courses.ts'

/** As PostgreSQL counts them: an emoji of two UTF-16 units is one. */
export const LONGEST_COMMENT = 2000
/** Comments and answers of one person in an hour; an answer tells its reader, also by email. */
export const MOST_COMMENTS = 30
const COMMENTS_SHOWN = 20
/** Below each of several comments; the page of a comment has all. */
const ANSWERS_SHOWN = 3

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/
const DRAWN = /[^\s\u115f\u1160\u2800\u3164\uffa0]/

type Judged = { readonly body: string } | { readonly problem: string }

/** What a person typed, as it is kept; or what is wrong with it. */
export function judgeComment(typed: string): Judged {
  const body = visibleText(typed.replace(/\r\n?/g, '\n'))
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  if (!DRAWN.test(body)) return { problem: 'Write at least one visible character.' }
  if (body === TAKEN_BACK) return { problem: 'This stands for a comment that was taken back.' }
  if (CONTROL.test(body)) return { problem: 'Remove control characters.' }
  const length = [...body].length
  if (length <= LONGEST_COMMENT) return { body }
  return { problem: `Use at most ${LONGEST_COMMENT} characters. These are ${length}.` }
}

/** A member of the school. */
export interface Reader {
  readonly userId: string
  readonly roles: readonly Role[]
}

interface Place {
  readonly slug: string
  readonly lectureId: string
}

/** Whether the reader is staff of the course `c`: an owner or admin, or one of its lecturers. */
const isStaffOf = ({ userId, roles }: Reader) => sql<boolean>`(${isOperator(roles)}::boolean
  or ${roles.includes('lecturer')}::boolean and exists (
    select from course_lecturers t
    where t.school_id = c.school_id and t.course_id = c.id and t.user_id = ${userId}))`

const isStudent = ({ roles }: Reader) => roles.every((role) => role === 'student')

/** Whether the course `c` has comments: it allows them, and is or was public. */
const IS_OPEN = sql<boolean>`(c.comments_allowed
  and (c.state = 'archived' or c.state = 'published' and c.published_at <= now()))`

/** The lecture as this member sees it. Staff of a course find it in the archive, too. */
export async function openForMember(
  db: SchoolDb,
  outlines: OutlineSource,
  reader: Reader,
  place: Place,
): Promise<LectureOfViewer | undefined> {
  const opened = await openLecture(db, outlines, reader.userId, place)
  if (opened !== undefined || isStudent(reader)) return opened
  const isArchived = sql<boolean>`c.state = 'archived' and ${isStaffOf(reader)}`
  const course = await findPublicCourseHead(db, place.slug, isArchived)
  return course && (await openLecture(db, outlines, undefined, place, course))
}

/** A member who reads and writes below a lecture. */
export interface Participant extends Reader {
  readonly isStaff: boolean
  readonly courseId: string
  readonly lectureId: string
}

/**
 * Undefined for people who do not take part: a free lecture is read by everybody, and what students
 * write below it only by people who have the course, and its staff.
 */
export async function participantIn(
  db: SchoolDb,
  { course, lecture }: LectureOfViewer,
  reader: Reader,
): Promise<Participant | undefined> {
  const { expiresAt = null, readAt } = course.learner?.enrollment ?? {}
  const hasEnded = readAt === undefined || (expiresAt !== null && expiresAt <= readAt)
  const isLearner = !hasEnded && !lecture.isLocked && reader.roles.length > 0
  if (!isLearner && isStudent(reader)) return undefined
  const { rows } = await db.run(sql<{ isStaff: boolean }>`
    select ${isStaffOf(reader)} as "isStaff" from courses c
    where c.school_id = ${db.schoolId} and c.id = ${course.id} and ${IS_OPEN}`)
  const [allowed] = rows
  if (allowed === undefined || !(isLearner || allowed.isStaff)) return undefined
  return { ...reader, ...allowed, courseId: course.id, lectureId: lecture.id }
}

export interface ShownComment {
  readonly id: string
  /** Null where a comment was taken back to which others answered. */
  readonly body: string | null
  readonly name: string
  readonly avatarUrl: string | null
  readonly createdAt: Date
  readonly isOwn: boolean
  readonly isByStaff: boolean
  /** Only staff see it. */
  readonly isHidden: boolean
}

export interface CommentWithAnswers extends ShownComment {
  readonly answers: readonly ShownComment[]
  readonly hasMoreAnswers: boolean
}

export interface CommentPage<C = CommentWithAnswers> {
  readonly comments: readonly C[]
  /** Where the next page begins, if there is one. */
  readonly next: KeysetKey | undefined
}

type CommentRow = ShownComment & { readonly parentId: string | null }

/** Oldest first, each with its first answers. */
export async function readComments(
  db: SchoolDb,
  who: Participant,
  after: KeysetKey | undefined,
): Promise<CommentPage> {
  const rows = await readRows(
    db,
    who,
    sql`
    select * from comments
    where school_id = ${db.schoolId} and lecture_id = ${who.lectureId} and parent_id is null
      and ${laterThan(after, COMMENTS_SHOWN)}`,
  )
  const { shown, next } = pageOf(rows, COMMENTS_SHOWN)
  const comments = shown.filter(isSeenBy(who))
  const ids = comments.map(({ id }) => id)
  const answers = groupRows(
    ids.length === 0 ? [] : await readAnswers(db, who, ids, undefined, ANSWERS_SHOWN),
    ({ parentId }) => parentId ?? '',
  )
  const withAnswers = comments.map((comment) => {
    const { shown: first, next: more } = pageOf(answers.get(comment.id) ?? [], ANSWERS_SHOWN)
    return { ...comment, answers: first.filter(isSeenBy(who)), hasMoreAnswers: more !== undefined }
  })
  return { comments: withAnswers, next }
}

export interface Thread {
  readonly comment: ShownComment
  readonly answers: CommentPage<ShownComment>
  readonly isFirst: boolean
}

/** One comment and a page of its answers, one with this answer if it is still there. */
export async function readThread(
  db: SchoolDb,
  who: Participant,
  id: string,
  from: { readonly after?: KeysetKey | undefined; readonly answer?: string | undefined } = {},
): Promise<Thread | undefined> {
  const [comment] = await readRows(
    db,
    who,
    sql`
    select * from comments
    where school_id = ${db.schoolId} and lecture_id = ${who.lectureId} and parent_id is null
      and id = ${id}`,
  )
  if (comment === undefined || !isSeenBy(who)(comment)) return undefined
  const pageAfter = async (after: KeysetKey | undefined) => {
    const rows = await readAnswers(db, who, [id], after, COMMENTS_SHOWN)
    return { after, ...pageOf(rows, COMMENTS_SHOWN) }
  }
  let page = await pageAfter(from.after)
  if (from.answer !== undefined && !page.shown.some((answer) => answer.id === from.answer)) {
    const place = await placeBefore(db, id, from.answer)
    if (place !== undefined) page = await pageAfter(place)
  }
  const answers = { comments: page.shown.filter(isSeenBy(who)), next: page.next }
  return { comment, answers, isFirst: page.after === undefined }
}

async function placeBefore(
  db: SchoolDb,
  parent: string,
  answer: string,
): Promise<KeysetKey | undefined> {
  const row = await db
    .from('comments')
    .select('created_at')
    .where('parent_id', '=', parent)
    .where('id', '=', answer)
    .executeTakeFirst()
  return row && { at: row.created_at, id: LOWEST_ID }
}

const LOWEST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * Oldest first, with one row more than are shown. The limit is part of the text: a plan that is
 * kept for all values would expect many rows, and read all members.
 */
function laterThan(after: KeysetKey | undefined, shown: number): RawBuilder<unknown> {
  return sql`(created_at, id) >
      (${after?.at ?? '-infinity'}::timestamptz, ${after?.id ?? LOWEST_ID}::uuid)
    order by created_at, id limit ${sql.lit(shown + 1)}`
}

/**
 * Hidden rows are left out here and not by the statement: it would look for others behind them, and
 * a lecture may have a hundred thousand.
 */
const isSeenBy =
  ({ isStaff }: Participant) =>
  ({ isHidden }: ShownComment) =>
    isStaff || !isHidden

function pageOf(rows: readonly CommentRow[], limit: number) {
  const { shown, last } = cutPage(rows, limit)
  return { shown, next: last && { at: last.createdAt, id: last.id } }
}

async function readAnswers(
  db: SchoolDb,
  who: Participant,
  parents: readonly string[],
  after: KeysetKey | undefined,
  shown: number,
): Promise<CommentRow[]> {
  return await readRows(
    db,
    who,
    sql`
    select a.* from unnest(${parents}::uuid[]) as p (id), lateral (
      select * from comments c
      where c.school_id = ${db.schoolId} and c.parent_id = p.id
        and ${laterThan(after, shown)}) a`,
  )
}

/** The rows of a query on comments, as this participant sees them. */
async function readRows(
  db: SchoolDb,
  { userId, courseId }: Participant,
  chosen: RawBuilder<unknown>,
): Promise<CommentRow[]> {
  const { rows } = await db.run(sql<CommentRow>`
    select c.id, c.parent_id as "parentId", nullif(c.body, ${TAKEN_BACK}) as body,
      coalesce(p.public_name, case when p.email is null then p.name else 'A member' end) as name,
      p.avatar_url as "avatarUrl", c.created_at as "createdAt", c.user_id = ${userId} as "isOwn",
      c.hidden_at is not null as "isHidden",
      p.roles && ${[...OPERATOR_ROLES]}::text[] or 'lecturer' = any (p.roles) and exists (
        select from course_lecturers t
        where t.school_id = c.school_id and t.course_id = ${courseId} and t.user_id = c.user_id) as "isByStaff"
    from (${chosen}) c join ${shownPeople(db)} p on p.id = c.user_id
    order by c.created_at, c.id`)
  return rows
}

export interface NewComment {
  /** Made with the form: a form that is sent twice writes once. */
  readonly id: string
  readonly body: string
  /** What it answers; an answer to an answer belongs to the comment above both. */
  readonly answers: string | undefined
}

type Written =
  /** `thread` is the comment above an answer, or the comment itself. */
  | { readonly kind: 'written'; readonly thread: string }
  /** The comment is hidden, was taken back, or stands below another lecture. */
  | { readonly kind: 'unanswerable' }
  /** The right to write here ended meanwhile. */
  | { readonly kind: 'closed' }

/** `pathOf` is the page of an answer, to which the writer of the comment is led. */
export async function writeComment(
  db: SchoolDb,
  outlines: OutlineSource,
  opened: LectureOfViewer,
  who: Participant,
  { id, body, answers }: NewComment,
  pathOf: (thread: string, answer: string) => string,
): Promise<Written> {
  return await db.transaction(async (tx) => {
    const above = answers === undefined ? undefined : await lockAnswered(tx, who, answers)
    if (answers !== undefined && above === undefined) return { kind: 'unanswerable' }
    const { rows } = await tx.run(sql`
      insert into comments (school_id, id, lecture_id, user_id, parent_id, body)
      select c.school_id, ${id}::uuid, l.id, ${who.userId}::uuid, ${above?.id ?? null}::uuid, ${body}
      from courses c join lectures l on l.school_id = c.school_id and l.course_id = c.id
      where c.school_id = ${tx.schoolId} and c.id = ${who.courseId} and l.id = ${who.lectureId}
        and ${IS_OPEN} and (${isStaffOf(who)} or exists (
          select from enrollments e
          where e.school_id = c.school_id and e.course_id = c.id and e.user_id = ${who.userId}
            and ${IS_ACTIVE}))
      on conflict do nothing returning 1`)
    const thread = above?.id ?? id
    if (rows.length === 0) {
      return (await isWritten(tx, who, id)) ? { kind: 'written', thread } : { kind: 'closed' }
    }
    if (above !== undefined && above.userId !== who.userId) {
      await tellOfAnswer(tx, outlines, opened, above.userId, pathOf(thread, id))
    }
    return { kind: 'written', thread }
  })
}

/** Locked, so that it is not taken back or hidden before the answer is written. */
async function lockAnswered(
  tx: SchoolTx,
  { lectureId }: Participant,
  answered: string,
): Promise<{ readonly id: string; readonly userId: string } | undefined> {
  const { rows } = await tx.run(sql<{ id: string; userId: string }>`
    select t.id, t.user_id as "userId"
    from comments a join comments t on t.school_id = a.school_id and t.id = coalesce(a.parent_id, a.id)
    where a.school_id = ${tx.schoolId} and a.id = ${answered} and a.lecture_id = ${lectureId}
      and a.hidden_at is null and t.hidden_at is null and t.body <> ${TAKEN_BACK}
    for share of t`)
  return rows[0]
}

async function isWritten(tx: SchoolTx, who: Participant, id: string): Promise<boolean> {
  const row = await tx
    .from('comments')
    .select('id')
    .where('id', '=', id)
    .where('user_id', '=', who.userId)
    .where('lecture_id', '=', who.lectureId)
    .executeTakeFirst()
  return row !== undefined
}

/** Only a writer who can still read it. */
async function tellOfAnswer(
  tx: SchoolTx,
  outlines: OutlineSource,
  { course, lecture }: LectureOfViewer,
  userId: string,
  path: string,
): Promise<void> {
  const reader = { userId, roles: await rolesAt(tx, userId) }
  const place = { slug: course.slug, lectureId: lecture.id }
  const theirs = await openForMember(tx, outlines, reader, place)
  if (theirs === undefined || (await participantIn(tx, theirs, reader)) === undefined) return
  const facts = { course: course.title, lecture: lecture.title, path }
  await tell(tx, 'comment_answered', [userId], facts)
}

/** False if it is not theirs, or stands below another lecture. */
export async function takeBack(db: SchoolDb, who: Participant, id: string): Promise<boolean> {
  return await db.transaction((tx) =>
    takeBackComment(tx, who.userId, { id, lectureId: who.lectureId }),
  )
}

const MODERATION = { hide: hideComment, show: showComment } as const
export type Moderation = keyof typeof MODERATION

/** False for people who are not staff of the course, and for a comment below another lecture. */
export async function moderate(
  db: SchoolDb,
  opened: LectureOfViewer,
  actor: Actor & Reader,
  id: string,
  act: Moderation,
): Promise<boolean> {
  const operation = MODERATION[act]
  return await db.transaction(async (tx) => {
    const who = await participantIn(tx, opened, actor)
    if (who?.isStaff !== true) return false
    const row = await tx
      .from('comments')
      .select('id')
      .where('id', '=', id)
      .where('lecture_id', '=', who.lectureId)
      .executeTakeFirst()
    if (row === undefined) return false
    await runWrite(operation, tx, actor, checkInput(operation, { id }))
    return true
  })
}
