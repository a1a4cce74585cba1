import { sql } from 'kysely'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor.ts'
import { conflict } from '../operation/refusal.ts'

/**
 * Takes the file of a finished job for the next one, with what the job was asked and answered. The file has one owner, so that the
 * purge does not remove it while another job reads it; and a second click starts nothing.
 */
export async function takeSource(
  tx: SchoolTx,
  { userId }: Pick<Actor, 'userId'>,
  kind: string,
  id: string,
): Promise<{ readonly input: unknown; readonly result: unknown }> {
  const { rows } = await tx.run(sql<{ input: unknown; result: unknown }>`
    select input, result from jobs
    where school_id = ${tx.schoolId} and id = ${id} and kind = ${kind} and state = 'done'
      and user_id = ${userId ?? null} and input ? 'source'
    for update`)
  const [row] = rows
  if (row === undefined) {
    throw conflict(
      'file_gone',
      'This file was used already, or another person chose it. Choose the file again.',
    )
  }
  await tx.run(sql`
    update jobs set input = input - 'source', result = result || '{"is_used": true}'
    where school_id = ${tx.schoolId} and id = ${id}`)
  return row
}
