import { createHash, createHmac } from 'node:crypto'

export interface S3Credentials {
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'HEAD' | 'DELETE'
  readonly url: URL
  /** All headers are signed; the host comes from the URL. */
  readonly headers: Readonly<Record<string, string>>
  /** SHA-256 of the body in hexadecimal. */
  readonly bodyHash: string
}

export const EMPTY_BODY_HASH = createHash('sha256').digest('hex')

/**
 * The headers that authenticate a request to an S3-compatible store: Signature Version 4 in the Authorization
 * header. The path is used as in the URL, encoded once. A query is not supported, because we never send one.
 */
export function signedHeaders(
  { method, url, headers, bodyHash }: S3Request,
  { region, accessKeyId, secretAccessKey }: S3Credentials,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
  const sent: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': time,
  }
  const names = Object.keys(sent).sort()
  const canonical = [
    method,
    url.pathname,
    '',
    ...names.map((name) => `${name}:${sent[name]?.trim()}`),
    '',
    names.join(';'),
    bodyHash,
  ].join('\n')
  const scope = [time.slice(0, 8), region, 's3', 'aws4_request']
  const toSign = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical)].join('\n')
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`)
  const signature = hmac(key, toSign).toString('hex')
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope.join('/')}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
