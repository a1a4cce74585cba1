import type { LectureState } from '../../../domain/learning/progress.ts'
import type { SyllabusLecture } from '../../../domain/learning/syllabus.ts'
import type { Builder, Ref } from '../builder.ts'
import { defineEnum } from './enums.ts'

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
