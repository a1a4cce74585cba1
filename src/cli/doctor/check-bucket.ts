import type { Config } from '../../config.ts'
import { findS3Problem } from '../../foundation/storage/s3-store.ts'
import { bucketOf } from '../../start/open-file-store.ts'
import { broken, type Finding, fine } from './finding.ts'

const CHECK = 'uploads'

/** Whether the bucket for uploads exists and accepts our credentials; no finding if none is configured. */
export async function checkBucket(config: Config): Promise<readonly Finding[]> {
  const bucket = bucketOf(config)
  if (bucket === undefined) return []
  const problem = await findS3Problem(bucket)
  return [
    problem === undefined
      ? fine(CHECK, `The bucket ${bucket.bucket} lets us in.`)
      : broken(
          CHECK,
          `Uploads cannot be stored: ${problem}.`,
          'check S3_ENDPOINT, S3_BUCKET and the keys; the bucket must exist, and the key may read and write it',
        ),
  ]
}
