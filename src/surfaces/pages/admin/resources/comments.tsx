import {
  hideComment,
  listComments,
  readComment,
  showComment,
} from '../../../../domain/learning/comment-operations.ts'
import { Badge } from '../../../../foundation/html/site-components.tsx'
import { lecturePath, threadPath } from '../../frame/paths.ts'
import { listPlan } from '../crud/list-plan.ts'
import { FORMER_MEMBER, moment, nameOf, person, related, text } from '../crud/object-table.tsx'
import { defineResource } from '../crud/resource.ts'
import type { OutputOf, Show } from '../crud/row.ts'

const state: Show<OutputOf<typeof readComment>> = (comment) =>
  comment.hidden_at === null ? <Badge tone="good">Shown</Badge> : <Badge tone="over">Hidden</Badge>

export const comments = defineResource({
  path: 'comments',
  empty: 'Students write below a lecture. Here you see it, and hide what should not be read.',
  one: 'comment',
  many: 'Comments',
  lead: 'What members wrote under lectures.',
  list: listPlan({
    operation: listComments,
    expand: ['author'],
    columns: [
      { label: 'Comment', show: text('body', 80) },
      {
        label: 'By',
        show: nameOf('author', 'name', FORMER_MEMBER),
      },
      { label: 'State', show: state },
      { label: 'Written', show: moment('created_at'), sort: 'created_at' },
    ],
    searchHint: 'Words, name or email',
    filters: [
      { name: 'hidden', label: 'Hidden' },
      { name: 'created_after', label: 'Written from' },
    ],
    sorts: ['-created_at', 'created_at'],
  }),
  read: readComment,
  expand: ['author', 'lecture', 'course'],
  name: (comment) => {
    const { author } = comment
    return author === null ? 'A comment' : `Comment by ${author.name}`
  },
  badges: state,
  facts: [
    { label: 'By', show: person('author', 'members') },
    { label: 'Course', show: related('course', 'courses', 'title') },
    { label: 'Under', show: related('lecture', 'lectures', 'title') },
    { label: 'Written', show: moment('created_at') },
    { label: 'Hidden', show: moment('hidden_at') },
    {
      label: 'Words',
      wide: true,
      show: (comment) => <span class="written">{comment.body}</span>,
    },
  ],
  fields: [],
  links: ({ id, parent_id, lecture_id, course }) =>
    course?.state === 'published' || course?.state === 'archived'
      ? [
          {
            url: threadPath(lecturePath(course.slug, lecture_id), parent_id ?? id),
            label: 'Answer it below its lecture',
            button: true,
          },
        ]
      : [],
  actions: [
    {
      path: 'hide',
      label: 'Hide',
      does: hideComment,
      question: 'Hide this comment?',
      consequence: 'Members no longer see it. It is kept, and you can show it again.',
      consequenceOfMany: 'Members no longer see them. They are kept, and you can show them again.',
      done: 'The comment is hidden.',
      when: (comment) => comment.hidden_at === null,
    },
    {
      path: 'show',
      label: 'Show again',
      does: showComment,
      question: 'Show this comment again?',
      consequence: 'Everybody who has the course sees it again.',
      consequenceOfMany: 'Everybody who has their courses sees them again.',
      done: 'The comment is shown again.',
      when: (comment) => comment.hidden_at !== null,
    },
  ],
})
