import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor/actor.ts'
import { id, text, utc } from '../operation/fields.ts'
import { filter, timeFilters } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import { changeOperation, objectOperations } from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import { expansionOf, loadObject, type Resource } from '../operation/resource.ts'
import { WITHOUT_SCOPE } from '../operation/writing.ts'
import { personOf } from '../people/find-people.ts'
import { memberSchema, members } from '../people/member-resource.ts'
import { courseSchema, courses } from './course-operations.ts'
import { lectureSchema, lectures } from './curriculum-resource.ts'

const commentSchema = z
  .strictObject({
    object: z.literal('comment'),
    id,
    course_id: id,
    lecture_id: id,
    author_id: id,
    parent_id: id.nullable(),
    body: text(1, 10_000),
    hidden_at: utc.nullable(),
    created_at: utc,
    author: memberSchema.nullable().optional(),
    lecture: lectureSchema.nullable().optional(),
    course: courseSchema.nullable().optional(),
  })
  .meta({ id: 'Comment' })

export const comments: Resource<typeof commentSchema> = {
  object: 'comment',
  restPath: '/comments/{id}',
  schema: commentSchema,
  // A left join, although every comment has a lecture: a count then need not look for it.
  rows: (db) => sql`
    select c.id, l.course_id, c.lecture_id, c.user_id as author_id, c.parent_id, c.body, c.hidden_at,
      c.created_at
    from comments c left join lectures l on l.school_id = c.school_id and l.id = c.lecture_id
    where c.school_id = ${db.schoolId}`,
  expansions: {
    author: expansionOf(members, 'author_id', ['members:read']),
    lecture: expansionOf(lectures, 'lecture_id', ['curriculum:read']),
    course: expansionOf(courses, 'course_id', ['courses:read']),
  },
}

const ops = objectOperations({
  of: comments,
  table: 'comments',
  one: 'a comment',
  example: EXAMPLE.comment,
})

export const listComments = listOperation({
  ...ops.listed,
  summary: 'Comments of members under lectures, hidden ones included.',
  filters: {
    course_id: filter(id, (value) => sql`r.course_id = ${value}`),
    lecture_id: filter(id, (value) => sql`r.lecture_id = ${value}`),
    author_id: filter(id, (value) => sql`r.author_id = ${value}`),
    parent_id: filter(id, (value) => sql`r.parent_id = ${value}`),
    hidden: filter(z.boolean(), (hidden) =>
      hidden ? sql`r.hidden_at is not null` : sql`r.hidden_at is null`,
    ),
    search: searchIn('body', personOf('author_id')),
    ...timeFilters('created_at'),
  },
  sorts: { created_at: 'time' },
  defaultSort: '-created_at',
  examples: [
    { title: 'Under a lecture', input: { lecture_id: EXAMPLE.lecture, sort: 'created_at' } },
  ],
})

export const readComment = ops.read({
  examples: [{ title: 'With its author', input: { id: EXAMPLE.comment, expand: ['author'] } }],
})

export const hideComment = hiding({
  name: 'comments.hide',
  title: 'Hide a comment',
  summary: 'Hides a comment from members. Its text is kept.',
  hiddenAt: sql`coalesce(hidden_at, now())`,
})

export const showComment = hiding({
  name: 'comments.show',
  title: 'Show a comment again',
  summary: 'Shows a hidden comment to members again.',
  hiddenAt: sql`null`,
})

interface Hiding {
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly hiddenAt: RawBuilder<Date | null>
}

/**
 * A comment has no version, so the row is locked before it is read: the audit entry has the state
 * that the write found.
 */
function hiding({ hiddenAt, ...described }: Hiding) {
  return {
    ...changeOperation({
      ...WITHOUT_SCOPE,
      ...described,
      of: comments,
      fields: {},
      async change(tx, _caller, { id: comment }) {
        await tx.update('comments').set({ hidden_at: hiddenAt }).where('id', '=', comment).execute()
      },
    }),
    async before(tx: SchoolTx, caller: Actor, { id: comment }: { readonly id: string }) {
      await tx.from('comments').select('id').where('id', '=', comment).forUpdate().execute()
      return await loadObject(tx, caller, comments, comment)
    },
  }
}

/** In place of a comment that others answered: it was taken back, or its writer is forgotten. */
export const TAKEN_BACK = '(deleted)'

/** Removes comments of a member. Returns how many changed, at most `limit`. */
export async function forgetComments(tx: SchoolTx, userId: string, limit: number): Promise<number> {
  return await removeComments(tx, sql`user_id = ${userId} and body <> ${TAKEN_BACK}`, limit)
}

/** False if it is not theirs, or stands below another lecture. */
export async function takeBackComment(
  tx: SchoolTx,
  userId: string,
  { id, lectureId }: { readonly id: string; readonly lectureId: string },
): Promise<boolean> {
  const own = sql`id = ${id} and user_id = ${userId} and lecture_id = ${lectureId}`
  return (await removeComments(tx, sql`${own} and body <> ${TAKEN_BACK}`, 1)) > 0
}

/**
 * A comment to which others answered loses its text and stays, because their answers would go with
 * it; it goes with the last of them. The rows are locked by a statement of their own: the next one
 * then sees the answers that were written before.
 */
async function removeComments(
  tx: SchoolTx,
  which: RawBuilder<unknown>,
  limit: number,
): Promise<number> {
  const { rows: locked } = await tx.run(sql<{ id: string }>`
    select id from comments where school_id = ${tx.schoolId} and ${which}
    limit ${sql.lit(limit)} for update`)
  if (locked.length === 0) return 0
  const ids = locked.map(({ id }) => id)
  const isAnswered = sql`exists (
    select from comments a where a.school_id = c.school_id and a.parent_id = c.id)`
  const mine = sql`c.school_id = ${tx.schoolId} and c.id = any (${ids}::uuid[])`
  const { rows: gone } = await tx.run(sql<{ parent_id: string | null }>`
    with emptied as (
      update comments c set body = ${TAKEN_BACK} where ${mine} and ${isAnswered})
    delete from comments c where ${mine} and not ${isAnswered} returning c.parent_id`)
  const parents = gone.flatMap(({ parent_id }) => parent_id ?? [])
  if (parents.length > 0) {
    await tx.run(sql`
      delete from comments c where c.school_id = ${tx.schoolId} and c.id = any (${parents}::uuid[])
        and c.body = ${TAKEN_BACK} and not ${isAnswered}`)
  }
  return locked.length
}

export const commentOperations = {
  list: listComments,
  read: readComment,
}
