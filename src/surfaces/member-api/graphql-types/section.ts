import type { SyllabusLecture, SyllabusSection } from '../../../domain/learning/syllabus.ts'
import type { Builder, Ref } from '../builder.ts'
import { countedBefore } from '../documents/prices.ts'

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
