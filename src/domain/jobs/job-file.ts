import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import { type FileStore, keyOf } from '../../foundation/storage/file-store.ts'
import type { Actor } from '../actor/actor.ts'
import { conflict, notFound } from '../operation/refusal.ts'
import { isLeaseLost, type Progress, type RunningJob } from './job.ts'
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

/**
 * The file that a job made, for the person who started it alone. Other people may see the job, but
 * not its rows.
 */
export async function loadJobFile(db: SchoolDb, caller: Actor, id: string): Promise<JobFile> {
  const { rows } = await db.run(sql<{ result: unknown; keys: string[] }>`
    select j.result, j.files as keys from jobs j
    where j.school_id = ${db.schoolId} and j.id = ${id} and j.state = 'done' and j.files <> '[]'
      and j.user_id = ${caller.userId ?? null}
      and exists (select from (${jobs.rows(db, caller)}) r where r.id = j.id)`)
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

/** Room for the text that crosses the length of a part. */
const MOST_PART_BYTES = 64 * 1024 * 1024

/**
 * The file that a job makes. It is stored in parts, because a store cannot append; a part is in
 * memory while it is made.
 */
export class FileInParts<C> {
  readonly #job: RunningJob<unknown, C>
  readonly #files: FileStore
  /**
   * Of this run alone: a run that lost its lease removes its part, and another may have stored the
   * same bytes.
   */
  readonly #folder: string
  #texts: string[] = []
  #length = 0

  constructor(job: RunningJob<unknown, C>) {
    this.#job = job
    this.#files = fileStoreOf(job)
    this.#folder = `${job.id}-${randomBytes(4).toString('hex')}`
  }

  /** Characters that are not stored yet. */
  get length(): number {
    return this.#length
  }

  add(text: string): void {
    this.#texts.push(text)
    this.#length += text.length
  }

  /** Stores what was added as one part, and does the step that names it. */
  async store(progressAfter: (sizeBytes: number) => Progress<C>): Promise<void> {
    const { key, sizeBytes } = await this.#files.write(
      this.#folder,
      encoded(this.#texts),
      MOST_PART_BYTES,
      ({ sha256 }) => this.#job.willStore(keyOf(this.#folder, sha256)),
    )
    try {
      await this.#job.step(async () => ({ ...progressAfter(sizeBytes), files: [key] }))
    } catch (error) {
      // The run that has the lease now stores this part itself.
      if (isLeaseLost(error)) await this.#files.remove(key)
      throw error
    }
    this.#texts = []
    this.#length = 0
  }
}

/**
 * One text after another: to encode and digest a whole part at once would hold up other requests.
 */
async function* encoded(texts: readonly string[]): AsyncGenerator<Buffer, void, void> {
  for (const text of texts) yield Buffer.from(text)
}

export function fileStoreOf({ files }: Pick<RunningJob<unknown, unknown>, 'files'>): FileStore {
  if (files !== undefined) return files
  throw conflict('no_file_store', 'This server stores no files, so it cannot do this as a job.')
}

/**
 * Takes the file of a finished job for the next one, with what the job was asked and answered. The
 * file has one owner, so that the purge does not remove it while another job reads it; and a second
 * click starts nothing.
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
