import { sql } from 'kysely'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import { htmlOf } from '../content/rendered-texts.ts'
import { KIND_COLUMN, type LECTURE_KINDS, VIDEO_URL_COLUMN } from './curriculum-resource.ts'
import type { OutlineSource } from './outline.ts'
import { addLearningDays } from './progress.ts'
import { markLecture, moveBookmark } from './progress-operations.ts'
import type { PublicCourseHead } from './public-courses.ts'
import type { SyllabusLecture } from './syllabus.ts'
import { type ViewedCourse, viewCourse } from './viewed-course.ts'

/** What is in a lecture, for a viewer who may open it. */
export interface LectureContent {
  /** Markdown, as the school wrote it. */
  readonly body: string
  /** The text as HTML; null if it is not rendered yet. */
  readonly html: string | null
  readonly kind: (typeof LECTURE_KINDS)[number]
  /** Null if it is no video, or its address is missing. */
  readonly videoUrl: string | null
  /** Null if it is no file, or the school has not uploaded it. */
  readonly file: { readonly id: string; readonly name: string; readonly sizeBytes: number } | null
  /** Where the viewer stopped; 0 for a viewer who is not enrolled. */
  readonly positionSeconds: number
}

/** A lecture at its place in the course, as one viewer sees it. */
export interface LectureOfViewer {
  readonly course: ViewedCourse
  readonly lecture: SyllabusLecture
  /** Counted from 1, over all sections. */
  readonly number: number
  readonly lectureCount: number
  readonly previous: SyllabusLecture | undefined
  readonly next: SyllabusLecture | undefined
  /** Absent if the viewer may not open the lecture. */
  readonly content: LectureContent | undefined
}

/**
 * Undefined if the viewer sees no such course, or it has no such lecture. `known` is the course,
 * for a preview of it.
 */
export async function openLecture(
  db: SchoolDb,
  outlines: OutlineSource,
  userId: string | undefined,
  place: { readonly slug: string; readonly lectureId: string },
  known?: PublicCourseHead,
): Promise<LectureOfViewer | undefined> {
  const course = await viewCourse(db, outlines, userId, place.slug, known)
  if (course === undefined) return undefined
  const lectures = course.sections.flatMap((section) => section.lectures)
  const index = lectures.findIndex(({ id }) => id === place.lectureId)
  const lecture = lectures[index]
  if (lecture === undefined) return undefined
  const content = lecture.isLocked ? undefined : await readContent(db, userId, course, lecture)
  return {
    course,
    lecture,
    number: index + 1,
    lectureCount: lectures.length,
    previous: lectures[index - 1],
    next: lectures[index + 1],
    content,
  }
}

async function readContent(
  db: SchoolDb,
  userId: string | undefined,
  course: ViewedCourse,
  lecture: SyllabusLecture,
): Promise<LectureContent | undefined> {
  const learner = course.learner === undefined ? null : userId
  const { rows } = await db.run(sql<LectureContent>`
    select l.body, ${htmlOf('l')} as html, ${KIND_COLUMN} as kind,
      ${VIDEO_URL_COLUMN} as "videoUrl",
      (select json_build_object('id', f.id, 'name', f.name, 'sizeBytes', f.size_bytes)
       from files f
       where f.school_id = l.school_id and f.id = l.file_id and l.kind = 'file') as file,
      coalesce(p.position_seconds, 0) as "positionSeconds"
    from lectures l
      left join lecture_progress p on p.school_id = l.school_id and p.user_id = ${learner}
        and p.course_id = l.course_id and p.lecture_id = l.id
    where l.school_id = ${db.schoolId} and l.course_id = ${course.id} and l.id = ${lecture.id}`)
  return rows[0]
}

/** Records that a member has opened a lecture: it is read from now on, and they continue there. */
export async function noteOpened(
  db: SchoolDb,
  userId: string,
  { course, lecture, content }: LectureOfViewer,
): Promise<void> {
  if (course.learner === undefined || content === undefined) return
  const isUnread = lecture.state === 'unread'
  if (!isUnread && course.learner.enrollment.lastWatched?.lectureId === lecture.id) return
  const watched_at = new Date().toISOString()
  const here = { student_id: userId, lecture_id: lecture.id, watched_at }
  await db.transaction(async (tx) => {
    if (isUnread) await markRead(tx, userId, course.id, lecture.id)
    await addLearningDays(tx, [{ userId, at: watched_at }])
    await moveBookmark(tx, { ...here, position_seconds: content.positionSeconds }, course.id)
  })
}

/** Leaves a lecture alone that was completed meanwhile, in another tab. */
async function markRead(
  tx: SchoolTx,
  user_id: string,
  course_id: string,
  lecture_id: string,
): Promise<void> {
  await tx
    .insert('lecture_progress', { user_id, course_id, lecture_id, state: 'read' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** What a member says of a lecture. False if they are not enrolled, or may not open it. */
export async function markOpened(
  db: SchoolDb,
  userId: string,
  { course, lecture, content }: LectureOfViewer,
  state: 'read' | 'completed',
): Promise<boolean> {
  if (course.learner === undefined || content === undefined) return false
  await db.transaction((tx) =>
    markLecture(tx, {
      student_id: userId,
      lecture_id: lecture.id,
      state,
      position_seconds: content.positionSeconds,
      first_read_at: null,
      completed_at: null,
      watched_at: new Date().toISOString(),
    }),
  )
  return true
}
