import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { notify } from '../notifications/notify.ts'
import { removeOperation } from '../operation/object-operations.ts'
import { conflict } from '../operation/refusal.ts'
import { loadObject } from '../operation/resource.ts'
import { WITHOUT_SCOPE } from '../operation/without-scope.ts'
import { checkVersion, writing } from '../operation/writing.ts'
import { schoolTimeZone, timeInWords } from '../schools/school-time-zone.ts'
import { meetings } from './meeting-resource.ts'
import { rosterOf } from './study-group-roster.ts'

/** A class is never canceled: one that does not take place leaves the schedules of its group. */
export const removeClass = removeOperation({
  name: 'consulting_meetings.remove',
  title: 'Remove a class',
  summary:
    'Removes a class of a study group that does not take place. Its members get a notification, unless it is over or they turned notifications about meetings off.',
  ...WITHOUT_SCOPE,
  of: meetings,
  async remove(tx, caller, { id, if_version }) {
    const target = { object: 'consulting_meeting', key: { id } }
    await checkVersion(tx, 'consulting_meetings', { ...target, ifVersion: if_version })
    const { kind, study_group_id, title, starts_at, ends_at } = await loadObject(
      tx,
      caller,
      meetings,
      id,
    )
    if (kind !== 'study_group' || study_group_id === null) {
      throw conflict('consulting', 'A meeting of a service is not removed. Cancel it instead.')
    }
    if (Date.parse(ends_at) > Date.now()) {
      await tellGroup(tx, study_group_id, title, new Date(starts_at))
    }
    await writing(tx).delete('consulting_meetings', target)
  },
})

async function tellGroup(tx: SchoolTx, group: string, title: string, start: Date): Promise<void> {
  const members = await rosterOf(tx, group)
  await notify(tx, 'meetings', members, classRemoved(title, start, await schoolTimeZone(tx)))
}

/** What the members of the group read. */
export function classRemoved(title: string, start: Date, timeZone: string) {
  return {
    kind: 'class_canceled',
    title: 'A class does not take place',
    body: `${title}, ${timeInWords(start, timeZone)}, is no longer in your schedule.`,
    url: null,
  }
}
