import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDiskStore } from '../../../src/foundation/storage/disk-store.ts'
import { verifies } from '../../spec/verifies.ts'
import { anOperator, type OperatorClient } from '../../support/admin-api.ts'
import type { Answer } from '../../support/browser-like.ts'
import { aWorld, type TestSchool, type World } from '../../support/world.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

let folder: string
let world: World
let school: TestSchool
let operator: OperatorClient

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'schoolgate-files-'))
  world = await aWorld({ files: createDiskStore(folder) })
  school = await world.aSchool()
  operator = await anOperator(world, school, { scopes: 'storage:write appearance:write' })
})

afterAll(() => rm(folder, { recursive: true, force: true }))

async function upload(
  bytes: Buffer | string,
  type: string,
  name = 'a file',
  headers: Record<string, string> = {},
  more = '',
): Promise<Answer> {
  return await world.app.inject({
    method: 'POST',
    url: `/api/v1/files?name=${encodeURIComponent(name)}${more}`,
    headers: {
      host: new URL(school.origin).host,
      authorization: `Bearer ${operator.accessToken}`,
      'content-type': type,
      ...headers,
    },
    payload: bytes,
  })
}

function download(at: TestSchool, id: string): Promise<Answer> {
  const headers = { host: new URL(at.origin).host }
  return world.app.inject({ method: 'GET', url: `/files/${id}`, headers })
}

describe('uploads', () => {
  verifies(
    'scope.storage',
    'a file is stored with storage:write, and served at its URL',
    async () => {
      const answer = await upload(PNG, 'image/png', 'logo “1”.png')
      expect(answer.statusCode).toBe(201)
      const file = answer.json()
      expect(file).toMatchObject({ object: 'file', size_bytes: 16, content_type: 'image/png' })
      expect(file.url).toBe(`${school.origin}/files/${file.id}`)
      expect(answer.headers.location).toBe(file.url)
      const got = await download(school, file.id)
      expect(got.rawPayload.equals(PNG)).toBe(true)
      expect(got.headers['content-type']).toBe('image/png')
      expect(got.headers['content-disposition']).toBe(
        "attachment; filename*=UTF-8''logo%20%E2%80%9C1%E2%80%9D.png",
      )
      const reader = await anOperator(world, school, { scopes: 'appearance:read' })
      expect((await reader.post('/files?name=x', {})).statusCode).toBe(403)
    },
  )

  verifies(
    'pages.content.uploads',
    'an uploaded page never runs at the origin of the school',
    async () => {
      for (const type of [
        'text/html',
        'image/svg+xml',
        'application/javascript',
        'text/x-unknown',
      ]) {
        const file = (await upload('<script>steal()</script>', type)).json()
        const got = await download(school, file.id)
        expect(got.headers['content-type']).toBe('application/octet-stream')
        expect(got.headers['content-disposition']).toMatch(/^attachment/)
        expect(got.headers['x-content-type-options']).toBe('nosniff')
        expect(got.headers['content-security-policy']).toContain('sandbox')
      }
    },
  )

  test('bytes that do not match the content type, and an empty file, are refused', async () => {
    const fake = await upload('<html>', 'image/png')
    expect(fake.statusCode).toBe(422)
    expect(fake.json().errors).toMatchObject([{ code: 'wrong_format' }])
    expect((await upload('', 'text/plain')).statusCode).toBe(422)
  })

  test('more bytes than allowed are refused', async () => {
    const answer = await upload(Buffer.alloc(1_000_001), 'application/zip')
    expect(answer.statusCode).toBe(413)
    expect(answer.headers['content-type']).toContain('application/problem+json')
  })

  test('names with a path are refused', async () => {
    for (const name of ['../../etc/passwd', 'a\\b', '', 'a\u0000b', 'x'.repeat(256)]) {
      expect((await upload('x', 'text/plain', name)).statusCode).toBe(400)
    }
  })

  test('an unknown parameter is refused', async () => {
    const answer = await upload('x', 'text/plain', 'a.txt', {}, '&public=true')
    expect(answer.statusCode).toBe(400)
    expect(answer.json().errors).toMatchObject([{ parameter: 'public', code: 'unknown_parameter' }])
  })

  test('the same upload with the same key is one file', async () => {
    const headers = { 'idempotency-key': 'upload' }
    const first = await upload('once', 'text/plain', 'once.txt', headers)
    const second = await upload('once', 'text/plain', 'once.txt', headers)
    expect(second.json().id).toBe(first.json().id)
    expect(second.headers['idempotent-replayed']).toBe('true')
    const other = await upload('twice', 'text/plain', 'once.txt', headers)
    expect(other.statusCode).toBe(422)
  })

  test('another school does not serve it', async () => {
    const file = (await upload('ours', 'text/plain')).json()
    const elsewhere = await world.aSchool()
    expect((await download(elsewhere, file.id)).statusCode).toBe(404)
  })

  test('an uploaded picture can be the logo', async () => {
    const file = (await upload(PNG, 'image/png')).json()
    const answer = await operator.patch('/appearance', { logo_file_id: file.id })
    expect(answer.statusCode).toBe(200)
  })

  verifies(
    'house.growth.uploads',
    'bytes of refused uploads do not stay, however often they are sent',
    async () => {
      const headers = { 'idempotency-key': 'again and again'.replaceAll(' ', '-') }
      expect((await upload('kept', 'text/plain', 'a.txt', headers)).statusCode).toBe(201)
      const before = await readdir(folder, { recursive: true })
      for (let time = 0; time < 5; time++) {
        const refused = [
          await upload(`other ${time}`, 'text/plain', 'a.txt', headers),
          await upload(`long key ${time}`, 'text/plain', 'a.txt', { 'idempotency-key': 'a b' }),
          await upload(`<html>${time}`, 'image/png'),
          await upload(Buffer.alloc(1_000_001, `${time}`), 'text/plain'),
        ]
        expect(refused.map(({ statusCode }) => statusCode)).toEqual([422, 400, 422, 413])
      }
      expect(await readdir(folder, { recursive: true })).toEqual(before)
    },
  )
})
