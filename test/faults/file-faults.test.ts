import { expect, test } from 'vitest'
import { anOperator } from '../support/admin-api.ts'
import { aWorld } from '../support/world.ts'

/** Error codes of disks and buckets; PostgreSQL's socket fails with the same codes. */
const CODES = ['ENOENT', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'] as const

let failure: Error | undefined
const kept = {
  key: `ab/${'0'.repeat(64)}`,
  sizeBytes: 2,
  sha256: Buffer.alloc(32),
  head: Buffer.from('hi'),
}
const fails = async <R>(otherwise: R): Promise<R> => {
  if (failure !== undefined) throw failure
  return otherwise
}
const world = await aWorld({
  files: {
    write: () => fails(kept),
    read: () => fails(undefined),
    remove: () => fails(undefined),
  },
})
const school = await world.aSchool()
const { accessToken } = await anOperator(world, school, { scopes: 'storage:write' })
const host = new URL(school.origin).host
const headers = { host, authorization: `Bearer ${accessToken}`, 'content-type': 'text/plain' }
const post = { method: 'POST', url: '/api/v1/files?name=a', headers, payload: 'hi' } as const
const stored = await world.app.inject(post)
const get = { url: new URL(stored.json().url).pathname, headers: { host } }

test.each(CODES)(
  '%s of the file store is not reported as an unreachable database',
  async (code) => {
    failure = Object.assign(new Error('from the file store'), { code })
    for (const answer of [await world.app.inject(post), await world.app.inject(get)]) {
      expect(answer.statusCode).toBe(500)
      expect(answer.headers).not.toHaveProperty('retry-after')
    }
  },
)
