import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { EMPTY_BODY_HASH, signedHeaders } from './s3-store.ts'

/** The worked examples of Amazon's own description of Signature Version 4 for S3. */
const credentials = {
  region: 'us-east-1',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}
const day = new Date('2013-05-24T00:00:00Z')
const bucket = 'https://examplebucket.s3.amazonaws.com'

describe('the signature of a request to S3', () => {
  test('is that of the published example of reading', () => {
    const { authorization } = signedHeaders(
      {
        method: 'GET',
        url: new URL('/test.txt', bucket),
        headers: { range: 'bytes=0-9' },
        bodyHash: EMPTY_BODY_HASH,
      },
      credentials,
      day,
    )
    expect(authorization).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    )
  })

  test('is that of the published example of writing', () => {
    const { authorization } = signedHeaders(
      {
        method: 'PUT',
        url: new URL('/test%24file.text', bucket),
        headers: {
          date: 'Fri, 24 May 2013 00:00:00 GMT',
          'x-amz-storage-class': 'REDUCED_REDUNDANCY',
        },
        bodyHash: createHash('sha256').update('Welcome to Amazon S3.').digest('hex'),
      },
      credentials,
      day,
    )
    expect(authorization).toContain(
      'Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    )
  })
})
