import type { Builder, Ref } from '../builder.ts'
import type { LectureNode } from './lecture.ts'

/** More sections and lectures than most have, to estimate an answer's size by. */
export const USUAL_LECTURES = 20

export interface SectionNode {
  readonly id: string
  readonly title: string
  readonly lectures: () => Promise<LectureNode[]>
}

export function defineSection(builder: Builder, lecture: Ref<LectureNode>): Ref<SectionNode> {
  return builder.objectRef<SectionNode>('Section').implement({
    description: 'A chapter of a course.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Id of the section.' }),
      title: t.exposeString('title', { description: 'Title of the section.' }),
      lectures: t.field({
        type: [lecture],
        description: 'All lectures of the section, in the order of the curriculum.',
        extensions: { usualLength: USUAL_LECTURES },
        resolve: (section) => section.lectures(),
      }),
    }),
  })
}
