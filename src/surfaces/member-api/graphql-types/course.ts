import type { CourseProgress, LectureState } from '../../../domain/learning/progress.ts'
import type {
  CourseWithSyllabus,
  SyllabusLecture,
  SyllabusSection,
} from '../../../domain/learning/syllabus.ts'
import type { Builder, Ref } from '../builder.ts'
import { countedBefore } from '../documents/prices.ts'
import { defineEnum, type VariantWords } from './scalars.ts'

/** More sections than most courses have, to estimate the size of an answer. */
export const USUAL_SECTIONS = 10

export function defineCourse(
  builder: Builder,
  section: Ref<SyllabusSection>,
  words: VariantWords,
): Ref<CourseWithSyllabus> {
  const lastWatched = defineLastWatchedLecture(builder)
  const progress = defineDetailProgress(builder)
  return builder.objectRef<CourseWithSyllabus>('Course').implement({
    description: `A course that the viewer is enrolled in, bought or not. ${words.billing}`,
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Id of the course.' }),
      slug: t.exposeString('slug', {
        description: 'Short name of the course, unique at its school.',
      }),
      title: t.exposeString('title', { description: 'Title of the course.' }),
      expireDate: t.expose('expiresAt', {
        type: 'UnixTime',
        nullable: true,
        description:
          'When access ends or ended; null with lifetime access. A course whose access has ended stays in the list, with its lectures locked, except previews, which everyone may open.',
      }),
      hasLifetimeAccess: t.boolean({
        description: 'Whether access never ends.',
        resolve: ({ expiresAt }) => expiresAt === null,
      }),
      lastWatchedLecture: t.expose('lastWatched', {
        type: lastWatched,
        nullable: true,
        description: 'Where the viewer left off; null if they have not begun.',
      }),
      detailProgress: t.field({
        type: progress,
        description: 'How far the viewer is in the whole course.',
        resolve: (course) => course.progress(),
      }),
      sections: t.field({
        type: [section],
        description:
          'All sections in the order of the curriculum. With lectures, the whole syllabus and the progress in each lecture can be read in one query.',
        extensions: {
          usualLength: USUAL_SECTIONS,
          ...countedBefore<CourseWithSyllabus>((course) => course.sectionCount()),
        },
        resolve: (course) => course.sections(),
      }),
    }),
  })
}

function defineLastWatchedLecture(builder: Builder) {
  return builder
    .objectRef<{ lectureId: string; positionSeconds: number }>('LastWatchedLecture')
    .implement({
      description: 'The lecture that the viewer watched last, and how far.',
      fields: (t) => ({
        lectureId: t.exposeID('lectureId', { description: 'Id of the lecture.' }),
        positionSeconds: t.exposeInt('positionSeconds', {
          description: 'Seconds from the start of the lecture.',
        }),
      }),
    })
}

function defineDetailProgress(builder: Builder): Ref<CourseProgress> {
  return builder.objectRef<CourseProgress>('DetailProgress').implement({
    description: 'The progress of the viewer in a course, locked lectures included.',
    fields: (t) => ({
      completedLectures: t.exposeInt('completedLectures', {
        description: 'Lectures that the viewer completed.',
      }),
      totalLectures: t.exposeInt('totalLectures', {
        description: 'Lectures that the course has.',
      }),
      percent: t.exposeInt('percent', {
        description: 'Completed lectures in percent, rounded down: 100 means that none is left.',
      }),
    }),
  })
}

/** More lectures than most sections have, to estimate the size of an answer. */
export const USUAL_LECTURES = 20

export function defineSection(
  builder: Builder,
  lecture: Ref<SyllabusLecture>,
): Ref<SyllabusSection> {
  return builder.objectRef<SyllabusSection>('Section').implement({
    description: 'A chapter of a course.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Id of the section.' }),
      title: t.exposeString('title', { description: 'Title of the section.' }),
      lectures: t.field({
        type: [lecture],
        description: 'All lectures of the section, in the order of the curriculum.',
        extensions: {
          usualLength: USUAL_LECTURES,
          ...countedBefore<SyllabusSection>(({ lectureCount }) => lectureCount),
        },
        resolve: (section) => section.lectures(),
      }),
    }),
  })
}

export function defineLecture(builder: Builder): Ref<SyllabusLecture> {
  const state = defineEnum<LectureState>(
    builder,
    'LectureState',
    'How far the viewer is in a lecture.',
    {
      unread: 'Not opened yet.',
      read: 'Opened, but not finished.',
      completed: 'Finished.',
    },
  )
  return builder.objectRef<SyllabusLecture>('Lecture').implement({
    description: 'One lesson of a course, with the progress of the viewer.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Id of the lecture.' }),
      title: t.exposeString('title', { description: 'Title of the lecture.' }),
      state: t.expose('state', {
        type: state,
        description: 'How far the viewer is in this lecture.',
      }),
      isLocked: t.exposeBoolean('isLocked', {
        description:
          'Whether the viewer cannot open the lecture now: it is released later, or access to the course has ended. A preview is never locked.',
      }),
      unlockAt: t.expose('unlockAt', {
        type: 'UnixTime',
        nullable: true,
        description:
          'When a locked lecture opens. Null if it is open, or locked for good because access to the course ends first.',
      }),
      duration: t.exposeInt('durationSeconds', {
        description: 'Length in seconds; 0 if it has none.',
      }),
    }),
  })
}
