import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { checkVersion } from '../operation/writing.ts'

/** Locks a service like a booking does, so that no meeting is made at a time meanwhile. */
export async function lockService(tx: SchoolTx, id: string): Promise<void> {
  await checkVersion(tx, 'consulting_services', { object: 'consulting_service', key: { id } })
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
