import { randomBytes } from 'node:crypto'
import { type FileStore, keyOf } from '../../foundation/storage/file-store.ts'
import { conflict } from '../operation/refusal.ts'
import { isLeaseLost, type Progress, type RunningJob } from './job.ts'

/** Room for the text that crosses the length of a part. */
const MOST_PART_BYTES = 64 * 1024 * 1024

/** The file that a job makes. It is stored in parts, because a store cannot append; a part is in memory while it is made. */
export class FileInParts<C> {
  readonly #job: RunningJob<unknown, C>
  readonly #files: FileStore
  /** Of this run alone: a run that lost its lease removes its part, and another may have stored the same bytes. */
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

/** One text after another: to encode and digest a whole part at once would hold up other requests. */
async function* encoded(texts: readonly string[]): AsyncGenerator<Buffer, void, void> {
  for (const text of texts) yield Buffer.from(text)
}

export function fileStoreOf({ files }: Pick<RunningJob<unknown, unknown>, 'files'>): FileStore {
  if (files !== undefined) return files
  throw conflict('no_file_store', 'This server stores no files, so it cannot do this as a job.')
}
