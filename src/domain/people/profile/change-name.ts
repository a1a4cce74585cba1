import { acrossSchools, type SchoolTx } from '../../../foundation/db/school-db.ts'
import { visibleText } from '../../../foundation/text/visible-text.ts'
import { record } from '../../audit/audit.ts'
import { line } from '../../operation/fields.ts'

/** As wherever the name of a person is typed. */
const typedName = line(200)

/** The name as it will be stored, or what is wrong with it. */
export function readName(typed: string): { name: string } | { problem: string } {
  const name = visibleText(typed).trim()
  const checked = typedName.safeParse(name)
  if (checked.success) return { name: checked.data.trim() }
  const [issue] = name === '' ? [] : checked.error.issues
  return { problem: issue?.message ?? 'Enter your name.' }
}

/** Changes the name of a person, at every school. Schools where they have never signed in go on seeing the name they typed. */
export async function changeName(
  tx: SchoolTx,
  userId: string,
  name: string,
  requestId: string,
): Promise<void> {
  await acrossSchools(tx)
    .updateTable('users')
    .set({ name })
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .execute()
  await recordProfileChange(tx, userId, 'name', requestId)
}

/** Says what was changed, and not to what: the audit log outlives it. */
export async function recordProfileChange(
  tx: SchoolTx,
  userId: string,
  changed: 'name' | 'picture',
  requestId: string,
): Promise<void> {
  const detail = { changed }
  await record(tx, {
    ...{ action: 'person.profile_changed', outcome: 'ok', actorUserId: userId },
    ...{ detail, requestId },
  })
}
