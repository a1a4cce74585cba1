import type { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { tell } from '../notifications/notify.ts'
import { valueFields } from '../operation/fields.ts'
import { changeOperation } from '../operation/object-operations.ts'
import { conflict, invalid } from '../operation/refusal.ts'
import { loadObject } from '../operation/resource.ts'
import { checkVersion, WITHOUT_SCOPE, writing } from '../operation/writing.ts'
import { meetingFields, meetings } from './meeting-resource.ts'
import { capacityOf } from './seat-operations.ts'
import { lockService } from './slot-operations.ts'
import { attendeesOf } from './study-group-operations.ts'

type Meeting = z.output<typeof meetings.schema>

export const canMoveMeeting = ({ state, ends_at }: Meeting): boolean =>
  state !== 'canceled' && Date.parse(ends_at) > Date.now()

/** Unlike a correction of the row, this tells the people who attend. */
export const moveMeeting = changeOperation({
  name: 'consulting_meetings.move',
  title: 'Move a meeting',
  summary:
    'Gives a meeting another time or room. It takes as long as before, all who attend keep their seats, and they are told.',
  ...WITHOUT_SCOPE,
  of: meetings,
  fields: { starts_at: meetingFields.starts_at, room_url: valueFields(meetingFields).room_url },
  async change(tx, caller, { id, if_version, starts_at, room_url }) {
    const { service_id } = await loadObject(tx, caller, meetings, id)
    if (service_id !== null) await lockService(tx, service_id)
    await checkVersion(tx, 'consulting_meetings', { ...target(id), ifVersion: if_version })
    const before = await loadObject(tx, caller, meetings, id)
    if (before.state === 'canceled') {
      throw conflict('canceled', 'This meeting was canceled. Reopen it first.')
    }
    if (!canMoveMeeting(before)) throw conflict('over', 'This meeting is over.')
    const start = new Date(starts_at)
    const shift = start.getTime() - Date.parse(before.starts_at)
    if (shift === 0 && room_url === before.room_url) return
    if (shift !== 0) await checkNewTime(tx, before, start)
    const ends_at = new Date(Date.parse(before.ends_at) + shift)
    const columns = { starts_at: start, ends_at, room_url }
    await writing(tx).update('consulting_meetings', target(id), columns)
    if (shift !== 0) await checkSeats(tx, before)
    await tellAttendees(tx, before, start, shift !== 0)
  },
})

const target = (id: string) => ({ object: 'consulting_meeting', key: { id } })

async function checkNewTime(tx: SchoolTx, { id, service_id }: Meeting, start: Date): Promise<void> {
  if (start.getTime() <= Date.now()) {
    throw invalid('starts_at', 'in_the_past', 'Write a time in the future.')
  }
  if (service_id === null || !(await isTimeTaken(tx, { id, service_id }, start))) return
  const detail = 'The service has another meeting at this time. Choose another time.'
  throw invalid('starts_at', 'inconsistent', detail)
}

/** The slot at the new time may have fewer seats. */
async function checkSeats(tx: SchoolTx, { id, attendee_count, kind }: Meeting): Promise<void> {
  if (kind === 'study_group') return
  const capacity = await capacityOf(tx, id)
  if (capacity === null || attendee_count <= capacity) return
  const detail = `The slot at this time has only ${capacity === 1 ? 'one seat' : `${capacity} seats`}.`
  throw invalid('starts_at', 'inconsistent', detail)
}

async function tellAttendees(
  tx: SchoolTx,
  meeting: Meeting,
  start: Date,
  isLater: boolean,
): Promise<void> {
  const facts = { meeting: meeting.title, starts_at: start.toISOString() }
  await tell(tx, isLater ? 'meeting_moved' : 'meeting_room', attendeesOf(tx, meeting), facts)
}

/** Whether the service has another meeting at this time. The caller has locked the service. */
export async function isTimeTaken(
  tx: SchoolTx,
  { id, service_id }: { readonly id: string; readonly service_id: string },
  start: Date,
): Promise<boolean> {
  const other = await tx
    .from('consulting_meetings')
    .select('id')
    .where('service_id', '=', service_id)
    .where('starts_at', '=', start)
    .where('state', '<>', 'canceled')
    .where('id', '<>', id)
    .executeTakeFirst()
  return other !== undefined
}
