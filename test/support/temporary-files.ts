import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDiskStore } from '../../src/foundation/storage/disk-store.ts'
import type { FileStore } from '../../src/foundation/storage/file-store.ts'
import { whenFileIsDone } from './clean-up.ts'

/** A file store in a folder that is removed when the test file is done. */
export async function temporaryFiles(): Promise<FileStore> {
  const folder = await mkdtemp(join(tmpdir(), 'schoolgate-files-'))
  whenFileIsDone(() => rm(folder, { recursive: true, force: true }))
  return createDiskStore(folder)
}
