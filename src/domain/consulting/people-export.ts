import type { ExportKind } from '../bulk/kind.ts'
import { attendees } from './meeting-resource.ts'
import { listAttendees } from './seat-operations.ts'
import { listRoster } from './study-group-operations.ts'
import { roster } from './study-group-resource.ts'

/** People with their names. An import takes them with the meeting or the group, in the column `member_ids`. */

export const attendeeKind: ExportKind = {
  name: 'meeting-attendees',
  about: 'The members who hold seats at meetings.',
  of: attendees,
  list: listAttendees,
  key: ['meeting_id', 'id'],
  scopes: {},
  notInAdmin: 'They are imported with their meeting, in the column `member_ids`.',
}

export const rosterKind: ExportKind = {
  name: 'study-group-members',
  about: 'The members of study groups.',
  of: roster,
  list: listRoster,
  key: ['group_id', 'id'],
  scopes: {},
  notInAdmin: 'They are imported with their group, in the column `member_ids`.',
}
