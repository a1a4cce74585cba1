import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FileStoreAwayError, FileTooLargeError } from '../../src/foundation/storage/file-store.ts'
import {
  createS3Store,
  findS3Problem,
  type S3Options,
} from '../../src/foundation/storage/s3-store.ts'
import { anOperator } from '../support/admin-api.ts'
import { aBucketServer, BUCKET_KEY } from '../support/bucket-server.ts'
import { aWorld } from '../support/world.ts'

let incoming: string
let server: Awaited<ReturnType<typeof aBucketServer>>
let options: S3Options

beforeAll(async () => {
  incoming = await mkdtemp(join(tmpdir(), 'schoolgate-incoming-'))
  server = await aBucketServer()
  options = { ...BUCKET_KEY, endpoint: server.endpoint, bucket: 'uploads', incoming }
})

afterAll(async () => {
  await server.close()
  await rm(incoming, { recursive: true, force: true })
})

const bytes = (text: string) => Readable.from([Buffer.from(text)])

describe('the bucket store', () => {
  test('reads the files that it wrote, and leaves no file on the disk', async () => {
    const store = createS3Store(options)
    const { key, sizeBytes } = await store.write('ab', bytes('hello'), 100)
    expect(sizeBytes).toBe(5)
    expect([...server.objects.keys()]).toEqual([`/uploads/${key}`])
    const read = await store.read(key)
    expect(Buffer.concat((await read?.toArray()) ?? []).toString()).toBe('hello')
    expect(await store.read(`ab/${'0'.repeat(64)}`)).toBeUndefined()
    expect(await readdir(incoming)).toEqual([])
  })

  test('a manipulated row cannot read another object of the bucket', async () => {
    const store = createS3Store(options)
    server.objects.set('/uploads/secret', Buffer.from('x'))
    for (const outside of ['secret', '../uploads/secret', 'ab/../secret', '?list-type=2']) {
      expect(await store.read(outside)).toBeUndefined()
    }
    await expect(store.write('../up', bytes(''), 1)).rejects.toThrow('no folder')
  })

  test('an upload that is too large or fails never reaches the bucket', async () => {
    const store = createS3Store(options)
    const before = server.objects.size
    await expect(store.write('ab', bytes('too long'), 4)).rejects.toBeInstanceOf(FileTooLargeError)
    async function* broken() {
      yield Buffer.from('half')
      throw new Error('hung up')
    }
    await expect(store.write('ab', broken(), 100)).rejects.toThrow('hung up')
    expect(server.objects.size).toBe(before)
    expect(await readdir(incoming)).toEqual([])
  })

  test('a wrong key is reported with the answer of the bucket, without the key', async () => {
    const wrong = { ...options, secretAccessKey: 'a wrong secret' }
    const failure = await createS3Store(wrong)
      .write('ab', bytes('x'), 10)
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(FileStoreAwayError)
    expect(String(failure)).toContain('the bucket uploads answers PUT with 403')
    expect(String(failure)).not.toContain('a wrong secret')
    expect(await findS3Problem(wrong)).toContain('403')
    expect(await findS3Problem({ ...options, bucket: 'elsewhere' })).toContain('404')
    expect(await findS3Problem(options)).toBeUndefined()
  })

  test('while the bucket cannot be reached, uploads and downloads get "try again"', async () => {
    const gone = { ...options, endpoint: 'http://127.0.0.1:1' }
    expect(await findS3Problem(gone)).toContain('cannot be reached')
    const away = createS3Store(gone)
    const near = createS3Store(options)
    let files = near
    const world = await aWorld({
      files: {
        write: (...all) => files.write(...all),
        read: (key) => files.read(key),
        remove: (key) => files.remove(key),
      },
    })
    const school = await world.aSchool()
    const { accessToken } = await anOperator(world, school, { scopes: 'storage:write' })
    const host = new URL(school.origin).host
    const headers = { host, authorization: `Bearer ${accessToken}`, 'content-type': 'text/plain' }
    const post = { method: 'POST', url: '/api/v1/files?name=a', headers, payload: 'hi' } as const
    const stored = await world.app.inject(post)
    expect(stored.statusCode).toBe(201)
    const get = { url: new URL(stored.json().url).pathname, headers: { host } }
    expect((await world.app.inject(get)).body).toBe('hi')
    files = away
    for (const refused of [await world.app.inject(post), await world.app.inject(get)]) {
      expect(refused.statusCode).toBe(503)
      expect(refused.headers['retry-after']).toBeDefined()
      expect(refused.body).not.toContain('127.0.0.1')
    }
  })
})
