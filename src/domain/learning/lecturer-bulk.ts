import { columnsOf, requireMembers } from '../bulk/columns.ts'
import { byEmail } from '../bulk/reference-column.ts'
import { tableKind } from '../bulk/table-kind.ts'
import { EXAMPLE } from '../operation/example-ids.ts'
import { id } from '../operation/fields.ts'
import { lecturerFields, lecturers, listLecturers } from './lecturer-operations.ts'

export const lecturerKind = tableKind({
  name: 'lecturers',
  about: 'The profiles of members who hold the lecturer role.',
  of: lecturers,
  list: listLecturers,
  scopes: { read: 'lecturers:read', write: 'lecturers:write' },
  example: { id: EXAMPLE.newcomer, headline: 'Paints outdoors' },
  table: 'lecturers',
  natural: ['id'],
  named: 'the id of the member, otherwise the email',
  columns: {
    id: { schema: id, needed: true, note: 'the member' },
    ...columnsOf(lecturerFields, { headline: { default: '' }, bio: { default: '' } }),
  },
  stored: { id: 'user_id' },
  references: { email: byEmail('id') },
  inspect: (tx, rows) => requireMembers(tx, rows, 'id', 'lecturer'),
})
