import type { CourseProgress } from '../../../domain/learning/progress.ts'
import type { CourseWithSyllabus, SyllabusSection } from '../../../domain/learning/syllabus.ts'
import type { Builder, Ref } from '../builder.ts'
import { countedBefore } from '../documents/prices.ts'
import type { Signposts } from './signposts.ts'

/** More sections than most courses have, to estimate the size of an answer. */
export const USUAL_SECTIONS = 10

export function defineCourse(
  builder: Builder,
  section: Ref<SyllabusSection>,
  signposts: Signposts,
): Ref<CourseWithSyllabus> {
  const lastWatched = defineLastWatchedLecture(builder)
  const progress = defineDetailProgress(builder)
  return builder.objectRef<CourseWithSyllabus>('Course').implement({
    description: `A course that the viewer is enrolled in, bought or not. ${signposts.billing}`,
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
