import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { FileStore } from '../../foundation/storage/file-store.ts'
import type { Actor } from '../actor.ts'
import { notFound } from '../operation/refusal.ts'
import { jobs } from './job-operations.ts'

const described = z.looseObject({
  file_name: z.string(),
  content_type: z.string(),
  bytes: z.int(),
})

export interface JobFile {
  readonly name: string
  readonly contentType: string
  readonly sizeBytes: number
  /** In the order of their bytes. */
  readonly keys: readonly string[]
}

/** The file that a job made, for the person who started it alone. Other people may see the job, but not its rows. */
export async function loadJobFile(at: SchoolDb, caller: Actor, id: string): Promise<JobFile> {
  const { rows } = await at.run(sql<{ result: unknown; keys: string[] }>`
    select j.result, j.files as keys from jobs j
    where j.school_id = ${at.schoolId} and j.id = ${id} and j.state = 'done' and j.files <> '[]'
      and j.user_id = ${caller.userId ?? null}
      and exists (select from (${jobs.rows(at, caller)}) r where r.id = j.id)`)
  const [row] = rows
  const file = described.safeParse(row?.result)
  if (row === undefined || !file.success) throw notFound('file')
  const { file_name: name, content_type: contentType, bytes: sizeBytes } = file.data
  return { name, contentType, sizeBytes, keys: row.keys }
}

/** One part after the other: none is opened before it is needed. */
export async function* readJobFile(
  store: FileStore,
  { keys }: Pick<JobFile, 'keys'>,
): AsyncGenerator<Uint8Array, void, void> {
  for (const key of keys) {
    const part = await store.read(key)
    if (part === undefined) throw new Error('a part of the file of a job is gone')
    yield* part
  }
}
