import { chapter } from '../chapter.ts'

export const courses = [
  chapter('member-api', 'Course node', {
    'course.slug': 'A course has a slug.',
    'course.expire-date': 'A course tells when access to it ends.',
    'course.lifetime-access': 'hasLifetimeAccess is true if access never ends.',
    'course.last-watched': 'lastWatchedLecture gives lectureId and positionSeconds.',
    'course.detail-progress': 'detailProgress summarizes the progress of the viewer.',
    'course.sections': 'A course has sections, and each section its lectures.',
  }),

  chapter('member-api', 'Lecture', {
    'lecture.title': 'A lecture has a title.',
    'lecture.is-locked': 'isLocked says whether the viewer cannot open the lecture yet.',
    'lecture.unlock-at': 'unlockAt says when a locked lecture opens.',
    'lecture.duration': 'duration of a lecture is a number of seconds.',
    'lecture.syllabus-in-one-query':
      'A single query reads the complete syllabus with the progress in each lecture.',
  }),

  chapter('member-api', 'States and transitions', {
    'lecture.state': 'The state of a lecture is unread, read or completed.',
  }),

  chapter('member-api', 'product decision', {
    'course.id-and-title': 'A course also has id and title, a lecture also id.',
    'course.progress.fields': 'detailProgress has completedLectures, totalLectures and percent.',
    'course.plain-lists': 'sections and lectures are plain lists in the order of the curriculum.',
  }),
] as const
