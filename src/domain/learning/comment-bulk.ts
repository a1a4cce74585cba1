import { byEmail, byExternalId } from '../bulk/reference-column.ts'
import { tableKind } from '../bulk/table-kind.ts'
import { EXAMPLE } from '../operation/example-ids.ts'
import { id, time } from '../operation/fields.ts'
import { comments, listComments } from './comment-operations.ts'

export const commentKind = tableKind({
  name: 'comments',
  about: 'Comments of members under lectures.',
  of: comments,
  list: listComments,
  scopes: { read: 'comments:read' },
  notInAdmin: 'Members write comments themselves, and only a move from another system brings them.',
  example: {
    external_id: 'remark-1',
    lecture_id: EXAMPLE.lecture,
    author_id: EXAMPLE.student,
    body: 'Thank you',
  },
  table: 'comments',
  columns: {
    lecture_id: { schema: id, needed: true, fixed: true },
    author_id: { schema: id, needed: true, fixed: true },
    parent_id: { schema: id.nullable(), fixed: true, note: 'the comment that it answers' },
    body: { schema: comments.schema.shape.body, needed: true },
    hidden_at: { schema: time.nullable() },
    created_at: { schema: time, note: 'now by default' },
  },
  stored: { author_id: 'user_id' },
  now: ['created_at'],
  references: {
    author_email: byEmail('author_id'),
    lecture_external_id: byExternalId('lecture_id', 'lectures'),
    parent_external_id: byExternalId('parent_id', 'comments'),
  },
})
