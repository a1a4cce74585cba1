import { memoryOfMachine } from '../../foundation/db/embedded/memory-settings.ts'
import type { Attached } from '../attach.ts'
import { type Finding, fine } from './finding.ts'

/** What the embedded PostgreSQL took of the memory; of another one we do not know the machine. */
export async function checkMemory({ pool, by }: Attached): Promise<readonly Finding[]> {
  if (by === 'DATABASE_URL') return []
  const { rows } = await pool.query<{ buffers: string; sort: string }>(
    `select current_setting('shared_buffers') as buffers, current_setting('work_mem') as sort`,
  )
  const gigabytes = (memoryOfMachine() / 1024 ** 3).toFixed(1)
  return rows.map(({ buffers, sort }) =>
    fine(
      'memory',
      `Of the ${gigabytes} GB here PostgreSQL keeps up to ${buffers} of tables in memory, and takes up to ${sort} for a sort.`,
    ),
  )
}
