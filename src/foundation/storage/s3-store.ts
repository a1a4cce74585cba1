import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { OutgoingObserver } from '../net/outgoing.ts'
import { spool } from './disk-store.ts'
import { checkFolder, type FileStore, FileStoreAwayError, isKey, keyOf } from './file-store.ts'

interface S3Credentials {
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
 * The headers that authenticate a request to an S3-compatible store: Signature Version 4 in the
 * Authorization header. The path is used as in the URL, encoded once. A query is not supported,
 * because we never send one.
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

export interface S3Options extends S3Credentials {
  /** The URL of the store, without the bucket. */
  readonly endpoint: string
  readonly bucket: string
  /** The local folder for uploads until they are in the bucket. */
  readonly incoming: string
  readonly observe?: OutgoingObserver | undefined
}

/** After this time without a byte, the connection counts as lost. */
const SILENCE_MS = 30_000

/**
 * Files in a bucket of an S3-compatible store, addressed by path because every such store supports
 * that. Uploads go to the local disk first: their digest is their name and part of the signature,
 * and an aborted upload leaves nothing in the bucket.
 */
export function createS3Store(options: S3Options): FileStore {
  return {
    async write(folder, bytes, maxBytes, check) {
      checkFolder(folder)
      return await spool(options.incoming, bytes, maxBytes, async (path, spooled) => {
        await check?.(spooled)
        const key = keyOf(folder, spooled.sha256)
        const headers = { 'content-length': String(spooled.sizeBytes) }
        const bodyHash = spooled.sha256.toString('hex')
        const body = createReadStream(path)
        const answer = await send(options, 'PUT', key, { headers, bodyHash, body })
        answer.resume()
        if (answer.statusCode !== 200) throw refused(options, 'PUT', answer)
        return { key, ...spooled }
      })
    },

    async read(key) {
      if (!isKey(key)) return undefined
      const answer = await send(options, 'GET', key)
      if (answer.statusCode === 200) return answer
      answer.resume()
      if (answer.statusCode === 404) return undefined
      throw refused(options, 'GET', answer)
    },

    async remove(key) {
      if (!isKey(key)) return
      const answer = await send(options, 'DELETE', key)
      answer.resume()
      if (answer.statusCode !== 204 && answer.statusCode !== 200 && answer.statusCode !== 404) {
        throw refused(options, 'DELETE', answer)
      }
    },
  }
}

/** What is wrong with the bucket, or undefined; `doctor` asks before the first upload. */
export async function findS3Problem(options: S3Options): Promise<string | undefined> {
  try {
    const answer = await send(options, 'HEAD', '')
    answer.resume()
    return answer.statusCode === 200 ? undefined : refused(options, 'HEAD', answer).message
  } catch (error) {
    return (error as Error).message
  }
}

interface Sent {
  readonly headers: Readonly<Record<string, string>>
  readonly bodyHash: string
  readonly body: Readable
}

async function send(
  { endpoint, bucket, observe, ...credentials }: S3Options,
  method: 'GET' | 'PUT' | 'HEAD' | 'DELETE',
  key: string,
  sent?: Sent,
): Promise<IncomingMessage> {
  const { headers, bodyHash } = sent ?? { headers: {}, bodyHash: EMPTY_BODY_HASH }
  const url = new URL(`${endpoint.replace(/\/$/, '')}/${bucket}${key && `/${key}`}`)
  const signed = signedHeaders({ method, url, headers, bodyHash }, credentials, new Date())
  const call = url.protocol === 'https:' ? requestHttps : requestHttp
  const seen = observe?.({ method, url, isOurs: true })
  const asked = call(url, {
    method,
    headers: { ...signed, ...seen?.headers },
    timeout: SILENCE_MS,
  })
  asked.on('timeout', () => asked.destroy(new Error(`no answer within ${SILENCE_MS / 1000} s`)))
  try {
    const answered = once(asked, 'response') as Promise<[IncomingMessage]>
    const written = sent === undefined ? asked.end() : pipeline(sent.body, asked)
    const [[answer]] = await Promise.all([answered, written])
    const { statusCode = 0 } = answer
    seen?.ended(statusCode >= 400 ? String(statusCode) : undefined)
    return answer
  } catch (cause) {
    seen?.ended((cause as NodeJS.ErrnoException).code ?? 'no answer')
    const told = (cause as Error).message || (cause as NodeJS.ErrnoException).code
    throw new FileStoreAwayError(`${url.origin} cannot be reached: ${told}`, { cause })
  }
}

function refused({ bucket }: S3Options, method: string, answer: IncomingMessage): Error {
  return new FileStoreAwayError(`the bucket ${bucket} answers ${method} with ${answer.statusCode}`)
}
