import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { OutgoingObserver } from '../foundation/net/outgoing.ts'
import { createDiskStore } from '../foundation/storage/disk-store.ts'
import type { FileStore } from '../foundation/storage/file-store.ts'
import { createS3Store, type S3Options } from '../foundation/storage/s3-store.ts'

/** Stores uploads in the configured bucket, or in the data folder. */
export function openFileStore(config: Config, observe?: OutgoingObserver): FileStore {
  const bucket = bucketOf(config)
  if (bucket !== undefined) return createS3Store({ ...bucket, observe })
  return createDiskStore(filesFolder(config))
}

export function filesFolder(config: Config): string {
  return join(config.SCHOOLGATE_DATA_DIR, 'files')
}

export function bucketOf(config: Config): S3Options | undefined {
  const { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = config
  if (S3_ENDPOINT === undefined || S3_BUCKET === undefined) return undefined
  if (S3_ACCESS_KEY_ID === undefined || S3_SECRET_ACCESS_KEY === undefined) return undefined
  return {
    endpoint: S3_ENDPOINT,
    bucket: S3_BUCKET,
    region: config.S3_REGION,
    accessKeyId: S3_ACCESS_KEY_ID,
    secretAccessKey: S3_SECRET_ACCESS_KEY,
    incoming: join(config.SCHOOLGATE_DATA_DIR, 'incoming'),
  }
}
